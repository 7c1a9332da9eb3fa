/**
 * Reads the items of an async iterable that code of others has made into a mailbox. Nothing that the code does holds up
 * more than its own call: it may throw, never answer, answer at once for ever, or ignore the signal.
 */
import * as EventLoop from "./EventLoop.ts"
import * as Intake from "./Intake.ts"

export interface Source<A, E> extends Intake.Ends<A, E> {
  /** Starts the call and returns the iterable, or a promise of it. May throw. */
  readonly open: (signal: AbortSignal) => unknown
  readonly onItem: () => void
  /** Takes one item; a failure ends the reading. May throw. */
  readonly take: (item: unknown) => E | undefined
  /** Whether the items after this one are not wanted. */
  readonly isOver: () => boolean
  readonly failed: (cause: unknown) => E
}

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

/** Items that come without a wait would keep the event loop from everything else, also from an abort. */
const itemsPerTurn = 64
const nextTurn = () => new Promise<void>((resolve) => EventLoop.onNextTurn(resolve))

const readItems = async <A, E>(
  source: Source<A, E>,
  iterator: Iterator,
  signal: AbortSignal,
  hand: Intake.Hand<A>
): Promise<E | undefined> => {
  for (let count = 1; !signal.aborted && !source.isOver(); count++) {
    if (count % itemsPerTurn === 0) await nextTurn()
    const result = await iterator.next()
    if (!isResult(result)) throw new TypeError("the iterator returned no result object")
    if (result.done === true || signal.aborted) return undefined
    source.onItem()
    const failure = source.take(result.value)
    if (failure !== undefined) return failure
    await hand(source.drain())
  }
  return undefined
}

const read = async <A, E>(source: Source<A, E>, signal: AbortSignal, hand: Intake.Hand<A>): Promise<E | undefined> => {
  try {
    const opened = await source.open(signal)
    if (!isIterable(opened)) throw new TypeError("the stream function returned no async iterable")
    const iterator = opened[Symbol.asyncIterator]()
    const stop = () => void letGo(iterator)
    if (signal.aborted) return void stop()
    // The signal also fires after the last item.
    signal.addEventListener("abort", stop, { once: true })
    return await readItems(source, iterator, signal, hand)
  } catch (cause) {
    return source.failed(cause)
  }
}

/** Closing the scope fires the signal and does not wait for the iterator. */
export const open = <A, E>(capacity: number, sourceOf: (cut: Intake.Cut<E>) => Source<A, E>) =>
  Intake.open<A, E>(capacity, (cut) => {
    const source = sourceOf(cut)
    return { ...source, read: (signal, hand) => read(source, signal, hand) }
  })
