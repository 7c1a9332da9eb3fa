/**
 * The only way to the host: responses and session events leave in the order in which they were offered, whole frames,
 * as many as have gathered in one write. What waits is bounded: the run pauses while events pile up, the reader while
 * responses do.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../domain/conversation/AgentEvent.ts"
import * as Backlog from "../services/Backlog.ts"
import type { EventSink } from "../services/Agent.ts"
import type { Transport } from "../services/host/Transport.ts"
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
  /** What was held back may be due. */
  | { readonly _tag: "Due" }
  | AgentEvent

type Due = Extract<Item, { readonly _tag: "Due" }>
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
  /**
   * What breaks a silence waits for the end of the turn of the event loop that it came in, so that a request to a model
   * is out before the run is told about. What people see being typed does not wait.
   */
  let hurry = false
  const backlog = Backlog.make<Item>(eventLead, (go) => (hurry ? go() : transport.gather(go)))
  const gather = Effect.async<void>((resume) => transport.gather(() => resume(Effect.void)))
  let responses = 0
  const responsesTaken = Effect.unsafeMakeLatch(true)
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
  const encode = (item: Exclude<Item, SessionChanged | Due>, now: number): string => {
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

  const takeResponses = () => {
    if (responses > responseLead) responsesTaken.unsafeOpen()
    responses = 0
  }

  /** Held-back deltas go out in time, also when nothing else comes. One timer at a time, whatever is held back meanwhile. */
  let timed = false
  const wakeAt = (dueAt: number, now: number) => {
    timed = true
    const wake = Effect.sync(() => {
      timed = false
      backlog.offer({ _tag: "Due" })
    })
    return Effect.fork(Effect.zipRight(Effect.sleep(Math.max(0, dueAt - now)), wake))
  }

  const flushDue = (now: number): string => {
    const dueAt = updates.dueAt()
    return dueAt !== undefined && dueAt <= now ? updates.flush() : ""
  }

  const run = Effect.gen(function* () {
    const clock = yield* Effect.clock
    while (true) {
      yield* gather
      const items = yield* backlog.takeAll
      hurry = false
      takeResponses()
      const now = clock.unsafeCurrentTimeMillis()
      let text = ""
      for (const item of items) {
        if (item._tag === "SessionChanged") {
          text += updates.flush()
          yield* enter(item)
        } else text += item._tag === "Due" ? flushDue(now) : encode(item, now)
        if (text.length < writeSize) continue
        yield* transport.write(text)
        text = ""
      }
      if (items.length === 0) text = updates.flush()
      if (text !== "") yield* transport.write(text)
      if (items.length === 0) return
      const dueAt = timed ? undefined : updates.dueAt()
      if (dueAt !== undefined) yield* wakeAt(dueAt, now)
    }
  })

  let offered = 0
  const offer = (item: Item) => {
    offered++
    if (item._tag === "MessageUpdated") hurry = true
    backlog.offer(item)
  }

  const writer: Writer = {
    offer,
    ready: backlog.ready,
    respond: (response) => {
      backlog.offer({ _tag: "Response", response })
      if (++responses > responseLead) responsesTaken.unsafeClose()
    },
    record: (frame) => offer({ _tag: "Record", frame }),
    readerReady: () => (responses > responseLead ? responsesTaken.await : undefined),
    offered: () => offered,
    end: backlog.end
  }
  return { writer, run }
}
