/** Reads the server-sent events of an HTTP answer. */
import { createParser, type EventSourceMessage } from "eventsource-parser"
import * as Effect from "effect/Effect"
import * as Engine from "../engine/Engine.ts"
import { failed, type Pull, type Source, type SourceFailed } from "../engine/Source.ts"
import { AnswerTooLarge } from "./SafeFetch.ts"

/** No model sends an event longer than this. A single event takes several times its size in memory. */
const longestEvent = 16 * 1024 * 1024

/**
 * How much may be read before memory is given back. A model takes minutes to write as much, so this is for servers that
 * send as fast as they can: the garbage of 64 MB came to several hundred.
 */
const reliefBytes = 8 * 1024 * 1024

/** Takes the length of each piece and the number of events in it. */
const makeAnswerSize = (maxBytes: number) => {
  let size = 0
  let sinceEvent = 0
  let sinceRelief = 0
  return (bytes: number, events: number): AnswerTooLarge | undefined => {
    size += bytes
    sinceEvent = events === 0 ? sinceEvent + bytes : 0
    sinceRelief += bytes
    if (size > maxBytes) return new AnswerTooLarge({ limit: maxBytes, what: "answer" })
    if (sinceEvent > longestEvent) return new AnswerTooLarge({ limit: longestEvent, what: "event" })
    if (sinceRelief >= reliefBytes) {
      sinceRelief = 0
      Engine.collectGarbage()
    }
    return undefined
  }
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

const pull = (body: ReadableStream<Uint8Array>, maxBytes: number): Pull<EventSourceMessage> => {
  const reader = body.getReader()
  const split = splitter()
  const tooLarge = makeAnswerSize(maxBytes)
  const next = Effect.tryPromise({ try: () => reader.read(), catch: failed("read") })
  return Effect.flatMap(next, ({ done, value }) => {
    if (done) return Effect.succeed(undefined)
    const events = split(value)
    const problem = tooLarge(value.length, events.length)
    return problem === undefined ? Effect.succeed(events) : failed("read")(problem)
  })
}

/**
 * The events of one piece of the body at a time. The reading fails when the body is longer than this, decompressed. Only the
 * signal lets go of the connection before its end.
 */
export const source =
  (
    open: (signal: AbortSignal) => Effect.Effect<Response, SourceFailed>,
    maxBytes: number
  ): Source<EventSourceMessage> =>
  (signal) =>
    Effect.map(open(signal), ({ body }) => (body === null ? Effect.succeed(undefined) : pull(body, maxBytes)))
