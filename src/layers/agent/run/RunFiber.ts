/**
 * Owns what an abort ends: the preparation of messages, the fiber of the run from the check of its prompt to its last event,
 * and a compaction. To stop a run is to interrupt it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import type { HandBack } from "../../../domain/inbox/State.ts"
import { PromptWithdrawn } from "../../../services/Agent.ts"
import type { Compaction } from "../compaction/Compaction.ts"
import type { Messages } from "../inbox/Messages.ts"
import * as Ahead from "./Ahead.ts"
import type { RunEnd } from "./RunEnd.ts"

interface Dependencies {
  readonly messages: Messages
  readonly compaction: Compaction
  readonly end: RunEnd
  /** Starts a fiber of the session. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
}

/** Runs what a message waits for. To interrupt it withdraws the message. */
export type Withdrawal = <A, E>(part: Effect.Effect<A, E>) => Effect.Effect<A, E | PromptWithdrawn>

/** The preparation of a prompt that an abort has ended withdraws the prompt. */
const withdrawn = <A, E>(exit: Exit.Exit<A, E>): Effect.Effect<A, E | PromptWithdrawn> =>
  Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? new PromptWithdrawn() : exit

export type RunFiber = Effect.Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* ({ compaction, end: runEnd, fork, messages }: Dependencies) {
  const running = yield* FiberHandle.make<void, never>()
  const preparing = new Set<Fiber.RuntimeFiber<unknown, unknown>>()

  /** Begins at once, and a hook that is called at the first events may stop it there: the fiber is in the handle by then. */
  const known = (run: Effect.Effect<void>) =>
    Effect.withFiberRuntime<void>((fiber) => {
      FiberHandle.unsafeSet(running, fiber)
      return run
    })

  // Not FiberHandle.clear: when two callers stop one run, that would also forget a run that started in between.
  const stop = Effect.suspend(() =>
    Option.match(FiberHandle.unsafeGet(running), {
      onNone: () => Effect.void,
      onSome: (fiber) => Effect.asVoid(Fiber.interrupt(fiber))
    })
  )
  const prepared = Effect.suspend(() => (preparing.size === 0 ? Effect.void : Fiber.interruptAll([...preparing])))
  const interrupt = Effect.zipRight(prepared, Effect.zipRight(stop, compaction.cancel))

  const withdraw = Effect.suspend(() =>
    Effect.zipRight(messages.state().phase._tag === "Preparing" ? stop : prepared, compaction.cancel)
  )
  const ahead = Ahead.make(fork, withdraw)
  compaction.watch(ahead.begun)

  /** An abort interrupts it, and so the message is withdrawn; to leave the wait withdraws it, too. */
  const prepare: Withdrawal = (part) =>
    Effect.suspend(() => {
      ahead.begun()
      const started = fork(part)
      preparing.add(started)
      started.addObserver(() => preparing.delete(started))
      return Fiber.await(started).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(started)),
        Effect.flatMap(withdrawn)
      )
    })

  const halt = (which: HandBack) =>
    Effect.suspend(() => {
      runEnd.handBack(which)
      // A run hands the queue back when it ends. Without one the queue is taken before anybody can start a run.
      const now = Option.isSome(FiberHandle.unsafeGet(running)) ? Effect.void : runEnd.takeNow
      return Effect.zipRight(now, interrupt)
    })

  return {
    start: (run: Effect.Effect<void>) =>
      Effect.tap(FiberHandle.run(running, known(run)), () => {
        ahead.begun()
      }),
    prepare,
    /** Withdraws the prompts that are prepared or checked, and cancels a compaction. */
    withdraw,
    /** The same, also for those that begin before the place is reached. */
    withdrawUntil: ahead.endUntil,
    /** Returns after the last event of the run. Leaves the queue and a compaction of its own alone. */
    stop,
    interrupt,
    abort: Effect.zipRight(halt("all"), runEnd.collect),
    /** An abort in two steps. */
    halt: halt("all"),
    handBack: runEnd.collect,
    /** The same, but only prompts that somebody waits for are handed back. The file keeps them. */
    leave: Effect.zipRight(halt("prompts"), runEnd.collect),
    awaitIdle: FiberHandle.awaitEmpty(running)
  }
})
