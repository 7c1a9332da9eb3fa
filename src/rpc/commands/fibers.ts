/** The live tree of the session's fibers, and cancelling a part of it (supplement 6.5). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { described, optional } from "../../domain/conversation/Content.ts"
import { RequestId } from "../../domain/conversation/MessageQueue.ts"
import { defined } from "../../domain/Values.ts"
import { Agent } from "../../services/Agent.ts"
import * as Ending from "../../services/supervision/Ending.ts"
import { SessionCore } from "../../services/session/SessionCore.ts"
import * as Stopwatch from "../../services/Stopwatch.ts"
import { type CancelFailed, type LiveNode, NodeKind, type WaitingOn } from "../../services/supervision/Supervision.ts"
import * as Command from "../Command.ts"
import { Cleared, toCleared } from "../protocol/events/QueueFrames.ts"

const nodeFields = {
  id: Schema.String,
  kind: NodeKind,
  label: Schema.String,
  status: Schema.Literal("running", "waiting", "cancelling"),
  startedAt: Schema.Finite,
  ageMs: Schema.Finite,
  refs: described(
    Schema.Record({ key: Schema.String, value: Schema.Union(Schema.String, Schema.Finite) }),
    "The ids by which other frames name it, such as `runId` and `toolCallId`."
  ),
  cancellable: described(Schema.Boolean, "Whether `cancel` may end it."),
  progress: optional(Schema.Struct({ count: Schema.Int, unit: Schema.Literal("deltas"), lastAt: Schema.Finite })),
  pids: optional(Schema.Array(Schema.Int), "Its processes."),
  waitingOn: optional(
    Schema.Struct({ kind: Schema.String, id: optional(Schema.String), until: optional(Schema.Finite) }),
    "What it waits for, and until when."
  )
}

interface FiberNode extends Schema.Struct.Type<typeof nodeFields> {
  readonly children: ReadonlyArray<FiberNode>
}

const FiberNode = Schema.Struct({
  ...nodeFields,
  children: Schema.Array(Schema.suspend((): Schema.Schema<FiberNode> => FiberNode))
}).annotations({ identifier: "FiberNode", description: "A running part of the session." })

/** A call waits for the answer to the question whether it may run, which is a node below it. */
const waitingOn = ({ children, fiber, spec }: LiveNode): WaitingOn | { readonly kind: "lane" } | undefined => {
  if (spec.waitingOn !== undefined) return spec.waitingOn
  if (spec.kind === "command" && fiber === undefined) return { kind: "lane" }
  for (const child of children) if (child.spec.kind === "approval") return child.spec.waitingOn
  return undefined
}

const statusOf = (node: LiveNode, cancelling: boolean): FiberNode["status"] => {
  if (cancelling) return "cancelling"
  return waitingOn(node) === undefined && (node.fiber !== undefined || node.parent === undefined)
    ? "running"
    : "waiting"
}

/** The same moment as the Stopwatch reads it and as the time of day. */
interface Times {
  readonly ticks: number
  readonly now: number
}

/** Cancelling a node cancels all nodes below it, so they show it, too. */
const snapshot = (node: LiveNode, { ticks, now }: Times, above = false): FiberNode => {
  const { id, parent, processes, progress, spec, startedAt } = node
  const cancelling = above || node.cancelling
  const ago = (time: number) => Math.round(ticks - time)
  const ageMs = ago(startedAt)
  return {
    id,
    kind: spec.kind,
    label: spec.label,
    status: statusOf(node, cancelling),
    startedAt: now - ageMs,
    ageMs,
    refs: spec.refs ?? {},
    cancellable: parent !== undefined,
    ...(progress === undefined
      ? {}
      : { progress: { count: progress.count, unit: "deltas", lastAt: now - ago(progress.lastAt) } }),
    ...(processes.size === 0 ? {} : { pids: [...processes].map(({ pid }) => pid) }),
    ...defined({ waitingOn: waitingOn(node) }),
    children: [...node.children].map((child) => snapshot(child, { ticks, now }, cancelling))
  }
}

