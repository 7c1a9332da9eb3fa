/** Reading the conversation, whole or in pages (protocol.md 3.7, supplement 1.3). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { AgentMessage, lastAssistantText } from "../../domain/conversation/Message.ts"
import * as MessagePages from "../../domain/conversation/MessagePages.ts"
import * as SessionContext from "../../domain/session/SessionContext.ts"
import { Session } from "../../services/session/Session.ts"
import * as Command from "../Command.ts"
import type { Link, MessageSnapshot } from "../connection/Link.ts"
import * as Cursor from "../protocol/Cursor.ts"
import { encode } from "../protocol/Frame.ts"

const Messages = Schema.Array(AgentMessage)

const getMessages = Command.make({
  name: "get_messages",
  lane: "query",
  summary: "The messages of the conversation, oldest first.",
  notes:
    "With `afterEntryId` only the messages after that entry of the active branch, at most the first `limit` of them; " +
    "`limit` alone gives the newest ones.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({
    afterEntryId: optional(Schema.String),
    limit: optional(Schema.Int.pipe(Schema.positive({ description: "a whole number of at least 1" })))
  }),
  result: Schema.Struct({ messages: Messages }),
  errors: ["entry_not_found"],
  run: Effect.fnUntraced(function* ({ afterEntryId, limit }) {
    const session = yield* Session
    if (afterEntryId === undefined) {
      const messages = yield* session.messages
      return { messages: limit === undefined ? messages : messages.slice(-limit) }
    }
    const branch = yield* session.branch
    const at = branch.findIndex(({ id }) => id === afterEntryId)
    if (at < 0) {
      return yield* new Command.CommandFailure({ code: "entry_not_found", message: `Entry not found: ${afterEntryId}` })
    }
    return { messages: MessagePages.after(branch, at).slice(0, limit) }
  })
})

/** The session, its leaf when the first page was read, and the number of messages read so far. */
const cursor = Cursor.make(
  Schema.Struct({ session: Schema.String, leaf: Schema.NullOr(Schema.String), from: Schema.NonNegativeInt }),
  "Invalid RPC message cursor"
)

const pageBytes = 768 * 1024
const utf8 = new TextEncoder()
const size = (message: AgentMessage) => utf8.encode(encode(message)).length

const failure = (code: string, message: string) => new Command.CommandFailure({ code, message })

/** Entries never change, so an old leaf always gives the same conversation. It is kept while the host reads its pages. */
const snapshotAt = Effect.fnUntraced(function* (link: Link, sessionId: string, leaf: string | null) {
  const kept = link.pages
  if (kept?.sessionId === sessionId && kept.leaf === leaf) return kept
  const session = yield* Session
  const branch = yield* Effect.mapError(session.branchTo(leaf), () =>
    failure("stale_cursor", "RPC message cursor is stale")
  )
  const snapshot: MessageSnapshot = { sessionId, leaf, messages: SessionContext.conversation(branch) }
  link.pages = snapshot
  return snapshot
})

const start = Effect.fnUntraced(function* (sent: string | undefined) {
  const session = yield* Session
  const { sessionId } = yield* session.info
  if (sent === undefined) return { session: sessionId, leaf: yield* session.leafId, from: 0 }
  const position = yield* cursor.read(sent)
  if (position.session !== sessionId) return yield* failure("stale_cursor", "RPC message cursor is stale")
  return position
})

const getMessagesPage = Command.make({
  name: "get_messages_page",
  lane: "query",
  summary: "The messages of the conversation in pages of at most `limit` (1 to 256, 100 unless given) and 768 KiB.",
  notes:
    "The response has a `nextCursor` unless this is the last page. All pages show the conversation as it was when the first was read. " +
    "A message larger than a page gets a page of its own.",
  origin: ["omp"],
  params: Schema.Struct({ cursor: optional(Schema.String), limit: optional(Schema.Number) }),
  result: Schema.Struct({ messages: Messages, nextCursor: optional(Schema.String), totalMessages: Schema.Int }),
  errors: ["invalid_cursor", "stale_cursor"],
  run: Effect.fnUntraced(function* ({ cursor: sent, limit: count = 100 }, { connection }) {
    if (!Number.isInteger(count) || count < 1 || count > 256) {
      return yield* failure("invalid_params", "RPC message page limit must be between 1 and 256")
    }
    const position = yield* start(sent)
    const link = connection.link()
    const { messages } = yield* snapshotAt(link, position.session, position.leaf)
    if (position.from > messages.length) return yield* cursor.failure()
    const end = MessagePages.endOfPage(messages, position.from, { count, bytes: pageBytes }, size)
    const isLast = end >= messages.length
    if (isLast) delete link.pages
    return {
      messages: messages.slice(position.from, end),
      ...(isLast ? {} : { nextCursor: cursor.write({ ...position, from: end }) }),
      totalMessages: messages.length
    }
  })
})

const getLastAssistantText = Command.make({
  name: "get_last_assistant_text",
  lane: "query",
  summary: "Text of the newest assistant message; `null` when there is none.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  result: Schema.Struct({ text: Schema.NullOr(Schema.String) }),
  run: Effect.fnUntraced(function* () {
    const { messages } = yield* Session
    return { text: lastAssistantText(yield* messages) }
  })
})

export const commands = [getMessages, getMessagesPage, getLastAssistantText]
