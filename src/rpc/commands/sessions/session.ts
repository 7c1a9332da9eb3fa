/** Changing the session (protocol.md 3.1, 3.7, 3.8; supplement 1.3). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/conversation/Content.ts"
import { defined } from "../../../domain/Values.ts"
import { Session } from "../../../services/session/Session.ts"
import { ChangeCancelled, Sessions } from "../../../services/session/Sessions.ts"
import * as Command from "../../Command.ts"
import { openCodes, type SessionFailure, toFailure } from "../../protocol/SessionFailures.ts"

/** The response of every change. `cancelled`: a hook of an extension has kept the host in its session. */
const Changed = Schema.Struct({
  cancelled: Schema.Boolean,
  sessionId: Schema.String,
  sessionFile: optional(Schema.String)
})

const changes = Effect.flatMap(Sessions, (sessions) => sessions.changes)

/** The session that the host is in after a change. */
const changed = Effect.gen(function* () {
  const sessions = yield* Sessions
  const session = Context.get(yield* sessions.current, Session)
  const { file, sessionId } = yield* session.info
  const members = Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) })
  return { sessionId, ...members }
})

/** A change that a hook has cancelled is no failure: the answer names the session that the host is still in. */
const attempt = <A, E extends SessionFailure | Command.CommandFailure>(
  change: Effect.Effect<A, E | ChangeCancelled>
): Effect.Effect<Either.Either<A, ChangeCancelled>, Command.CommandFailure> =>
  Effect.matchEffect(change, {
    onFailure: (failure) => {
      if (failure instanceof ChangeCancelled) return Effect.succeed(Either.left(failure))
      return failure instanceof Command.CommandFailure ? failure : Effect.fail(toFailure(failure))
    },
    onSuccess: (value) => Effect.succeed(Either.right(value))
  })

const outcomeOf = (outcome: Either.Either<unknown, ChangeCancelled>) =>
  Effect.map(changed, (members) => ({ cancelled: Either.isLeft(outcome), ...members }))

const runEnds =
  "An active run is ended first, as by `abort`: its last events come before the response. A command that fails leaves the run alone. " +
  "After the response the records have another `sessionId` and `epoch`, and `seq` counts from 1."

const newSession = Command.make({
  name: "new_session",
  lane: "holding",
  summary: "Opens an empty session.",
  notes: `${runEnds} Model, thinking level, modes and host tools stay. \`parentSession\` is stored in the new session unchanged.`,
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ parentSession: optional(Schema.String) }),
  result: Changed,
  errors: ["store_failure"],
  run: Effect.fnUntraced(function* (params) {
    const sessions = yield* changes
    return yield* outcomeOf(yield* attempt(sessions.create(params)))
  })
})

/** Both or neither. Hosts of one family name the model with which to resume a session. */
const Model = () => ({ provider: optional(Schema.String), modelId: optional(Schema.String) })

const openOptions = ({ modelId, provider }: { readonly provider?: string; readonly modelId?: string }) =>
  provider === undefined || modelId === undefined ? {} : { model: { provider, modelId } }

const switchSession = Command.make({
  name: "switch_session",
  lane: "holding",
  summary: "Opens another session, by path, id, or the beginning of an id.",
  notes:
    `${runEnds} The model and thinking level that the session last used are set if they are available, ` +
    "with `model_changed` and `thinking_level_changed`; `provider` and `modelId` ask for another model.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ sessionPath: Schema.NonEmptyString, ...Model() }),
  result: Changed,
  errors: openCodes,
  run: Effect.fnUntraced(function* ({ sessionPath, ...model }) {
    const sessions = yield* changes
    return yield* outcomeOf(yield* attempt(sessions.open(sessionPath, openOptions(model))))
  })
})

const copyNotes = `${runEnds} The old session stays as it is. Entries keep their ids.`
const Copied = Schema.Struct({ text: optional(Schema.String), ...Changed.fields })

/** A copy that ends before a message of the user, and the text of that message. */
const branchTo = (entryId: string, message: string) =>
  Effect.flatMap(changes, ({ branch }) =>
    attempt(
      Effect.catchTag(
        branch(entryId),
        "NotABranchPoint",
        () => new Command.CommandFailure({ code: "invalid_entry", message })
      )
    )
  )

