/** Reads the server-sent events of an HTTP response into a mailbox (Intake.ts). */
import * as Data from "effect/Data"
import { createParser, type EventSourceMessage } from "eventsource-parser"
import * as Engine from "../Engine.ts"
import * as Intake from "../Intake.ts"
import { AnswerTooLarge } from "./SafeFetch.ts"

/** No model sends an event longer than this. A single event takes several times its size in memory. */
const longestEvent = 16 * 1024 * 1024

/**
 * How much may be read before memory is given back. A model takes minutes to write as much, so this is for servers that
 * send as fast as they can: the garbage of 64 MB came to several hundred.
 */
const reliefBytes = 8 * 1024 * 1024

/** Takes the length of each piece and the number of events in it. Throws `AnswerTooLarge`. */
const makeAnswerSize = (maxBytes: number) => {
  let size = 0
  let sinceEvent = 0
  let sinceRelief = 0
  return (bytes: number, events: number): void => {
    size += bytes
    sinceEvent = events === 0 ? sinceEvent + bytes : 0
    sinceRelief += bytes
    if (size > maxBytes) throw new AnswerTooLarge({ limit: maxBytes, what: "answer" })
    if (sinceEvent > longestEvent) throw new AnswerTooLarge({ limit: longestEvent, what: "event" })
    if (sinceRelief < reliefBytes) return
    sinceRelief = 0
    Engine.collectGarbage()
  }
}

/** `open`: the request failed. `read`: the connection broke. `take`: the source threw on an event. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{
  readonly stage: "open" | "read" | "take"
  readonly cause: unknown
}> {}

export interface Source<A, E> extends Intake.Ends<A, E> {
  /** The reading fails when the body is longer, decompressed. */
  readonly maxBytes: number
  readonly open: (signal: AbortSignal) => Promise<Response>
  /** Called before the body is read. */
  readonly onAnswer: (response: Response) => void
  /** Called for each piece of the body, even if it holds no event: a comment shows that the server is alive. */
  readonly onBytes: () => void
  /** Takes one event; a failure ends the reading. */
  readonly take: (event: EventSourceMessage) => E | undefined
  readonly failed: (error: SourceFailed) => E
}

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
  signal: AbortSignal,
  hand: Intake.Hand<A>
): Promise<E | undefined> => {
  let stage: SourceFailed["stage"] = "open"
  try {
    const response = await source.open(signal)
    source.onAnswer(response)
    stage = "read"
    const body = response.body?.getReader()
    const split = splitter()
    const measure = makeAnswerSize(source.maxBytes)
    while (!signal.aborted) {
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

/** Starts to read. The mailbox ends or fails with the body; closing the scope fires the signal. */
export const open = <A, E>(capacity: number, sourceOf: (cut: Intake.Cut<E>) => Source<A, E>) =>
  Intake.open<A, E>(capacity, (cut) => {
    const source = sourceOf(cut)
    return { ...source, read: (signal, hand) => readBody(source, signal, hand) }
  })
