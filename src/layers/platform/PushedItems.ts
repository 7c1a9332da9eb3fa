/** An async iterable for code of others that is filled from inside, with a result at its end. For one reader. */
import * as Engine from "./Engine.ts"

export interface PushedItems<A, R> extends AsyncIterable<A> {
  readonly push: (item: A) => void
  /** Items that were pushed before are still read. Pushing after the end does nothing. */
  readonly end: (result: R) => void
  readonly result: () => Promise<R>
}

type Waiting<A> = (result: IteratorResult<A, undefined>) => void

const over = { done: true, value: undefined } as const

export const make = <A, R>(): PushedItems<A, R> => {
  const final = Engine.deferred<R>()
  let items: Array<A> = []
  let at = 0
  let readers: Array<Waiting<A>> = []
  let isOver = false
  const next = (): Promise<IteratorResult<A, undefined>> => {
    const value = items[at]
    if (value !== undefined) {
      at++
      // Items that were read are let go of in large steps: `shift` would move all others each time.
      if (at >= 1024) {
        items = items.slice(at)
        at = 0
      }
      return Promise.resolve({ done: false, value })
    }
    if (isOver) return Promise.resolve(over)
    return new Promise((resolve) => void readers.push(resolve))
  }
  const stop = () => {
    isOver = true
    for (const reader of readers) reader(over)
    readers = []
  }
  return {
    push: (item) => {
      if (isOver) return
      const reader = readers.shift()
      if (reader === undefined) items.push(item)
      else reader({ done: false, value: item })
    },
    end: (result) => {
      stop()
      final.resolve(result)
    },
    result: () => final.promise,
    [Symbol.asyncIterator]: () => ({
      next,
      return: () => {
        stop()
        items = []
        return Promise.resolve(over)
      }
    })
  }
}
