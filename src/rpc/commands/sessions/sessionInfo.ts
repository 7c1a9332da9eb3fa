/** The name of the session, its figures, and its page for people to read (protocol.md 3.7, 9.8). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/conversation/Content.ts"
import * as ContextTokens from "../../../domain/compaction/ContextTokens.ts"
import type { Model } from "../../../domain/model/Model.ts"
import * as SessionStats from "../../../domain/session/SessionStats.ts"
import { defined } from "../../../domain/Values.ts"
import { Controls } from "../../../services/session/modules/Controls.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import { Session } from "../../../services/session/Session.ts"
import { SessionExport } from "../../../services/storage/SessionExport.ts"
import * as Command from "../../Command.ts"
import { toFailure } from "../../protocol/SessionFailures.ts"

const setSessionName = Command.make({
  name: "set_session_name",
  lane: "ordered",
  summary: "Names the session: on one line, without control characters.",
  notes: "Announced by `session_info_changed` and `session_info_update`.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ name: Schema.String }),
  errors: ["invalid_name"],
  run: Effect.fnUntraced(function* ({ name }) {
    const sessions = yield* Effect.flatMap(Sessions, ({ changes }) => changes)
    yield* Effect.mapError(sessions.rename(name), toFailure)
  })
})

const getSessionStats = Command.make({
  name: "get_session_stats",
  lane: "query",
  summary: "The number of messages, and the tokens and cost of the session.",
  notes:
    "Counts the messages that the model is shown. `tokens` and `cost` add up every model call on the active branch, including " +
    "failed attempts and messages that were compacted away; `allBranches` adds the other branches, too, and never shrinks. " +
    "`contextUsage.tokens` is `null` after a compaction until the next model call has counted them.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  result: Schema.Struct({
    sessionFile: optional(Schema.String),
    sessionId: Schema.String,
    ...SessionStats.SessionStats.fields
  }),
  run: Effect.fnUntraced(function* () {
    const session = yield* Session
    const { file, sessionId } = yield* session.info
    const stats = SessionStats.make({
      messages: yield* session.messages,
      branch: yield* session.branch,
      entries: yield* session.entries,
      model: (yield* Controls).values().model
    })
    return {
      ...Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) }),
      sessionId,
      ...stats
    }
  })
})

/** The members of `get_state` about the session's name and context. */
export const stateMembers = Effect.fnUntraced(function* (model: Model | undefined) {
  const session = yield* Session
  const { name } = yield* session.info
  const contextUsage = SessionStats.contextUsage(yield* session.tail(ContextTokens.isBasis), model)
  return {
    ...Option.match(name, { onNone: () => ({}), onSome: (sessionName) => ({ sessionName }) }),
    ...defined({ contextUsage })
  }
})

const exportHtml = Command.make({
  name: "export_html",
  lane: "holding",
  summary: "Writes the session into one self-contained HTML file and answers its absolute path.",
  notes:
    "`outputPath` is relative to the working folder; its folder must exist, and a file that is there is replaced. " +
    "Without it the file is `heddle-session-<name of the session file, or its id>.html` in the working folder. " +
    "Sessions in memory can be exported, too, also during a run. export.md describes the page.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ outputPath: optional(Schema.String.pipe(Schema.nonEmptyString())) }),
  result: Schema.Struct({ path: Schema.String }),
  errors: ["export_failed"],
  run: Effect.fnUntraced(function* (params) {
    const exporter = yield* SessionExport
    const path = yield* Effect.mapError(
      exporter.toHtml(params),
      ({ message }) => new Command.CommandFailure({ code: "export_failed", message })
    )
    return { path }
  })
})

export const commands = [setSessionName, getSessionStats, exportHtml]
