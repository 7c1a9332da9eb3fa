/** Owns the fiber of the run, from the check of its prompt to its last event. To stop a run is to interrupt it. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import { PromptWithdrawn } from "../../../services/Agent.ts"
import type { Compaction } from "../compaction/Compaction.ts"
import type { HandBack, RunEnd } from "./RunEnd.ts"

interface Dependencies {
  readonly compaction: Compaction
  readonly end: RunEnd
  /** Starts a fiber of the session. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
}

/** The preparation of a prompt that an abort has ended withdraws the prompt. */
const withdrawn = <A, E>(exit: Exit.Exit<A, E>): Effect.Effect<A, E | PromptWithdrawn> =>
  Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? new PromptWithdrawn() : exit

export type RunFiber = Effect.Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* ({ compaction, end: runEnd, fork }: Dependencies) {
  const running = yield* FiberHandle.make<void, never>()
  const preparing = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  /** The run has begun, and its fiber is not in `running` yet. */
  let isStarting = false

  /** A hook that is called at the first events of a run may stop it there. */
  const known: Effect.Effect<void> = Effect.suspend(() =>
    isStarting ? Effect.zipRight(Effect.yieldNow(), known) : Effect.void
  )
  const start = (run: Effect.Effect<void>) =>
    Effect.suspend(() => {
      isStarting = true
      return Effect.map(FiberHandle.run(running, run), (fiber) => {
        isStarting = false
        return fiber
      })
    })

  // Not FiberHandle.clear: when two callers stop one run, that would also forget a run that started in between.
  const stop = Effect.flatMap(known, () =>
    Option.match(FiberHandle.unsafeGet(running), {
      onNone: () => Effect.void,
      onSome: (fiber) => Effect.asVoid(Fiber.interrupt(fiber))
    })
  )
  const withdraw = Effect.suspend(() => (preparing.size === 0 ? Effect.void : Fiber.interruptAll([...preparing])))
  const interrupt = Effect.zipRight(withdraw, Effect.zipRight(stop, compaction.cancel))

  /**
   * Runs what a message needs before it is accepted. An abort interrupts it, and so the message is withdrawn; to leave the
   * wait withdraws it, too.
   */
  const read = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | PromptWithdrawn> =>
    Effect.suspend(() => {
      const started = fork(effect)
      preparing.add(started)
      started.addObserver(() => preparing.delete(started))
      return Fiber.await(started).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(started)),
        Effect.flatMap(withdrawn)
      )
    })

  const halt = (which: HandBack) =>
    Effect.flatMap(known, () => {
      runEnd.handBack(which)
      // A run hands the queue back when it ends. Without one the queue is taken before anybody can start a run.
      const now = Option.isSome(FiberHandle.unsafeGet(running)) ? Effect.void : runEnd.takeNow
      return Effect.zipRight(now, interrupt)
    })

  return {
    /** Begins at once, up to the first wait, so that an interrupt in the same instant finds the run's clean-up in place. */
    start,
    read,
    /** Withdraws the prompts that are being prepared. */
    withdraw,
    /** Returns after the last event of the run. Leaves the queue and a compaction of its own alone. */
    stop,
    interrupt,
    abort: Effect.zipRight(halt("all"), runEnd.collect),
    /** An abort in two steps. */
    halt: halt("all"),
    handBack: runEnd.collect,
    /** The same, but only prompts that somebody waits for are handed back. The file keeps them. */
    leave: Effect.zipRight(halt("prompts"), runEnd.collect),
    awaitIdle: Effect.zipRight(known, FiberHandle.awaitEmpty(running))
  }
})
