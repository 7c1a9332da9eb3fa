/**
 * Encodes `message_update` frames. In delta form every step is one small frame; the omp family has `message.role` in it, too. In full form each frame repeats the whole
 * message twice, so deltas are merged until they are long enough in relation to the message (supplement 3.3): the bytes
 * stay linear in the text, and the joined deltas are exactly the text. Blocks begin and end at once, until that has cost
 * too much in one message; from then on a block that came and went between two updates is only in `message`. Owned by
 * a link.
 */
import * as Json from "../../domain/Json.ts"
import type { EventOf } from "../../domain/conversation/AgentEvent.ts"
import type { Update } from "../../domain/conversation/AssistantDraft.ts"
import * as Blocks from "../../domain/conversation/Blocks.ts"
import * as UpdateStep from "../../domain/conversation/UpdateStep.ts"
import { type Usage, zero } from "../../domain/model/Usage.ts"
import * as DraftJson from "./DraftJson.ts"
import type { UpdateForm } from "../connection/Preferences.ts"

type MessageUpdated = EventOf<"MessageUpdated">

const bytesPerMs = (4 * 1024 * 1024) / 1000

/**
 * Above this size only time makes an update due. Otherwise a fast stream would send frames of megabytes one after the
 * other, and responses would wait behind them.
 */
const largeMessage = 256 * 1024

/** What the frames at the bounds of blocks may cost in one message before they are held back, too. */
const mostForBounds = 16 * 1024 * 1024

/** Steps of the last block that are held back. */
interface Pending {
  /** The newest of them. Its draft includes all. */
  event: MessageUpdated
  /** Whether the start of the block was not sent yet. */
  readonly isNew: boolean
  delta: string
  isEnded: boolean
  readonly dueAt: number
}

export interface UpdateFrames {
  /** The frames to write for this step; "" while it is held back. */
  readonly push: (event: MessageUpdated, now: number) => string
  /** The frames of the steps that are held back. They have to go before any other record. */
  readonly flush: () => string
  /** When the steps that are held back must go out at the latest. */
  readonly dueAt: () => number | undefined
}

const dueFor = ({ draft }: MessageUpdated, now: number) => now + Math.max(100, Blocks.sizeOf(draft.blocks) / bytesPerMs)

/** `form` is the one that the host wants by now, and `envelope` the last members of the next frame. */
export const make = (form: () => UpdateForm | "role" | "none", envelope: () => string): UpdateFrames => {
  let pending: Pending | undefined
  /** The message at hand, and what the bounds of its blocks have cost. */
  let messageId = ""
  let spent = 0
  // Usage rarely changes between two deltas, so its JSON is kept until it does.
  let usage: Usage = zero
  let usageJson = Json.stringify(zero)
  const json = DraftJson.make()

  /** `delta` is "" where a block starts or ends. */
  const frame = (event: MessageUpdated, update: Update, members: string, delta: string): string => {
    const { draft, messageId, runId } = event
    if (draft.usage !== usage) {
      usage = draft.usage
      usageJson = Json.stringify(usage)
    }
    const head = `{"type":"message_update",`
    const step = `"assistantMessageEvent":{"type":"${UpdateStep.typeOf(update)}","contentIndex":${update.contentIndex}${members}`
    const tail = `},"usage":${usageJson},"messageId":"${messageId}","runId":"${runId}"${envelope()}}\n`
    const wanted = form()
    if (wanted === "delta") return head + step + tail
    if (wanted === "role") return `${head}"message":{"role":"assistant"},${step}${tail}`
    const message = json.message(messageId, draft, delta)
    return `${head}"message":${message},${step},"partial":${message}${tail}`
  }

  const deltaFrame = (event: MessageUpdated, update: Update, delta: string) =>
    frame(event, update, `,"delta":${DraftJson.stringify(delta)}`, delta)

  const boundFrame = (event: MessageUpdated, update: Update): string => {
    const members = DraftJson.stringify(UpdateStep.boundMembers(event.draft, update)).slice(1, -1)
    return frame(event, update, members === "" ? "" : `,${members}`, "")
  }

  const flush = () => {
    if (pending === undefined) return ""
    const { delta, event, isEnded, isNew } = pending
    const { contentIndex, kind } = event.update
    pending = undefined
    if (form() === "none") return ""
    const started = isNew ? boundFrame(event, { kind, contentIndex, step: "start" }) : ""
    const gained = delta === "" ? "" : deltaFrame(event, { kind, contentIndex, step: "delta", delta }, delta)
    return started + gained + (isEnded ? boundFrame(event, { kind, contentIndex, step: "end" }) : "")
  }

  const flushIfDue = (now: number) => (pending !== undefined && now >= pending.dueAt ? flush() : "")

  const holdBound = (event: MessageUpdated, now: number): string => {
    if (event.update.step === "end") {
      pending ??= { event, isNew: false, delta: "", isEnded: true, dueAt: dueFor(event, now) }
      pending.event = event
      pending.isEnded = true
      return flushIfDue(now)
    }
    // A block of which the host knows is brought to its end. Another one is in the message, and that is enough.
    const before = pending?.isNew === false ? flush() : ""
    pending = { event, isNew: true, delta: "", isEnded: false, dueAt: pending?.dueAt ?? dueFor(event, now) }
    return before + flushIfDue(now)
  }

  const bound = (event: MessageUpdated, now: number): string => {
    if (event.messageId !== messageId) {
      messageId = event.messageId
      spent = 0
    }
    if (spent > mostForBounds && form() === "full") return holdBound(event, now)
    const held = flush()
    const text = boundFrame(event, event.update)
    spent += text.length
    return held + text
  }

  const pace = (event: MessageUpdated, delta: string, now: number): string => {
    if (pending === undefined) pending = { event, isNew: false, delta, isEnded: false, dueAt: dueFor(event, now) }
    else {
      pending.event = event
      pending.delta += delta
    }
    const size = Blocks.sizeOf(event.draft.blocks)
    const isGrown = !pending.isNew && size <= largeMessage && pending.delta.length * 64 >= size
    return isGrown ? flush() : flushIfDue(now)
  }

  return {
    push: (event, now) => {
      const { update } = event
      const wanted = form()
      if (wanted === "none") return flush()
      if (update.step !== "delta") return bound(event, now)
      if (wanted !== "full") return flush() + deltaFrame(event, update, update.delta)
      return pace(event, update.delta, now)
    },
    flush,
    dueAt: () => pending?.dueAt
  }
}
