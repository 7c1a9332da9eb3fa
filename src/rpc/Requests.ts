/** Commands that are not answered at once, as nodes of the supervision tree: each can be ended by the id of its request. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { RequestId } from "../domain/AgentEvent.ts"
import * as Supervision from "../services/Supervision.ts"

interface Options<R> {
  readonly command: string
  readonly id: RequestId | undefined
  /** Handles the command and answers it. */
  readonly run: Effect.Effect<void, never, R>
  /** Answers it as cancelled, unless it is answered already. */
  readonly refuse: () => void
}

/**
 * The node is there from the arrival of the command to its answer. The command runs in a fiber of its own, so that
 * ending it leaves its lane alone; one that still waits for its lane is answered at once and never begins.
 */
export const watch = <R>(root: Supervision.LiveNode, { command, id, refuse, run }: Options<R>) =>
  Effect.map(Clock.currentTimeMillis, (now): Effect.Effect<void, never, R> => {
    let running: Fiber.RuntimeFiber<void> | undefined
    let withdrawn = false
    const withdraw = () => {
      withdrawn = true
      refuse()
      Supervision.close(node)
    }
    const end = Effect.flatMap(Effect.fiberId, (asker) => {
      if (running !== undefined) return Fiber.interruptAsFork(running, asker)
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
    const finish = (exit: Exit.Exit<void>) =>
      Effect.sync(() => {
        if (Exit.isInterrupted(exit) && node.cancelling) refuse()
        else node.outcome = "already_done"
        Supervision.close(node)
      })
    const start = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.fork(restore(Supervision.under(node)(run))), (fiber) => {
        running = fiber
        node.fiber = fiber
        return restore(Fiber.await(fiber)).pipe(
          Effect.onInterrupt(() => Fiber.interrupt(fiber)),
          Effect.onExit((awaited) => (Exit.isSuccess(awaited) ? finish(awaited.value) : finish(Exit.void)))
        )
      })
    )
    return Effect.suspend(() => (withdrawn ? Effect.void : Effect.asVoid(start)))
  })