const getFibers = Command.make({
  name: "get_fibers",
  lane: "instant",
  summary: "The tree of everything that runs in the session at this moment.",
  notes:
    "The root is the session. Under it are the run with its turns, model calls, tool calls and waits, and the commands that have no response yet. " +
    "`progress` counts the deltas of a model call. `pids` are the processes of a call.",
  origin: ["ours"],
  params: Command.noParams,
  result: Schema.Struct({ now: Schema.Finite, fibers: Schema.Array(FiberNode) }),
  run: Effect.fnUntraced(function* (_, { activities }) {
    const { state } = yield* Agent
    const { supervision } = yield* SessionCore
    const { sessionId } = yield* state
    const now = yield* Clock.currentTimeMillis
    const ticks = yield* Stopwatch.reading
    const session = snapshot(supervision.root, { ticks, now })
    const all = [...snapshot(activities.root, { ticks, now }).children, ...session.children]
    const children = all.toSorted((one, other) => one.startedAt - other.startedAt)
    return { now, fibers: [{ ...session, refs: { sessionId }, children }] }
  })
})

export const defaultGraceMs = 10_000

export const notCancelled = ({ message, pids, reason: code }: CancelFailed) =>
  new Command.CommandFailure({ code, message, ...(code === "still_running" ? { data: { pids } } : {}) })

const cancel = Command.make({
  name: "cancel",
  lane: "control",
  summary: "Ends a node of `get_fibers` and all nodes below it; answers when they have ended.",
  notes:
    "`targetId` is the id of a node, a `runId`, a `toolCallId`, the `id` of a subagent, the `id` of an `extension_ui_request`, or the `id` of a command that has no response yet. " +
    "A tool call gets the error result `Cancelled by host` and the run goes on; a question to the user gets its default; the task of a subagent is `aborted` and the others go on; a model call or a turn ends the run and leaves the queue; a run ends as by `abort`, and queued messages are handed back as `cleared`; " +
    "a command is answered with the code `cancelled`, and `abort` and `abort_and_prompt` with the queued messages as `cleared`. A target that has ended gives `already_done`. " +
    "After `graceMs` (default 10 000) the response is `still_running`, with the processes that still run in `data`; the target is still being ended.",
  origin: ["ours"],
  params: Schema.Struct({
    targetId: RequestId,
    reason: optional(Schema.String),
    graceMs: optional(Schema.Finite.pipe(Schema.nonNegative()))
  }),
  result: Schema.Struct({
    targetId: RequestId,
    outcome: Schema.Literal("cancelled", "already_done"),
    pidsKilled: Schema.Array(Schema.Int),
    ms: Schema.Finite,
    cleared: optional(Cleared)
  }),
  errors: ["unknown_target", "not_cancellable", "still_running"],
  run: Effect.fnUntraced(function* ({ graceMs = defaultGraceMs, reason, targetId }, request) {
    const agent = yield* Agent
    const { supervision } = yield* SessionCore
    const { activities } = request
    const isRun = supervision.root.registry.named.get(targetId)?.spec.kind === "run"
    const { cancel: end } = Ending.isKnown(activities.root, targetId) ? activities : supervision
    yield* Effect.logDebug(`cancel ${targetId}${reason === undefined ? "" : `: ${reason}`}`)
    const outcome = yield* Effect.mapError(end(targetId, graceMs), notCancelled)
    const { abortQueue } = yield* Ref.get(request.connection.preferences)
    const cleared = isRun && abortQueue !== "keep" ? agent.queue.clear : Effect.succeed([])
    return yield* Command.answering(
      request,
      Effect.map(cleared, (items) => ({ targetId, ...outcome, ...toCleared(items) }))
    )
  })
})

export const commands = [getFibers, cancel]
