/** Finds a node of the supervision tree by any of its names and ends it, with all below it. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { RequestId } from "../../domain/conversation/AgentEvent.ts"
import * as Stopwatch from "../Stopwatch.ts"
import { CancelFailed, type CancelOutcome, type LiveNode, type SupervisedProcess } from "./Supervision.ts"

const processesOf = (node: LiveNode): ReadonlyArray<SupervisedProcess> => [
  ...node.processes,
  ...[...node.children].flatMap(processesOf)
]

const askToEnd = ({ fiber, spec }: LiveNode): Effect.Effect<void> => {
  if (spec.end !== undefined) return spec.end
  if (fiber === undefined) return Effect.void
  return Effect.flatMap(Effect.fiberId, (id) => Fiber.interruptAsFork(fiber, id))
}

const refused = (reason: CancelFailed["reason"], message: string, pids: ReadonlyArray<number> = []) =>
  new CancelFailed({ reason, message, pids })

const isAlive = (started: SupervisedProcess) => started.isAlive()
const pid = (started: SupervisedProcess) => started.pid

const end = Effect.fnUntraced(function* (node: LiveNode, graceMs: number) {
  const began = yield* Stopwatch.reading
  const processes = processesOf(node)
  node.cancelling = true
  node.spec.onCancel?.()
  const gone = (node.gone ??= Effect.unsafeMakeLatch(false))
  const ended = yield* Effect.timeoutOption(Effect.zipRight(askToEnd(node), gone.await), graceMs)
  const alive = processes.filter(isAlive).map(pid)
  if (Option.isNone(ended) || alive.length > 0) return yield* refused("still_running", "It is still running", alive)
  const ms = yield* Stopwatch.since(began)
  const outcome: CancelOutcome = { outcome: node.outcome, pidsKilled: processes.map(pid), ms }
  return outcome
})

const alreadyDone: CancelOutcome = { outcome: "already_done", pidsKilled: [], ms: 0 }

/** Whether a node of the tree has the name, or had it. */
export const isKnown = ({ registry: { ended, named } }: LiveNode, targetId: RequestId): boolean =>
  named.has(targetId) || ended.includes(targetId)

export const cancel = (
  root: LiveNode,
  targetId: RequestId,
  graceMs: number
): Effect.Effect<CancelOutcome, CancelFailed> => {
  const { ended, named } = root.registry
  if (targetId === root.id) return refused("not_cancellable", "A session cannot be cancelled")
  const node = named.get(targetId)
  if (node !== undefined) return end(node, graceMs)
  if (ended.includes(targetId)) return Effect.succeed(alreadyDone)
  return refused("unknown_target", `Nothing is known by the id ${JSON.stringify(targetId)}`)
}
