/** What there is to know about sessions (protocol.md 3.7; supplement 6.4). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import * as ContextTokens from "../../domain/compaction/ContextTokens.ts"
import type { Model } from "../../domain/model/Model.ts"
import * as SessionStats from "../../domain/session/SessionStats.ts"
import { Agent } from "../../services/Agent.ts"
import { Session } from "../../services/session/Session.ts"
import * as Command from "../Command.ts"
import { toFailure } from "../protocol/SessionFailures.ts"

const setSessionName = Command.make({
  name: "set_session_name",
  lane: "ordered",
  summary: "Names the session: on one line, without control characters.",
  notes: "Announced by `session_info_changed` and `session_info_update`.",
  origin: ["pi", "omp", "xcsh"],
  params: () => Schema.Struct({ name: Schema.String }),
  errors: ["invalid_name"],
  run: Effect.fnUntraced(function* ({ name }) {
    const agent = yield* Agent
    const sessions = yield* agent.sessions
    yield* Effect.mapError(sessions.rename(name), toFailure)
  })
})

const getSessionStats = Command.make({
  name: "get_session_stats",
  lane: "query",
  summary: "Messages of the conversation, and what the session has cost.",
  notes:
    "Messages are counted as models are shown them. `tokens` and `cost` are those of every model call on the active branch, also of " +
    "attempts that failed and of what was compacted away; `allBranches` adds those of branches that were left and never shrinks. " +
    "`contextUsage.tokens` is `null` after a compaction until a model has counted.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  result: () =>
    Schema.Struct({
      sessionFile: optional(Schema.String),
      sessionId: Schema.String,
      ...SessionStats.SessionStats().fields
    }),
  run: Effect.fnUntraced(function* () {
    const session = yield* Session
    const agent = yield* Agent
    const { file, sessionId } = yield* session.info
    const stats = SessionStats.make({
      messages: yield* session.messages,
      branch: yield* session.branch,
      entries: yield* session.entries,
      model: (yield* agent.state).model
    })
    return {
      ...Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) }),
      sessionId,
      ...stats
    }
  })
})

/** The members of `get_state` that are about the session; absent where there is nothing to tell. */
export const stateMembers = Effect.fnUntraced(function* (model: Model | undefined) {
  const session = yield* Session
  const { name } = yield* session.info
  const contextUsage = SessionStats.contextUsage(yield* session.tail(ContextTokens.isBasis), model)
  return {
    ...Option.match(name, { onNone: () => ({}), onSome: (sessionName) => ({ sessionName }) }),
    ...(contextUsage === undefined ? {} : { contextUsage })
  }
})

export const commands = [setSessionName, getSessionStats]
