/** The list of sessions (supplement 6.4). The open one is the session that the agent is in. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { described, optional } from "../../../domain/conversation/Content.ts"
import { label } from "../../../domain/model/Model.ts"
import { Controls } from "../../../services/session/modules/Controls.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import { Session } from "../../../services/session/Session.ts"
import type { SessionSummary } from "../../../services/storage/SessionStore.ts"
import * as Command from "../../Command.ts"
import * as Cursor from "../../protocol/Cursor.ts"
import { toFailure } from "../../protocol/SessionFailures.ts"

const Listed = Schema.Struct({
  sessionId: Schema.String,
  open: described(Schema.Boolean, "Whether this process has it open."),
  isDefault: described(Schema.Boolean, "Whether commands go to it."),
  name: optional(Schema.String),
  cwd: Schema.String,
  sessionFile: optional(Schema.String),
  createdAt: described(Schema.String, "ISO 8601."),
  updatedAt: described(Schema.String, "ISO 8601."),
  messageCount: Schema.Int,
  firstMessage: optional(Schema.String),
  model: optional(Schema.String, "As `provider/id`; only for the open session.")
}).annotations({ identifier: "ListedSession", description: "A session in a list." })

const Params = Schema.Struct({
  scope: optional(Schema.Literal("open", "stored", "all")),
  cwd: optional(Schema.String),
  query: optional(Schema.String),
  cursor: optional(Schema.String),
  limit: optional(Schema.Int.pipe(Schema.between(1, 200, { description: "a whole number from 1 to 200" })))
})

/** Points at the last session of the previous page. */
const cursor = Cursor.make(Schema.Tuple(Schema.String, Schema.String), "Invalid session list cursor")

const rank = ({ sessionId, updatedAt }: SessionSummary) => `${updatedAt} ${sessionId}`
const newestFirst = (one: SessionSummary, other: SessionSummary) => (rank(one) < rank(other) ? 1 : -1)

const current = Effect.gen(function* () {
  const session = yield* Session
  const { file, header, name, sessionId } = yield* session.info
  const entries = yield* session.entries
  const newest = entries.at(-1)?.timestamp ?? ""
  const summary: SessionSummary = {
    sessionId,
    file,
    cwd: header.cwd,
    name,
    createdAt: header.timestamp,
    // A copied session is younger than its entries.
    updatedAt: newest > header.timestamp ? newest : header.timestamp,
    messageCount: entries.filter(({ type }) => type === "message").length,
    firstMessage: ""
  }
  return summary
})

const fits =
  ({ cwd, query }: typeof Params.Type) =>
  (session: SessionSummary): boolean => {
    if (cwd !== undefined && session.cwd !== cwd) return false
    const text = [session.sessionId, Option.getOrElse(session.name, () => ""), session.firstMessage].join("\n")
    return text.toLowerCase().includes((query ?? "").toLowerCase())
  }

const collect = Effect.fnUntraced(function* (scope: "open" | "stored" | "all", own: SessionSummary) {
  const sessions = yield* Sessions
  if (scope === "open") return [own]
  const stored = yield* Effect.mapError(
    Effect.flatMap(sessions.changes, ({ list }) => list),
    toFailure
  )
  return scope === "stored" || stored.some(({ sessionId }) => sessionId === own.sessionId) ? stored : [own, ...stored]
})

const toListed = (session: SessionSummary, open: boolean, model: string | undefined): typeof Listed.Type => ({
  sessionId: session.sessionId,
  open,
  isDefault: open,
  ...Option.match(session.name, { onNone: () => ({}), onSome: (name) => ({ name }) }),
  cwd: session.cwd,
  ...Option.match(session.file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) }),
  createdAt: session.createdAt,
  updatedAt: session.updatedAt,
  messageCount: session.messageCount,
  ...(session.firstMessage === "" ? {} : { firstMessage: session.firstMessage }),
  ...(open && model !== undefined ? { model } : {})
})

const listSessions = Command.make({
  name: "list_sessions",
  lane: "query",
  summary: "The open and the stored sessions, most recently used first.",
  notes:
    "`scope` is `all` unless given; `cwd` and `query` (part of the id, name or first message) filter. " +
    "The response has a `nextCursor` when there are more than `limit` (default 50): send it as `cursor` with the same filters.",
  origin: ["ours"],
  params: Params,
  result: Schema.Struct({ sessions: Schema.Array(Listed), nextCursor: optional(Schema.String) }),
  errors: ["invalid_cursor", "store_failure"],
  run: Effect.fnUntraced(function* (params) {
    const { model } = (yield* Controls).values()
    const after = params.cursor === undefined ? undefined : (yield* cursor.read(params.cursor)).join(" ")
    const own = yield* current
    const all = (yield* collect(params.scope ?? "all", own)).filter(fits(params)).toSorted(newestFirst)
    const left = after === undefined ? all : all.filter((session) => rank(session) < after)
    const page = left.slice(0, params.limit ?? 50)
    const last = page.at(-1)
    const name = model === undefined ? undefined : label(model)
    return {
      sessions: page.map((session) => toListed(session, session.sessionId === own.sessionId, name)),
      ...(last === undefined || page.length === left.length
        ? {}
        : { nextCursor: cursor.write([last.updatedAt, last.sessionId]) })
    }
  })
})

export const commands = [listSessions]
