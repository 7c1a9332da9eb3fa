/** The steps of a run as nodes of the supervision tree: how each is called and by which names it can be ended. */
import type * as Effect from "effect/Effect"
import type { RequestId } from "../../../domain/conversation/AgentEvent.ts"
import type { ToolCall } from "../../../domain/conversation/Content.ts"
import * as Model from "../../../domain/model/Model.ts"
import * as Supervision from "../../../services/supervision/Supervision.ts"

const longestLabel = 80

/** What a call is about, for people: its first argument that is a text. */
const callLabel = ({ arguments: args, name }: ToolCall): string => {
  const subject = Object.values(args).find((value) => typeof value === "string")
  const label = typeof subject === "string" ? `${name}: ${subject.trim().split("\n", 1).join()}` : name
  return label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label
}

/** For what the agent does by itself. */
export const session = (tree: Supervision.Supervision) => Supervision.under(tree.root)

interface RunRef {
  readonly runId: string
  readonly requestId?: RequestId
  /** When it begins. */
  readonly now: number
}

/** Hangs under the session, whoever sent the prompt. `run` is for a fiber of its own, and `ended` for when that is over. */
export const run = <A, E, R>(
  tree: Supervision.Supervision,
  { now, requestId, runId }: RunRef,
  effect: Effect.Effect<A, E, R>
) => {
  const spec: Supervision.NodeSpec = {
    kind: "run",
    label: requestId === undefined ? "prompt" : `prompt ${requestId}`,
    refs: { runId, ...(requestId === undefined ? {} : { requestId }) },
    names: [runId]
  }
  const node = Supervision.open(tree.root, spec, now)
  return { run: Supervision.enter(node, effect), seat: Supervision.seat(node), ended: () => Supervision.close(node) }
}

export const turn = <A, E, R>(turnIndex: number, effect: Effect.Effect<A, E, R>) =>
  Supervision.node({ kind: "turn", label: `turn ${turnIndex}`, refs: { turnIndex } }, () => effect)

export const modelCall = <A, E, R>(
  model: Model.Model,
  use: (node: Supervision.LiveNode | undefined) => Effect.Effect<A, E, R>
) => Supervision.node({ kind: "model_call", label: Model.label(model) }, use)

export const retryWait = <A, E, R>(delayMs: number, until: number, effect: Effect.Effect<A, E, R>) =>
  Supervision.node({ kind: "retry_wait", label: `${delayMs} ms`, waitingOn: { kind: "timer", until } }, () => effect)

export const toolCall = (call: ToolCall, onCancel: () => void): Supervision.NodeSpec => ({
  kind: "tool_call",
  label: callLabel(call),
  refs: { toolCallId: call.id },
  names: [call.id],
  onCancel
})

export const compaction = <A, E, R>(reason: string, effect: Effect.Effect<A, E, R>) =>
  Supervision.node({ kind: "compaction", label: `compaction (${reason})` }, () => effect)
