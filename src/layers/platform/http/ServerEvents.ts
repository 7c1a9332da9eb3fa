/** Reads the server-sent events of an HTTP response into a mailbox (Intake.ts). */
import { createParser, type EventSourceMessage } from "eventsource-parser"
import * as Data from "effect/Data"
import * as Intake from "../Intake.ts"
import * as AnswerSize from "./AnswerSize.ts"

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
    const measure = AnswerSize.make(source.maxBytes)
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
