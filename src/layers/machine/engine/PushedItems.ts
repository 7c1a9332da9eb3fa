/** A mailbox as an async iterable for code of others, with a result at its end. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"
import * as Runtime from "effect/Runtime"

const over = { done: true, value: undefined } as const

export const make = Effect.fnUntraced(function* <A, R>() {
  const run = Runtime.runPromise(yield* Effect.runtime<never>())
  const items = yield* Mailbox.make<A>()
  const result = yield* Deferred.make<R>()
  const next = Effect.match(items.take, {
    onFailure: () => over,
    onSuccess: (value) => ({ done: false as const, value })
  })
  return {
    push: (item: A) => void items.unsafeOffer(item),
    /** Items that were pushed before are still read. Pushing after the end does nothing. */
    end: (value: R) => {
      Deferred.unsafeDone(result, Effect.succeed(value))
      items.unsafeDone(Exit.void)
    },
    result: () => run(Deferred.await(result)),
    [Symbol.asyncIterator]: () => ({
      next: () => run(next),
      return: () => run(Effect.as(items.shutdown, over))
    })
  }
})
