/** The nodes of commands under way. A host ends such a command with `cancel` and the id of its request. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { RequestId } from "../domain/conversation/AgentEvent.ts"
import * as Supervision from "../services/supervision/Supervision.ts"
import type { Task } from "./Lanes.ts"

/** Answers a command as cancelled, and says then whether it had no answer. */
export type Refuse = (then: (isAnswer: boolean) => void) => void

interface Options<R> {
  readonly command: string
  readonly id: RequestId | undefined
  /** When it arrived, in Unix milliseconds. */
  readonly now: number
  /** Handles the command and answers it. */
  readonly run: Effect.Effect<void, never, R>
  readonly refuse: Refuse
}

/**
 * The node lives from the arrival of the command to its response. The command has a fiber of its own, so `cancel` does
 * not disturb the lane. A command that still waits for its lane is answered at once and never starts.
 */
export const open = <R>(root: Supervision.LiveNode, { command, id, now, refuse, run }: Options<R>): Task<R> => {
  let withdrawn = false
  const withdraw = () => {
    withdrawn = true
    refuse(() => Supervision.close(node))
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
  const close = (isCancelled: boolean, then: () => void) => {
    if (!isCancelled) node.outcome = "already_done"
    Supervision.close(node)
    then()
  }
  return {
    run: Supervision.enter(node, run),
    seat: Supervision.forkOptions(node),
    withdrawn: () => withdrawn,
    ended: (exit, then) => {
      // Also where the host has ended a part of the command, such as a hook, that runs in its fiber.
      if (Exit.isInterrupted(exit)) refuse((isAnswer) => close(isAnswer, then))
      else close(false, then)
    }
  }
}
