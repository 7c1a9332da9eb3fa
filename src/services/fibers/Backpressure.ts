/** Lets a producer pause while too much of what it has queued is unread. Offering to the queue itself never waits. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export interface Backpressure {
  /** Returns when at most `lead` items wait, or when the consumer has caught up. */
  readonly ready: Effect.Effect<void>
  /** To be run by the consumer whenever it has taken what waited, and when it ends. */
  readonly caughtUp: Effect.Effect<void>
}

/** `size` counts the items that wait. */
export const make = (size: () => number, lead: number): Backpressure => {
  const latch = Effect.unsafeMakeLatch(true)
  return {
    ready: Effect.suspend(() => (size() > lead ? Effect.zipRight(latch.close, latch.await) : Effect.void)),
    caughtUp: Effect.asVoid(latch.open)
  }
}

/** The number of items in a Mailbox; a closed one holds no producer back. */
export const sizeOf = (queue: { readonly unsafeSize: () => Option.Option<number> }) => (): number =>
  Option.getOrElse(queue.unsafeSize(), () => 0)
