/**
 * Encodes `message_update` frames. In delta form every step is one small frame. In full form each frame repeats the whole
 * message twice, so deltas are merged until they are long enough in relation to the message (supplement 3.3): the bytes
 * stay linear in the text, and the joined deltas are exactly the text. Owned by the connection's writer.
 */
import type { AgentEvent } from "../domain/conversation/AgentEvent.ts"
import type { AssistantDraft } from "../domain/conversation/AssistantDraft.ts"
import { type Usage, zero } from "../domain/model/Usage.ts"
import type { Connection } from "./Connection.ts"
import * as DraftJson from "./DraftJson.ts"
import { updateMembers, updateType } from "./protocol/EventFrames.ts"

type MessageUpdated = Extract<AgentEvent, { readonly _tag: "MessageUpdated" }>

const bytesPerMs = (4 * 1024 * 1024) / 1000

/**
 * Above this size only time makes an update due. Otherwise a fast stream would send frames of megabytes one after the
 * other, and responses would wait behind them.
 */
const largeMessage = 256 * 1024

interface Pending {
  /** The newest of the merged events. Its draft includes all of them. */
  event: MessageUpdated
  delta: string
  readonly dueAt: number
}

export interface UpdateFrames {
  /** The frames to write for this step; "" while its delta is held back. */
  readonly push: (event: MessageUpdated, now: number) => string
  /** The frame of the deltas that are held back. It has to go before any other record. */
  readonly flush: () => string
  /** When the deltas that are held back must go out at the latest. */
  readonly dueAt: () => number | undefined
}

export const make = (connection: Connection, envelope: () => string): UpdateFrames => {
  let pending: Pending | undefined
  // Usage rarely changes between two deltas, so its JSON is kept until it does.
  let usage: Usage = zero
  let usageJson = JSON.stringify(zero)
  const json = DraftJson.make()

  /** `delta` is "" where a block starts or ends. */
  const frame = (event: MessageUpdated, members: string, delta: string): string => {
    const { draft, messageId, runId, update } = event
    if (draft.usage !== usage) {
      usage = draft.usage
      usageJson = JSON.stringify(usage)
    }
    const head = `{"type":"message_update",`
    const step = `"assistantMessageEvent":{"type":"${updateType(update)}","contentIndex":${update.contentIndex}${members}`
    const tail = `},"usage":${usageJson},"messageId":"${messageId}","runId":"${runId}"${envelope()}}\n`
    if (connection.updates === "delta") return head + step + tail
    const message = json.message(messageId, draft, delta)
    return `${head}"message":${message},${step},"partial":${message}${tail}`
  }

  const deltaFrame = (event: MessageUpdated, delta: string) =>
    frame(event, `,"delta":${DraftJson.stringify(delta)}`, delta)

  const flush = () => {
    if (pending === undefined) return ""
    const { delta, event } = pending
    pending = undefined
    return deltaFrame(event, delta)
  }

  const boundary = (event: MessageUpdated) => {
    const members = DraftJson.stringify(updateMembers(event.draft, event.update)).slice(1, -1)
    return flush() + frame(event, members === "" ? "" : `,${members}`, "")
  }

  const pace = (event: MessageUpdated, delta: string, now: number): string => {
    const size = sizeOf(event.draft)
    if (pending === undefined) pending = { event, delta, dueAt: now + Math.max(100, size / bytesPerMs) }
    else {
      pending.event = event
      pending.delta += delta
    }
    const grown = size <= largeMessage && pending.delta.length * 64 >= size
    return grown || now >= pending.dueAt ? flush() : ""
  }

  return {
    push: (event, now) => {
      if (event.update.step !== "delta") return boundary(event)
      if (connection.updates === "delta") return flush() + deltaFrame(event, event.update.delta)
      return pace(event, event.update.delta, now)
    },
    flush,
    dueAt: () => pending?.dueAt
  }
}

/** Characters are close enough to bytes for pacing. */
const sizeOf = (draft: AssistantDraft): number => {
  let size = 0
  for (const block of draft.blocks) size += block.text.length
  return size
}
