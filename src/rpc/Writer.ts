/**
 * The only way to the host: responses and session events leave in the order in which they were offered, whole frames,
 * as many as have gathered in one write. The queue is bounded by those who fill it: the run pauses while events pile
 * up, and the reader pauses while responses do.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Mailbox from "effect/Mailbox"
import type { AgentEvent } from "../domain/conversation/AgentEvent.ts"
import type { EventSink } from "../services/Agent.ts"
import * as Backpressure from "../services/fibers/Backpressure.ts"
import type { Transport } from "../services/host/Transport.ts"
import * as Stopwatch from "../services/Stopwatch.ts"
import type { Connection } from "./Connection.ts"
import * as DialectFrames from "./dialect/DialectFrames.ts"
import * as Chunks from "./peers/Chunks.ts"
import * as EventFilter from "./protocol/EventFilter.ts"
import { nameFrames } from "./protocol/EventFrames.ts"
import * as Frame from "./protocol/Frame.ts"
import { toSaidFrames } from "./subagents/SaidFrames.ts"
import * as UpdateFrames from "./UpdateFrames.ts"

/** Frames that may wait before the run does. */
const eventLead = 1024
/** Frames that may wait before the reader does: only a host that sends thousands of commands and never reads gets there. */
const responseLead = 8192
/** Characters in one write; larger batches are cut so that memory stays bounded. */
const writeSize = 256 * 1024

type Item =
  | { readonly _tag: "Response"; readonly response: Frame.Response }
  /** A record of the session that is not an agent event. */
  | { readonly _tag: "Record"; readonly frame: object }
  /** The timer for deltas that were held back has rung. */
  | { readonly _tag: "Due" }
  | AgentEvent

export interface Writer extends EventSink {
  readonly respond: (response: Frame.Response) => void
  readonly record: (frame: object) => void
  /** Returns when the reader may handle the next command. */
  readonly readerReady: Effect.Effect<void>
  /** Closes the queue: `run` writes the frames that wait and returns. */
  readonly end: Effect.Effect<void>
}

const makeEncoder = (connection: Connection) => {
  const envelope = () =>
    `,"sessionId":"${connection.sessionId}","epoch":"${connection.epoch}","seq":${++connection.seq}`
  const updates = UpdateFrames.make(connection, envelope)
  const dialect = DialectFrames.make(connection)
  const recordJson = (json: string): string => Frame.escapeSeparators(`${json.slice(0, -1)}${envelope()}}\n`)
  const isHidden = (frame: object) => connection.filter !== undefined && EventFilter.hides(connection.filter, frame)
  const record = (frame: object): string =>
    isHidden(frame)
      ? ""
      : Either.match(Frame.toJson(frame), {
          onRight: recordJson,
          onLeft: (reason) => Frame.mended(frame, reason).map(recordJson).join("")
        })
  const flushDue = (now: number): string => {
    const dueAt = updates.dueAt()
    return dueAt !== undefined && dueAt <= now ? updates.flush() : ""
  }
  let hasChunks = false
  const answer = (response: Frame.Response): string => {
    if (response.success && response.command === connection.chunksAfter) hasChunks = true
    const answered = dialect.answer(response)
    return "response" in answered ? Frame.encodeResponse(answered.response) : updates.flush() + record(answered.record)
  }
  /** Held-back deltas go before every record that follows them. A response is no record, and overtakes them. */
  const encode = (item: Item, now: number): string => {
    switch (item._tag) {
      case "MessageUpdated":
        return updates.push(item, now)
      case "Response":
        return answer(item.response)
      case "Record":
        return updates.flush() + record(item.frame)
      case "Due":
        return flushDue(now)
      case "SubagentSaid":
        // Also after the host has asked for less: some may have waited here.
        return connection.subagents === "events" ? updates.flush() + toSaidFrames(item).map(record).join("") : ""
      case "SessionNamed":
        return updates.flush() + nameFrames(item.name).map(record).join("")
      case "SessionChanged": {
        // Records before this place belong to the old session, records after it to the new one.
        const last = updates.flush()
        const { epoch, sessionFile, sessionId } = item
        Object.assign(connection, { sessionId, epoch, sessionFile, seq: 0 })
        // Its pages are stale for the host, and would keep the conversation in memory.
        delete connection.pages
        return last
      }
      case "CommandsChanged": {
        // At the start, the list is offered by the server and by the session that it was registered in.
        if (item.commands === connection.commands) return ""
        connection.commands = item.commands
        return updates.flush() + dialect.toFrames(item).map(record).join("")
      }
      default:
        if (item._tag === "PersistFailed") connection.sessionFile = item.movedTo ?? connection.sessionFile
        return updates.flush() + dialect.toFrames(item).map(record).join("")
    }
  }
  return { encode, flush: updates.flush, dueAt: updates.dueAt, hasChunks: () => hasChunks }
}

const isDelta = ({ _tag }: Item): boolean => _tag === "MessageUpdated"

export const make = Effect.fnUntraced(function* (transport: typeof Transport.Service, connection: Connection) {
  const items = yield* Mailbox.make<Item>()
  const events = Backpressure.make(Backpressure.sizeOf(items), eventLead)
  const responses = Backpressure.make(Backpressure.sizeOf(items), responseLead)
  const caughtUp = Effect.zipRight(events.caughtUp, responses.caughtUp)
  const encoder = makeEncoder(connection)
  const clock = yield* Effect.clock

  /**
   * The frames that break a silence wait for the turn of the event loop to end, so that the request to a model leaves
   * before the host is told that the run has started. Deltas do not wait: people watch them being typed.
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

  /** Tells whether it was the last. A generator of its own, because one that waits keeps what it had in hand last. */
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

  const writer: Writer = {
    offer: (event) => void items.unsafeOffer(event),
    ready: events.ready,
    respond: (response) => void items.unsafeOffer({ _tag: "Response", response }),
    record: (frame) => void items.unsafeOffer({ _tag: "Record", frame }),
    readerReady: responses.ready,
    end: Effect.asVoid(items.end)
  }
  return { writer, run: Effect.ensuring(writeAll, leave) }
})
