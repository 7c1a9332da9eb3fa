/**
 * A queue that never refuses and says when its reader has fallen behind. Producers that can wait do so on `ready`;
 * what must not be lost or delayed is offered regardless. Used by every reader of agent events.
 */
import * as Effect from "effect/Effect"

export interface Backlog<A> {
  readonly offer: (item: A) => void
  /** Everything offered so far, at least one item; an empty array once the backlog is ended and read. One reader at a time. */
  readonly takeAll: Effect.Effect<ReadonlyArray<A>>
  /** Returns at once unless more than `limit` items wait to be taken. */
  readonly ready: Effect.Effect<void>
  /** Nothing more is wanted or will come: readers get what is left, then nothing, and nobody waits for them. */
  readonly end: () => void
  readonly size: () => number
}

/** `rouse` may call its argument later: a reader that slept takes what is there by then. */
export const make = <A>(limit: number, rouse: (go: () => void) => void = (go) => go()): Backlog<A> => {
  let items: Array<A> = []
  let ended = false
  /** Wakes the reader. One that was interrupted meanwhile does not notice, and the items are still here. */
  let wake: (() => void) | undefined
  const ready = Effect.unsafeMakeLatch(true)
  const isBehind = () => items.length > limit && !ended
  const take = Effect.sync(() => {
    const taken = items
    items = []
    ready.unsafeOpen()
    return taken
  })
  const filled = Effect.async<ReadonlyArray<A>>((resume) => {
    wake = () => {
      wake = undefined
      rouse(() => resume(take))
    }
  })
  return {
    offer: (item) => {
      items.push(item)
      wake?.()
      if (items.length > limit) ready.unsafeClose()
    },
    takeAll: Effect.suspend(() => (items.length > 0 || ended ? take : filled)),
    ready: Effect.suspend(() => (isBehind() ? ready.await : Effect.void)),
    end: () => {
      ended = true
      wake?.()
      ready.unsafeOpen()
    },
    size: () => items.length
  }
}
