/**
 * Reads the server-sent events of an HTTP answer inside one promise: neither a call nor a delta costs a fiber. The scope
 * owns the promise: closing it fires the signal and returns at once, and what still comes is dropped.
 */
import { createParser, type EventSourceMessage, type ParseError } from "eventsource-parser"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Scope from "effect/Scope"
import type { EventBuffer } from "../EventBuffer.ts"

/** `take`: the events came, but one of them could not be made sense of. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{
  readonly stage: "open" | "read" | "take"
  readonly cause: unknown
}> {}

export interface Source<A, E> {
  readonly open: (signal: AbortSignal) => Promise<Response>
  /** Before anything of the body is read. */
  readonly onAnswer: (response: Response) => void
  /** Once for each piece of the body: a comment is a sign of life as well. */
  readonly onBytes: () => void
  /** One event; a failure ends the reading. */
  readonly take: (event: EventSourceMessage) => E | undefined
  /** What the events since the last time mean. */
  readonly drain: () => ReadonlyArray<A>
  readonly failed: (error: SourceFailed) => E
  /** The source is over: hands back why that was too early. */
  readonly end: () => E | undefined
  /** Told when the reader has fallen behind, and when it has caught up. */
  readonly onWaiting: (waiting: boolean) => void
  /** Nothing is read any more. */
  readonly onClosed: () => void
}

/** Ends the reading before the source does; without a failure as if the source had. */
export type Cut<E> = (failure: E | undefined) => void

/** Characters of one event: beyond that it is not a model that talks to us. */
const longestEvent = 64 * 1024 * 1024

/** Fields that we do not know are skipped, as the standard wants it. */
const onError = (error: ParseError) => {
  if (error.type === "max-buffer-size-exceeded") throw error
}

/** The events that are whole with this piece of the body. */
const splitter = () => {
  let events: Array<EventSourceMessage> = []
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: (event) => void events.push(event), onError, maxBufferSize: longestEvent })
  return (piece: Uint8Array): ReadonlyArray<EventSourceMessage> => {
    events = []
    parser.feed(decoder.decode(piece, { stream: true }))
    return events
  }
}

/** The buffer ends with the source, fails with it, and is cut off with the scope. */
export const start = <A, E>(
  into: EventBuffer<A, E>,
  scope: Scope.Scope,
  sourceOf: (cut: Cut<E>) => Source<A, E>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const controller = new AbortController()
    const cutShort = Promise.withResolvers<E | undefined>()
    const source = sourceOf((failure) => {
      cutShort.resolve(failure)
      close()
    })
    let reading = true
    let isRead = false
    const close = () => {
      if (!reading) return
      reading = false
      source.onClosed()
      controller.abort()
    }

    const offer = async (event: A) => {
      source.onWaiting(true)
      while (!into.offer(event) && !into.isOver()) await into.room()
      source.onWaiting(false)
    }
    const hand = async (events: ReadonlyArray<A>) => {
      for (const event of events) if (!into.offer(event)) await offer(event)
    }
    const read = async (): Promise<E | undefined> => {
      let stage: SourceFailed["stage"] = "open"
      try {
        const response = await source.open(controller.signal)
        source.onAnswer(response)
        stage = "read"
        const body = response.body?.getReader()
        const split = splitter()
        while (reading) {
          const piece = await body?.read()
          if (piece === undefined || piece.done) {
            isRead = true
            break
          }
          source.onBytes()
          for (const event of split(piece.value)) {
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
    const run = async () => {
      const failed = await Promise.race([read(), cutShort.promise])
      if (reading) source.onClosed()
      reading = false
      const failure = failed ?? source.end()
      // What is left of the answer is of no interest, and would keep the connection.
      if (!isRead) controller.abort()
      // What came before a failure was said all the same.
      await hand(source.drain())
      into.done(failure === undefined ? Exit.void : Exit.fail(failure))
    }
    const shutdown = Effect.sync(() => {
      close()
      into.done(Exit.interrupt(FiberId.none))
    })
    return Effect.map(Scope.addFinalizer(scope, shutdown), () => {
      // A defect is a bug in the source, and must not leave the reader waiting.
      run().catch((defect) => into.done(Exit.die(defect)))
    })
  })
