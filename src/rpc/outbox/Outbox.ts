/**
 * The only way to the host: responses and records leave in the order in which they were offered, whole frames, as many as
 * have gathered in one write. The queue is bounded by those who fill it: the run pauses while events pile up, and the
 * reader pauses while responses do.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import type { EventSink } from "../../services/session/EventLog.ts"
import * as Backpressure from "../../services/fibers/Backpressure.ts"
import type { Transport } from "../../services/host/Transport.ts"
import * as Stopwatch from "../../services/Stopwatch.ts"
import type { Connection } from "../connection/Connection.ts"
import * as Encoder from "./Encoder.ts"
import type { Link } from "../connection/Link.ts"
import * as Chunks from "../peers/Chunks.ts"
import type * as Frame from "../protocol/Frame.ts"

/** Frames that may wait before the run does. */
const eventLead = 1024
/** Frames that may wait before the reader does: only a host that sends thousands of commands and never reads gets there. */
const responseLead = 8192
/** Characters in one write; larger batches are cut so that memory stays bounded. */
const writeSize = 256 * 1024

/** `Due`: the timer for deltas that were held back has rung. `Left`: no more will come of this session. */
type Item = Encoder.Item | { readonly _tag: "Due" } | { readonly _tag: "Left"; readonly link: Link }

/** Its events, records and responses are about the session that the host is in. */
export interface Outbox extends EventSink {
  readonly respond: (response: Frame.Response) => void
  readonly record: (frame: object) => void
  /** Takes the events of one session. */
  readonly sinkOf: (link: Link) => EventSink
  /** The host has left a session: what was held back of it goes out. */
  readonly leave: (link: Link) => void
  /** Returns when the reader may handle the next command. */
  readonly readerReady: Effect.Effect<void>
  /** Closes the queue: `run` writes the frames that wait and returns. */
  readonly end: Effect.Effect<void>
}

const isDelta = (item: Item): boolean => item._tag === "Event" && item.event._tag === "MessageUpdated"

/** Encodes items, and knows which links hold deltas back. */
const makeEncoding = (connection: Connection) => {
  const holding = new Set<Link>()
  let hasChunks = false
  const dueAt = () => {
    let first: number | undefined
    for (const { updates } of holding) {
      const at = updates.dueAt()
      if (at !== undefined && (first === undefined || at < first)) first = at
    }
    return first
  }
  const flush = (isWanted: (link: Link) => boolean): string => {
    let text = ""
    for (const link of holding) {
      if (!isWanted(link)) continue
      holding.delete(link)
      text += link.updates.flush()
    }
    return text
  }
  const encode = (item: Item, now: number): string => {
    if (item._tag === "Due") return flush(({ updates }) => (updates.dueAt() ?? Infinity) <= now)
    if (item._tag === "Left") return flush((link) => link === item.link)
    const { link } = item
    if (item._tag === "Response" && item.response.success && item.response.command === link.preferences.chunksAfter) {
      hasChunks = true
    }
    const text = Encoder.encode(connection, item, now)
    if (link.updates.dueAt() !== undefined) holding.add(link)
    return text
  }
  return { encode, flush: () => flush(() => true), dueAt, hasChunks: () => hasChunks }
}

export const make = Effect.fnUntraced(function* (transport: typeof Transport.Service, connection: Connection) {
  const items = yield* Mailbox.make<Item>()
  const events = Backpressure.make(Backpressure.sizeOf(items), eventLead)
  const responses = Backpressure.make(Backpressure.sizeOf(items), responseLead)
  const caughtUp = Effect.zipRight(events.caughtUp, responses.caughtUp)
  const encoder = makeEncoding(connection)
  const clock = yield* Effect.clock

  /**
   * The frames that break a silence wait for the turn of the event loop to end, so that the request to a model leaves
   * before the frame that the run has started. Deltas do not wait: people watch them being typed.
   */
  const take = Effect.gen(function* () {
    const [first, done] = yield* items.takeAll
    const more =
      done || Chunk.some(first, isDelta) ? Chunk.empty() : yield* Effect.zipRight(transport.gather, items.clear)
    yield* caughtUp
    return [Chunk.appendAll(first, more), done] as const
  })

  /** Held-back deltas go out in time, also when nothing follows them. One timer runs at a time. */
  let timed = false
  const ring = Effect.sync(() => {
    timed = false
    items.unsafeOffer({ _tag: "Due" })
  })
  const setTimer = (now: number) => {
    const dueAt = timed ? undefined : encoder.dueAt()
    if (dueAt === undefined) return Effect.void
    timed = true
    return Effect.fork(Effect.delay(ring, Math.max(0, dueAt - now)))
  }

  const cut = Chunks.make()
  const writeCut = Effect.fnUntraced(function* (text: string) {
    for (const lines of cut(text)) yield* transport.write(lines)
  })
  const write = (text: string) =>
    text.length > writeSize && encoder.hasChunks() ? writeCut(text) : transport.write(text)

  /** Whether it was the last. A generator of its own, because one that waits keeps what it had in hand last. */
  const writeBatch = Effect.gen(function* () {
    const [batch, done] = yield* take
    const now = Stopwatch.read(clock)
    let text = ""
    for (const item of batch) {
      text += encoder.encode(item, now)
      if (text.length < writeSize) continue
      yield* write(text)
      text = ""
    }
    if (done) text += encoder.flush()
    if (text !== "") yield* write(text)
    if (!done) yield* setTimer(now)
    return done
  })

  const writeAll = Effect.gen(function* () {
    while (!(yield* writeBatch)) yield* transport.gather
  })

  /** A host that does not read any more is not waited for. */
  const leave = Effect.zipRight(items.shutdown, caughtUp)

  const sinkOf = (link: Link): EventSink => ({
    offer: (event) => void items.unsafeOffer({ _tag: "Event", link, event }),
    ready: events.ready
  })

  const { link } = connection
  const outbox: Outbox = {
    offer: (event) => void items.unsafeOffer({ _tag: "Event", link: link(), event }),
    ready: events.ready,
    sinkOf,
    leave: (left) => void items.unsafeOffer({ _tag: "Left", link: left }),
    respond: (response) => void items.unsafeOffer({ _tag: "Response", link: link(), response }),
    record: (frame) => void items.unsafeOffer({ _tag: "Record", link: link(), frame }),
    readerReady: responses.ready,
    end: Effect.asVoid(items.end)
  }
  return { outbox, run: Effect.ensuring(writeAll, leave) }
})
