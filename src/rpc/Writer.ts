/**
 * The only way to the host: responses and session events leave in the order in which they were offered, whole frames,
 * as many as have gathered in one write. What waits is bounded: the run pauses while events pile up, the reader while
 * responses do.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AgentEvent } from "../domain/AgentEvent.ts"
import * as Backlog from "../services/Backlog.ts"
import type { EventSink } from "../services/Agent.ts"
import type { Transport } from "../services/Transport.ts"
import type { Connection } from "./Connection.ts"
import { nameFrames, toFrames } from "./protocol/EventFrames.ts"
import * as Frame from "./protocol/Frame.ts"
import * as UpdateFrames from "./UpdateFrames.ts"

/** Events that may wait before the run does. */
const eventLead = 1024
/** Responses that may wait before the reader does: only a host that never reads gets that far. */
const responseLead = 8192
/** Characters in one write; larger batches are cut so that memory stays bounded. */
const writeSize = 256 * 1024

type Item =
  | { readonly _tag: "Response"; readonly response: Frame.Response }
  /** A record of the session that is not an agent event. */
  | { readonly _tag: "Record"; readonly frame: object }
  | AgentEvent

type SessionChanged = Extract<AgentEvent, { readonly _tag: "SessionChanged" }>

export interface Writer extends EventSink {
  readonly respond: (response: Frame.Response) => void
  readonly record: (frame: object) => void
  /** What to wait for before more is read: only a host that left thousands of responses unread has to. */
  readonly readerReady: () => Effect.Effect<void> | undefined
  /** How many events and records were offered so far. */
  readonly offered: () => number
  /** Nothing more will be offered: `run` writes what is left and returns. */
  readonly end: () => void
}

export const make = (transport: typeof Transport.Service, connection: Connection, newEpoch: Effect.Effect<string>) => {
  const backlog = Backlog.make<Item>(eventLead)
  const responses = Backlog.make<null>(responseLead)
  const envelope = () =>
    `,"sessionId":"${connection.sessionId}","epoch":"${connection.epoch}","seq":${++connection.seq}`
  const updates = UpdateFrames.make(connection, envelope)

  const record = (frame: object): string => {
    const json = JSON.stringify(frame)
    return Frame.escapeSeparators(`${json.slice(0, -1)}${envelope()}}\n`)
  }

  /** The same data as in the response before is not encoded again. */
  let latest: { readonly data: unknown; readonly json: string } | undefined
  const respond = (response: Frame.Response): string => {
    const { data } = response
    if (!response.success || typeof data !== "object" || data === null) return Frame.encode(response)
    if (latest?.data !== data) latest = { data, json: Frame.escapeSeparators(JSON.stringify(data)) }
    return Frame.encodeAnswer(response, latest.json)
  }

  /** Held-back deltas come before every record that follows them. An answer is no record, and does not wait for them. */
  const encode = (item: Exclude<Item, SessionChanged>, now: number): string => {
    switch (item._tag) {
      case "MessageUpdated":
        return updates.push(item, now)
      case "Response":
        return respond(item.response)
      case "Record":
        return updates.flush() + record(item.frame)
      case "SessionNamed":
        return updates.flush() + nameFrames(item.name).map(record).join("")
      default:
        return updates.flush() + toFrames(item).map(record).join("")
    }
  }

  /** Its place among the events decides to which session a record belongs. */
  const enter = ({ sessionId }: SessionChanged) =>
    Effect.map(newEpoch, (epoch) => Object.assign(connection, { sessionId, epoch, seq: 0 }))

  const writeAll = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    const now = yield* Clock.currentTimeMillis
    let text = ""
    for (const item of items) {
      if (item._tag === "SessionChanged") {
        text += updates.flush()
        yield* enter(item)
        continue
      }
      text += encode(item, now)
      if (text.length >= writeSize) {
        yield* transport.write(text)
        text = ""
      }
    }
    if (text !== "") yield* transport.write(text)
  })

  /** Waits for something to write, or until held-back deltas are due. */
  const take = Effect.gen(function* () {
    const dueAt = updates.dueAt()
    if (dueAt === undefined) return Option.some(yield* backlog.takeAll)
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.timeoutOption(backlog.takeAll, Math.max(0, dueAt - now))
  })

  const run = Effect.gen(function* () {
    while (true) {
      yield* transport.gather
      const taken = yield* take
      yield* responses.size() > 0 ? responses.takeAll : Effect.void
      const ended = Option.isSome(taken) && taken.value.length === 0
      if (Option.isSome(taken) && !ended) yield* writeAll(taken.value)
      else if (updates.dueAt() !== undefined) yield* transport.write(updates.flush())
      if (ended) return
    }
  })

  let offered = 0
  const offer = (item: Item) => {
    offered++
    backlog.offer(item)
  }

  const writer: Writer = {
    offer,
    ready: backlog.ready,
    respond: (response) => {
      backlog.offer({ _tag: "Response", response })
      responses.offer(null)
    },
    record: (frame) => offer({ _tag: "Record", frame }),
    readerReady: () => (responses.size() > responseLead ? responses.ready : undefined),
    offered: () => offered,
    end: backlog.end
  }
  return { writer, run }
}
