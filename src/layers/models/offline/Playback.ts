/** Plays prepared steps as the stream of a model call. One fiber a call, owned by the scope of the call. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Mailbox from "effect/Mailbox"
import type { ModelEvent } from "../../../domain/model/ModelEvent.ts"
import type { ModelFailure } from "../../../services/model/ModelClient.ts"
import * as EventLoop from "../../machine/engine/EventLoop.ts"

export type Step =
  | ModelEvent
  | { readonly _tag: "Pause"; readonly ms: number }
  /** Sends nothing more. Only an interrupt ends the call. */
  | { readonly _tag: "Hang" }
  | { readonly _tag: "Fail"; readonly failure: ModelFailure }

const capacity = 1024
const eventsPerTurnOfLoop = 256

const perform = Effect.fnUntraced(function* (steps: Iterable<Step>, into: Mailbox.Mailbox<ModelEvent, ModelFailure>) {
  let sinceTurn = 0
  for (const step of steps) {
    if (step._tag === "Pause") yield* Effect.sleep(step.ms)
    else if (step._tag === "Hang") return yield* Effect.never
    else if (step._tag === "Fail") return yield* step.failure
    else {
      if (!into.unsafeOffer(step)) yield* into.offer(step)
      sinceTurn++
      // Nothing else in this loop waits for I/O: without this pause, the host's next line would not be read.
      if (sinceTurn % eventsPerTurnOfLoop === 0) yield* EventLoop.nextTurn
    }
  }
})

/** `steps` is walked once, while the call lasts, so a generator keeps a long stream out of memory. */
export const play = Effect.fnUntraced(function* (steps: Iterable<Step>) {
  const mailbox = yield* Effect.acquireRelease(Mailbox.make<ModelEvent, ModelFailure>(capacity), (box) =>
    // The fiber starts late: if the scope closes before that, only this ends a reader.
    box.failCause(Cause.interrupt(FiberId.none))
  )
  yield* Effect.forkScoped(Effect.interruptible(Mailbox.into(perform(steps, mailbox), mailbox)))
  const events: Mailbox.ReadonlyMailbox<ModelEvent, ModelFailure> = mailbox
  return events
})
