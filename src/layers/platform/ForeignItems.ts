/**
 * Reads the items of an async iterable that code of others has made. Nothing that the code does holds up more than its own
 * call: it may throw, never answer, answer at once for ever, or ignore the signal.
 */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as EventLoop from "./EventLoop.ts"
import { race } from "./Primordials.ts"
import { failed, type Pull, type Source } from "./Source.ts"

type Iterator = { readonly next: () => unknown; readonly return?: () => unknown }

const isIterable = (value: unknown): value is { readonly [Symbol.asyncIterator]: () => Iterator } =>
  typeof value === "object" &&
  value !== null &&
  Symbol.asyncIterator in value &&
  typeof value[Symbol.asyncIterator] === "function"

const isResult = (value: unknown): value is { readonly done?: unknown; readonly value?: unknown } =>
  typeof value === "object" && value !== null

/** Ends the iterator without waiting for what it does about that. */
const letGo = async (iterator: Iterator) => {
  try {
    await iterator.return?.()
  } catch {
    // The call has ended already, so there is no one to report to.
  }
}

const iteratorOf = async (opened: unknown, signal: AbortSignal): Promise<Iterator> => {
  const iterable = await opened
  if (!isIterable(iterable)) throw new TypeError("the stream function returned no async iterable")
  const iterator = iterable[Symbol.asyncIterator]()
  const stop = () => void letGo(iterator)
  if (signal.aborted) stop()
  else signal.addEventListener("abort", stop, { once: true })
  return iterator
}

type Next = { readonly item: unknown; readonly isLast: boolean } | { readonly cause: unknown } | "end"

const nextOf = async (iterator: Iterator, isLast: (item: unknown) => boolean): Promise<Next> => {
  try {
    const result = await iterator.next()
    if (!isResult(result)) throw new TypeError("the iterator returned no result object")
    return result.done === true ? "end" : { item: result.value, isLast: isLast(result.value) }
  } catch (cause) {
    return { cause }
  }
}

/** Items that come without a wait would keep the event loop from everything else, also from an abort. */
const itemsPerTurn = 64
const nextTurn = () => new Promise<void>((resolve) => EventLoop.onNextTurn(resolve))

/** One piece is what comes within a turn of the event loop: an operation of Effect for each item would take 14 us. */
const pull = (iterator: Iterator, isLast: (item: unknown) => boolean): Pull<unknown> => {
  let waiting: Promise<Next> | undefined
  let isOver = false
  const piece = async () => {
    const items: Array<unknown> = []
    const turn = nextTurn()
    while (!isOver && items.length < itemsPerTurn) {
      waiting ??= nextOf(iterator, isLast)
      const next = await (items.length === 0 ? waiting : race([waiting, turn]))
      if (next === undefined) return items
      if (next !== "end" && "item" in next) {
        items.push(next.item)
        waiting = undefined
        isOver = next.isLast
      } else if (items.length > 0) return items
      else if (next === "end") return undefined
      else throw next.cause
    }
    if (!isOver) await turn
    return items.length === 0 ? undefined : items
  }
  return Effect.tryPromise({ try: piece, catch: failed("read") })
}

/** `open` starts the call and returns the iterable, or a promise of it. Nothing is read behind the last item. */
export const source =
  (open: (signal: AbortSignal) => unknown, isLast: (item: unknown) => boolean): Source<unknown> =>
  (signal) =>
    Effect.map(
      Effect.tryPromise({ try: async () => iteratorOf(open(signal), signal), catch: failed("open") }),
      (iterator) => pull(iterator, isLast)
    )

/** An effect that such code awaits. The signal interrupts it. */
export type AsPromise = <A, E>(effect: Effect.Effect<A, E>, signal: AbortSignal) => Promise<A>

/** With the services and the references of the fiber that asks for it. */
export const asPromise: Effect.Effect<AsPromise> = Effect.map(Effect.runtime<never>(), (runtime) => {
  const run = Runtime.runPromise(runtime)
  return (effect, signal) => run(effect, { signal })
})