const branch = Command.make({
  name: "branch",
  lane: "holding",
  summary: "Opens a copy of the session that ends before a user message; `text` is that message.",
  notes: copyNotes,
  origin: ["omp", "xcsh"],
  params: Schema.Struct({ entryId: Schema.String }),
  result: Copied,
  errors: ["invalid_entry", "store_failure"],
  run: Effect.fnUntraced(function* ({ entryId }) {
    const outcome = yield* branchTo(entryId, "Invalid entry ID for branching")
    const text = Either.match(outcome, { onLeft: ({ text }) => text, onRight: String })
    return { ...defined({ text }), ...(yield* outcomeOf(outcome)) }
  })
})

const notForkable = "Invalid entry ID for forking"

const fork = Command.make({
  name: "fork",
  lane: "holding",
  summary: "Opens a copy of the session that ends before a user message; `text` is that message.",
  notes:
    `${copyNotes} With \`include\` the copy ends with the entry, which may be any one of the session. ` +
    "Without `entryId` it is a copy of the active branch, as by `clone`.",
  origin: ["pi", "omp"],
  params: Schema.Struct({
    entryId: optional(Schema.String),
    include: optional(Schema.Boolean, "The copy has the entry, too.")
  }),
  result: Copied,
  errors: ["invalid_entry", "nothing_to_clone", "store_failure"],
  run: Effect.fnUntraced(function* ({ entryId, include }) {
    const sessions = yield* changes
    if (entryId === undefined) return yield* outcomeOf(yield* attempt(sessions.clone))
    if (include === true) {
      const invalid = new Command.CommandFailure({ code: "invalid_entry", message: notForkable })
      return yield* outcomeOf(
        yield* attempt(Effect.catchTag(sessions.copyUpTo(entryId), "EntryNotFound", () => invalid))
      )
    }
    const outcome = yield* branchTo(entryId, notForkable)
    // Clients of pi do not expect the text of a fork that was cancelled.
    return { ...(Either.isRight(outcome) ? { text: outcome.right } : {}), ...(yield* outcomeOf(outcome)) }
  })
})

const clone = Command.make({
  name: "clone",
  lane: "holding",
  summary: "Opens a copy of the active branch as a new session.",
  notes: `${runEnds} The copy includes the messages of that run.`,
  origin: ["pi"],
  params: Command.noParams,
  result: Changed,
  errors: ["nothing_to_clone", "store_failure"],
  run: Effect.fnUntraced(function* () {
    const sessions = yield* changes
    return yield* outcomeOf(yield* attempt(sessions.clone))
  })
})

/** Strict validators want a member that is required to be named in the same place. */
const needs = (name: string) => ({ required: [name], properties: { [name]: true } })

const openSession = Command.make({
  name: "open_session",
  lane: "holding",
  summary: "Opens the newest session of a folder that has messages, or a new one there.",
  notes:
    "Does nothing when that session is the current one. Otherwise works as `switch_session`; `resumed` is false when a new one was made. " +
    "Needs sessions on disk. `parallel` is refused: there is one session at a time.",
  origin: ["omp"],
  params: Schema.Struct({
    sessionDir: optional(Schema.NonEmptyString),
    parallel: optional(Schema.Boolean),
    ...Model()
    // `run` makes this check, because its answer names the member.
  }).pipe(Schema.filter(() => true, { jsonSchema: { allOf: [{ anyOf: [needs("sessionDir"), needs("parallel")] }] } })),
  result: Schema.Struct({ resumed: Schema.Boolean, ...Changed.fields }),
  errors: [...openCodes, "no_persistence", "not_supported"],
  run: Effect.fnUntraced(function* ({ parallel, sessionDir, ...model }) {
    const sessions = yield* changes
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
    const outcome = yield* attempt(sessions.openNewest(sessionDir, openOptions(model)))
    return { resumed: Either.isRight(outcome) && outcome.right.resumed, ...(yield* outcomeOf(outcome)) }
  })
})

export const commands = [newSession, switchSession, branch, fork, clone, openSession]
