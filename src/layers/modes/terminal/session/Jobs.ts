/** What the person has asked for, carried out in order, one after the other. Owns the fiber that does it. */
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"

export interface Jobs<R> {
  readonly add: (job: Effect.Effect<void, never, R>) => void
  /** Whether one is being carried out or waits. */
  readonly isBusy: () => boolean
}

/** Until the scope closes. `changed` is called when a job has ended. */
export const make = Effect.fnUntraced(function* <R>(changed: () => void) {
  const waiting = yield* Mailbox.make<Effect.Effect<void, never, R>>()
  let open = 0
  const done = Effect.sync(() => {
    open--
    changed()
  })
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(waiting.take, (job) => Effect.ensuring(job, done))))
  return {
    add: (job) => {
      open++
      waiting.unsafeOffer(job)
    },
    isBusy: () => open > 0
  } satisfies Jobs<R>
})
