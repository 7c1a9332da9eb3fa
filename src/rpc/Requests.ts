/** Commands that are not answered at once, as nodes of the supervision tree: each can be ended by the id of its request. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { RequestId } from "../domain/conversation/AgentEvent.ts"
import * as Supervision from "../services/supervision/Supervision.ts"
import type { Task } from "./Lanes.ts"

interface Options<R> {
  readonly command: string
  readonly id: RequestId | undefined
  /** Unix milliseconds of its arrival. */
  readonly now: number
  /** Handles the command and answers it. */
  readonly run: Effect.Effect<void, never, R>
  /** Answers it as cancelled; false when it is answered already. */
  readonly refuse: () => boolean
}

/**
 * The node is there from the arrival of the command to its answer. The command runs in a fiber of its own, so that
 * ending it leaves its lane alone; one that still waits for its lane is answered at once and never begins.
 */
export const watch = <R>(root: Supervision.LiveNode, { command, id, now, refuse, run }: Options<R>): Task<R> => {
  let withdrawn = false
  const withdraw = () => {
    withdrawn = true
    refuse()
    Supervision.close(node)
  }
  const end = Effect.flatMap(Effect.fiberId, (asker) => {
    if (node.fiber !== undefined) return Fiber.interruptAsFork(node.fiber, asker)
    return withdrawn ? Effect.void : Effect.sync(withdraw)
  })
  const node = Supervision.open(
    root,
    {
      kind: "command",
      label: command,
      ...(id === undefined ? {} : { refs: { requestId: id }, names: [id] }),
      end
    },
    now
  )
  return {
    run: Supervision.enter(node, run),
    seat: Supervision.seat(node),
    withdrawn: () => withdrawn,
    ended: (exit) => {
      const cancelled = Exit.isInterrupted(exit) && node.cancelling && refuse()
      if (!cancelled) node.outcome = "already_done"
      Supervision.close(node)
    }
  }
}
