/**
 * Reads the server-sent events of an HTTP response into a mailbox, inside one promise: neither a call nor a delta costs
 * a fiber. Only a full mailbox does, because the promise then waits for room.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Mailbox from "effect/Mailbox"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as AnswerSize from "./AnswerSize.ts"

/** `open`: the request failed. `read`: the connection broke. `take`: the source threw on an event. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{
  readonly stage: "open" | "read" | "take"
  readonly cause: unknown
}> {}

export interface Source<A, E> {
  /** The reading fails when the body is longer, decompressed. */
  readonly maxBytes: number
  readonly open: (signal: AbortSignal) => Promise<Response>
  /** Called before the body is read. */
  readonly onAnswer: (response: Response) => void
  /** Called for each piece of the body, even if it holds no event: a comment shows that the server is alive. */
  readonly onBytes: () => void
  /** Takes one event; a failure ends the reading. */
  readonly take: (event: EventSourceMessage) => E | undefined
  /** The messages that the events since the last call amount to. */
  readonly drain: () => ReadonlyArray<A>
  readonly failed: (error: SourceFailed) => E
  /** The body has ended: returns a failure if that was too early. */
  readonly end: () => E | undefined
  /** Called when the reader has fallen behind, and when it has caught up. */
  readonly onWaiting: (waiting: boolean) => void
  /** Nothing is read any more. Called once. */
  readonly onClosed: () => void
}

/** Ends the reading early: with a failure, or as if the body had ended. */
export type Cut<E> = (failure: E | undefined) => void

/** Returns the events that a piece of the body completes. Skips unknown fields, as the standard wants. */
const splitter = () => {
  let events: Array<EventSourceMessage> = []
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: (event) => void events.push(event) })
  return (piece: Uint8Array): ReadonlyArray<EventSourceMessage> => {
    events = []
    parser.feed(decoder.decode(piece, { stream: true }))
    return events
  }
}

/** Reads the body until it ends or fails; returns the failure. `hand` waits while the mailbox is full. */
const readBody = async <A, E>(
  source: Source<A, E>,
  controller: AbortController,
  hand: (messages: ReadonlyArray<A>) => Promise<void>
): Promise<E | undefined> => {
  let stage: SourceFailed["stage"] = "open"
  try {
    const response = await source.open(controller.signal)
    source.onAnswer(response)
    stage = "read"
    const body = response.body?.getReader()
    const split = splitter()
    const measure = AnswerSize.make(source.maxBytes)
    while (!controller.signal.aborted) {
      const piece = await body?.read()
      if (piece === undefined || piece.done) break
      source.onBytes()
      const events = split(piece.value)
      measure(piece.value.length, events.length)
      for (const event of events) {
        stage = "take"
        const failure = source.take(event)
        if (failure !== undefined) return failure
      }
      stage = "read"
      await hand(source.drain())
    }
    return undefined
  } catch (cause) {
    return source.failed(new SourceFailed({ stage, cause }))
  }
}

/**
 * Starts to read. The mailbox ends or fails with the body. Closing the scope fires the signal, interrupts a reader that
 * waits, and returns at once.
 */
export const open = Effect.fnUntraced(function* <A, E>(capacity: number, sourceOf: (cut: Cut<E>) => Source<A, E>) {
  const mailbox = yield* Mailbox.make<A, E>(capacity)
  const runPromise = Runtime.runPromise(yield* Effect.runtime<never>())
  const controller = new AbortController()
  const cutShort = Promise.withResolvers<E | undefined>()
  const source = sourceOf(cutShort.resolve)
  let isOpen = true
  /** Without the signal, the rest of a body that nobody reads would keep the connection. */
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
    const failed = await Promise.race([readBody(source, controller, hand), cutShort.promise])
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
