/**
 * Reads messages from outside into a mailbox, inside one promise: neither a call nor a message costs a fiber. Only a full
 * mailbox does, because the promise then waits for room.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Mailbox from "effect/Mailbox"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Engine from "./Engine.ts"
import { race } from "./Primordials.ts"

/** Hands messages over; waits while the mailbox is full. */
export type Hand<A> = (messages: ReadonlyArray<A>) => Promise<void>

/** Ends the reading early: with a failure, or as if the source had ended. */
export type Cut<E> = (failure: E | undefined) => void

export interface Ends<A, E> {
  /** The messages since the last call. */
  readonly drain: () => ReadonlyArray<A>
  /** The source has ended: returns a failure if that was too early. */
  readonly end: () => E | undefined
  /** Called when the reader has fallen behind, and when it has caught up. */
  readonly onWaiting: (waiting: boolean) => void
  /** Nothing is read any more. Called once. */
  readonly onClosed: () => void
}

export interface Source<A, E> extends Ends<A, E> {
  /** Reads until the source ends or fails, or the signal fires; returns the failure. Does not reject. */
  readonly read: (signal: AbortSignal, hand: Hand<A>) => Promise<E | undefined>
}

/**
 * Starts to read. The mailbox ends or fails with the source. Closing the scope fires the signal, interrupts a reader that
 * waits, and returns at once.
 */
export const open = Effect.fnUntraced(function* <A, E>(capacity: number, sourceOf: (cut: Cut<E>) => Source<A, E>) {
  const mailbox = yield* Mailbox.make<A, E>(capacity)
  const runPromise = Runtime.runPromise(yield* Effect.runtime<never>())
  const controller = new AbortController()
  const cutShort = Engine.deferred<E | undefined>()
  const source = sourceOf(cutShort.resolve)
  let isOpen = true
  /** Without the signal, the unread rest of a source would keep its connection. */
  const close = () => {
    if (!isOpen) return
    isOpen = false
    source.onClosed()
    controller.abort()
  }
  const hand = async (messages: ReadonlyArray<A>) => {
    if (messages.length === 0) return
    const left = mailbox.unsafeOfferAll(messages)
    if (left.length === 0) return
    source.onWaiting(true)
    await runPromise(mailbox.offerAll(left))
    source.onWaiting(false)
  }
  const run = async () => {
    const failed = await race([source.read(controller.signal, hand), cutShort.promise])
    close()
    const failure = failed ?? source.end()
    // Messages that came before a failure count.
    await hand(source.drain())
    mailbox.unsafeDone(failure === undefined ? Exit.void : Exit.fail(failure))
  }
  // Not Effect.addFinalizer: that one compares all FiberRefs of the fiber, which took 0.2 ms of every call.
  const end = Effect.suspend(() => {
    close()
    mailbox.unsafeDone(Exit.interrupt(FiberId.none))
    return mailbox.shutdown
  })
  yield* Scope.addFinalizer(yield* Effect.scope, end)
  // A defect is a bug in the source, and must not leave the reader waiting.
  run().catch((defect) => mailbox.unsafeDone(Exit.die(defect)))
  const messages: Mailbox.ReadonlyMailbox<A, E> = mailbox
  return messages
})
