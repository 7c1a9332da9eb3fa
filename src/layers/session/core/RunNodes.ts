/**
 * The steps of a run as nodes of the supervision tree: how each is called and by which names it can be ended. Each step
 * is also a span, for teams that embed the agent in a traced service.
 */
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import type { RequestId } from "../../../domain/conversation/AgentEvent.ts"
import type { ToolCall } from "../../../domain/conversation/Content.ts"
import * as Model from "../../../domain/model/Model.ts"
import { defined } from "../../../domain/Values.ts"
import * as Text from "../../../domain/Text.ts"
import { Ids } from "../../../services/Ids.ts"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import * as Supervision from "../../../services/supervision/Supervision.ts"
import * as Ending from "../../../services/supervision/Ending.ts"

const longestLabel = 80

const defaultTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

type SpanName = "prompt" | "run" | "turn" | "modelCall" | "toolCall" | "compaction" | "abort" | "interrupt"

/** Runs the effect in a span where a tracer is in force. Effect's default tracer keeps no spans, so it gets none. */
export const span =
  (name: SpanName, attributes: Readonly<Record<string, string | number>> = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime<A, E, R>((fiber) =>
      fiber.currentTracer === defaultTracer
        ? effect
        : Effect.withSpan(effect, `Agent.${name}`, { attributes, captureStackTrace: false })
    )

/** What a call is about, for people: its first argument that is a text. */
const callLabel = ({ arguments: args, name }: ToolCall): string => {
  const subject = Object.values(args).find((value) => typeof value === "string")
  const label = typeof subject === "string" ? `${name}: ${subject.trim().split("\n", 1).join()}` : name
  return Text.fit(label, longestLabel)
}

/** The tree of one session. */
export const makeTree = Effect.zipWith(Stopwatch.reading, Ids, (now, ids): Supervision.Supervision => {
  const root = Supervision.makeRoot({ kind: "session", label: "session" }, now, () => ids.next("fiber"))
  return { root, cancel: (targetId, graceMs) => Ending.cancel(root, targetId, graceMs) }
})

/** For what the agent does by itself. */
export const session = (tree: Supervision.Supervision) => Supervision.under(tree.root)

interface RunRef {
  readonly runId: string
  readonly requestId?: RequestId
}

const requested = (requestId: RequestId | undefined) => defined({ requestId })

export const prompt = <A, E, R>(requestId: RequestId | undefined, effect: Effect.Effect<A, E, R>) =>
  span("prompt", requested(requestId))(effect)

/** Hangs under the session, whoever sent the prompt. */
export const run = <A, E, R>(
  tree: Supervision.Supervision,
  { requestId, runId }: RunRef,
  effect: Effect.Effect<A, E, R>
) => {
  const refs = { runId, ...requested(requestId) }
  const label = requestId === undefined ? "prompt" : `prompt ${requestId}`
  return Supervision.nodeUnder(tree.root, { kind: "run", label, refs, names: [runId] }, () => effect).pipe(
    span("run", refs)
  )
}

export const turn = <A, E, R>(turnIndex: number, effect: Effect.Effect<A, E, R>) =>
  Supervision.node({ kind: "turn", label: `turn ${turnIndex}`, refs: { turnIndex } }, () => effect).pipe(
    span("turn", { turnIndex })
  )

export const modelCall = <A, E, R>(
  model: Model.Model,
  use: (node: Supervision.LiveNode | undefined) => Effect.Effect<A, E, R>
) => {
  const label = Model.label(model)
  return span("modelCall", { model: label })(Supervision.node({ kind: "model_call", label }, use))
}

export const retryWait = <A, E, R>(delayMs: number, until: number, effect: Effect.Effect<A, E, R>) =>
  Supervision.node({ kind: "retry_wait", label: `${delayMs} ms`, waitingOn: { kind: "timer", until } }, () => effect)

export const toolCall = <A, E, R>(call: ToolCall, onCancel: () => void, effect: Effect.Effect<A, E, R>) =>
  Supervision.node(
    { kind: "tool_call", label: callLabel(call), refs: { toolCallId: call.id }, names: [call.id], onCancel },
    () => effect
  ).pipe(span("toolCall", { toolName: call.name, toolCallId: call.id }))

/** Hangs under the session, because it goes on when its prompt is answered. */
export const slashCommand = <A, E, R>(
  tree: Supervision.Supervision,
  { name, requestId }: { readonly name: string; readonly requestId: RequestId | undefined },
  use: (node: Supervision.LiveNode | undefined) => Effect.Effect<A, E, R>
) => {
  const label = `/${name.slice(0, longestLabel)}`
  return Supervision.nodeUnder(tree.root, { kind: "command", label, refs: requested(requestId) }, use)
}

export const compaction = <A, E, R>(reason: string, effect: Effect.Effect<A, E, R>) =>
  Supervision.node({ kind: "compaction", label: `compaction (${reason})` }, () => effect).pipe(
    span("compaction", { reason })
  )
