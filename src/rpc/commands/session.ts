/** Going from one session to another (protocol.md 3.1, 3.7, 3.8; supplement 1.3). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { lazy } from "../../domain/Lazy.ts"
import { Agent } from "../../services/Agent.ts"
import { Session } from "../../services/session/Session.ts"
import * as Command from "../Command.ts"
import { openCodes, toFailure } from "../protocol/SessionFailures.ts"

/** What every change answers: nothing can cancel one yet. */
const Changed = lazy(() =>
  Schema.Struct({
    cancelled: Schema.Boolean,
    sessionId: Schema.String,
    sessionFile: optional(Schema.String)
  })
)

const changed = Effect.gen(function* () {
  const session = yield* Session
  const { file, sessionId } = yield* session.info
  const place = Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) })
  return { cancelled: false, sessionId, ...place }
})

const runEnds =
  "A run is ended first as by `abort`: its last events come before the response, and when the command fails they do not come. " +
  "After the response `sessionId` and `epoch` are others and `seq` counts from 1."

const newSession = Command.make({
  name: "new_session",
  lane: "holding",
  summary: "Leaves the session for an empty one.",
  notes: `${runEnds} Model, thinking level, modes and host tools stay. \`parentSession\` is kept in the new session as it is.`,
  origin: ["pi", "omp", "xcsh"],
  params: () => Schema.Struct({ parentSession: optional(Schema.String) }),
  result: Changed,
  errors: ["store_failure"],
  run: Effect.fnUntraced(function* (params) {
    const agent = yield* Agent
    const sessions = yield* agent.sessions
    yield* Effect.mapError(sessions.create(params), toFailure)
    return yield* changed
  })
})

/** Both or neither; hosts of one family name the model that goes on with a session. */
const Model = () => ({ provider: optional(Schema.String), modelId: optional(Schema.String) })

const openOptions = ({ modelId, provider }: { readonly provider?: string; readonly modelId?: string }) =>
  provider === undefined || modelId === undefined ? {} : { model: { provider, modelId } }

const switchSession = Command.make({
  name: "switch_session",
  lane: "holding",
  summary: "Leaves the session for another one, by path, id, or the beginning of an id.",
  notes:
    `${runEnds} The model and thinking level that the other session was left with are put in force where they can be had, ` +
    "with `model_changed` and `thinking_level_changed`; `provider` and `modelId` ask for another model.",
  origin: ["pi", "omp", "xcsh"],
  params: () => Schema.Struct({ sessionPath: Schema.NonEmptyString, ...Model() }),
  result: Changed,
  errors: openCodes,
  run: Effect.fnUntraced(function* ({ sessionPath, ...model }) {
    const agent = yield* Agent
    const sessions = yield* agent.sessions
    yield* Effect.mapError(sessions.open(sessionPath, openOptions(model)), toFailure)
    return yield* changed
  })
})

const branchCommand = (name: string, origin: ReadonlyArray<"pi" | "omp" | "xcsh">, error: string) =>
  Command.make({
    name,
    lane: "holding",
    summary: "Leaves the session for a copy of it that ends before a user message; `text` is that message.",
    notes: `${runEnds} The old session stays as it is. Entries keep their ids.`,
    origin,
    params: () => Schema.Struct({ entryId: Schema.String }),
    result: () => Schema.Struct({ text: Schema.String, ...Changed().fields }),
    errors: ["invalid_entry", "store_failure"],
    run: Effect.fnUntraced(function* ({ entryId }) {
      const agent = yield* Agent
      const sessions = yield* agent.sessions
      const text = yield* Effect.mapError(sessions.branch(entryId), (failure) =>
        failure._tag === "NotABranchPoint"
          ? new Command.CommandFailure({ code: "invalid_entry", message: error })
          : toFailure(failure)
      )
      return { text, ...(yield* changed) }
    })
  })

const clone = Command.make({
  name: "clone",
  lane: "holding",
  summary: "Leaves the session for a copy of its active branch.",
  notes: `${runEnds} What the run has said by then is part of the copy.`,
  origin: ["pi"],
  params: Command.noParams,
  result: Changed,
  errors: ["nothing_to_clone", "store_failure"],
  run: Effect.fnUntraced(function* () {
    const agent = yield* Agent
    const sessions = yield* agent.sessions
    yield* Effect.mapError(sessions.clone, toFailure)
    return yield* changed
  })
})

const openSession = Command.make({
  name: "open_session",
  lane: "holding",
  summary: "Goes to the newest session of a folder that has messages, else to a new one there.",
  notes:
    "Nothing happens when that session is the current one. Otherwise as `switch_session`; `resumed` tells whether there was one. " +
    "Needs sessions on disk. `parallel` is refused: there is one session at a time.",
  origin: ["omp"],
  params: () =>
    Schema.Struct({ sessionDir: optional(Schema.NonEmptyString), parallel: optional(Schema.Boolean), ...Model() }),
  result: () => Schema.Struct({ resumed: Schema.Boolean, ...Changed().fields }),
  errors: [...openCodes, "no_persistence", "not_supported"],
  run: Effect.fnUntraced(function* ({ parallel, sessionDir, ...model }) {
    const agent = yield* Agent
    const sessions = yield* agent.sessions
    if (parallel === true) {
      return yield* new Command.CommandFailure({
        code: "not_supported",
        message: "Several sessions at a time are not supported yet"
      })
    }
    if (sessionDir === undefined) {
      return yield* new Command.CommandFailure({
        code: "invalid_params",
        message: 'Invalid open_session command: "sessionDir" must be a non empty string'
      })
    }
    const { resumed } = yield* Effect.mapError(sessions.openNewest(sessionDir, openOptions(model)), toFailure)
    return { resumed, ...(yield* changed) }
  })
})

export const commands = [
  newSession,
  switchSession,
  branchCommand("branch", ["omp", "xcsh"], "Invalid entry ID for branching"),
  branchCommand("fork", ["pi"], "Invalid entry ID for forking"),
  clone,
  openSession
]
