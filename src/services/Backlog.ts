/**
 * A queue that never refuses and says when its reader has fallen behind. Producers that can wait do so on `ready`;
 * what must not be lost or delayed is offered regardless. Used by every reader of agent events.
 */
import * as Effect from "effect/Effect"

export interface Backlog<A> {
  readonly offer: (item: A) => void
  /** Everything offered so far, at least one item; an empty array once the backlog is ended and read. */
  readonly takeAll: Effect.Effect<ReadonlyArray<A>>
  /** Returns at once unless more than `limit` items wait to be taken. */
  readonly ready: Effect.Effect<void>
  /** Nothing more is wanted or will come: readers get what is left, then nothing, and nobody waits for them. */
  readonly end: () => void
  readonly size: () => number
}

export const make = <A>(limit: number): Backlog<A> => {
  let items: Array<A> = []
  let ended = false
  const filled = Effect.unsafeMakeLatch(false)
  const ready = Effect.unsafeMakeLatch(true)
  const take = Effect.sync(() => {
    const taken = items
    items = []
    if (!ended) filled.unsafeClose()
    ready.unsafeOpen()
    return taken
  })
  return {
    offer: (item) => {
      items.push(item)
      if (items.length === 1) filled.unsafeOpen()
      if (items.length > limit) ready.unsafeClose()
    },
    takeAll: Effect.suspend(() => (items.length > 0 ? take : Effect.zipRight(filled.await, take))),
    ready: Effect.suspend(() => (items.length > limit && !ended ? ready.await : Effect.void)),
    end: () => {
      ended = true
      filled.unsafeOpen()
      ready.unsafeOpen()
    },
    size: () => items.length
  }
}
