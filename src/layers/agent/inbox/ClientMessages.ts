/**
 * Client messages: those with a clientMessageId, so that sending one again has no effect (supplement 6.3). The ids are
 * stored with the messages; this index is built from the session's entries when it is first used.
 */
import * as Effect from "effect/Effect"
import type { PromptEnd } from "../../../domain/conversation/AgentEvent.ts"
import type { InputContent } from "../../../domain/conversation/Content.ts"
import type { AssistantMessage } from "../../../domain/conversation/Message.ts"
import * as QueueEntries from "../../../domain/session/QueueEntries.ts"
import type { SessionEntry } from "../../../domain/session/SessionEntry.ts"
import { type AcceptedReceipt, ClientMessageConflict } from "../../../services/Agent.ts"
import type { Session } from "../../../services/session/Session.ts"

export interface ClientMessage {
  readonly content: ReadonlyArray<InputContent>
  readonly receipt: AcceptedReceipt
  end?: PromptEnd
}

const same = (one: ReadonlyArray<InputContent>, other: ReadonlyArray<InputContent>): boolean =>
  one.length === other.length &&
  one.every((block, at) => {
    const twin = other[at]
    if (block.type === "text") return twin?.type === "text" && twin.text === block.text
    return twin?.type === "image" && twin.data === block.data && twin.mimeType === block.mimeType
  })

const endOf = ({ errorMessage, stopReason }: AssistantMessage): PromptEnd => {
  if (stopReason === "error") return { status: "error", error: { message: errorMessage ?? "", retryable: false } }
  return { status: stopReason === "aborted" || stopReason === "toolUse" ? "aborted" : "completed" }
}

type Index = Map<string, ClientMessage>

const aborted: PromptEnd = { status: "aborted" }

/** A message that left the queue undelivered ended as aborted. */
const noteQueued = (entry: QueueEntries.QueueEntry, known: Index, byMessage: Index) => {
  const { items, op } = QueueEntries.read(entry)
  for (const { clientMessageId, content, messageId } of items) {
    const earlier = byMessage.get(messageId)
    if (op === "remove" && earlier !== undefined) earlier.end = aborted
    if (op === "remove" || earlier !== undefined || clientMessageId === undefined) continue
    const message: ClientMessage = { content, receipt: { disposition: "queued", messageId, clientMessageId } }
    known.set(clientMessageId, message)
    byMessage.set(messageId, message)
  }
}

/** Rebuilds the index. The last answer before the next user message tells how a prompt ended. */
const restore = (entries: ReadonlyArray<SessionEntry>, byMessage: Index): Index => {
  const known: Index = new Map()
  let last: ClientMessage | undefined
  for (const entry of entries) {
    if (QueueEntries.isQueueEntry(entry)) noteQueued(entry, known, byMessage)
    if (entry.type !== "message") continue
    const { clientMessageId, message, messageId = entry.id } = entry
    if (message.role === "assistant" && last !== undefined) last.end = endOf(message)
    if (message.role !== "user") continue
    last = byMessage.get(messageId)
    if (last !== undefined) last.end = aborted
    if (last !== undefined || clientMessageId === undefined) continue
    const receipt: AcceptedReceipt = { disposition: "started", messageId, clientMessageId }
    last = { content: message.content, receipt, end: aborted }
    known.set(clientMessageId, last)
  }
  return known
}

export type ClientMessages = ReturnType<typeof make>

export const make = (session: typeof Session.Service) => {
  let byName: Index | undefined
  const byMessage: Index = new Map()

  const known = Effect.suspend(() =>
    byName === undefined
      ? Effect.map(session.entries, (entries) => (byName ??= restore(entries, byMessage)))
      : Effect.succeed(byName)
  )

  return {
    /** Builds the index. A handoff calls it first, because the next log has only some of the entries. */
    load: Effect.asVoid(known),
    isLoaded: () => byName !== undefined,
    isKnown: (clientMessageId: string) => Effect.map(known, (names) => names.has(clientMessageId)),
    /** The earlier message with this id. Other content with the same id is a conflict. */
    find: (clientMessageId: string, content: ReadonlyArray<InputContent>) =>
      Effect.flatMap(known, (names): Effect.Effect<ClientMessage | undefined, ClientMessageConflict> => {
        const found = names.get(clientMessageId)
        if (found === undefined || same(found.content, content)) return Effect.succeed(found)
        return new ClientMessageConflict({ clientMessageId })
      }),
    /** To be called after `find`. */
    remember: (message: ClientMessage) => {
      const { clientMessageId, messageId } = message.receipt
      if (clientMessageId === undefined) return
      byName?.set(clientMessageId, message)
      byMessage.set(messageId, message)
    },
    ended: (messageId: string, end: PromptEnd) => {
      const message = byMessage.get(messageId)
      if (message !== undefined) message.end = end
    }
  }
}
