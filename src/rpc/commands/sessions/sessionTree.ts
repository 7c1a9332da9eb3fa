/** The entries of the session and its branches (protocol.md 3.7, 3.8; supplement 1.3). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { JsonObject, optional, plainText } from "../../../domain/conversation/Content.ts"
import { type SessionEntry, toJson } from "../../../domain/session/SessionEntry.ts"
import * as SessionForest from "../../../domain/session/SessionForest.ts"
import { defined } from "../../../domain/Values.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import { Session } from "../../../services/session/Session.ts"
import * as Command from "../../Command.ts"
import { compactionCodes, compactionFailure } from "../../protocol/CompactionFailures.ts"
import { toFailure } from "../../protocol/SessionFailures.ts"

const shown = (entry: SessionEntry): JsonObject => ({ ...toJson(entry) })

const leafId = Schema.NullOr(Schema.String)

const getEntries = Command.make({
  name: "get_entries",
  lane: "query",
  summary: "Every entry of the session in the order in which they were stored, or those after `since`.",
  notes: "Includes other branches and entries that were compacted away, but not the header.",
  origin: ["pi", "omp"],
  params: Schema.Struct({ since: optional(Schema.String) }),
  result: Schema.Struct({ entries: Schema.Array(JsonObject), leafId: leafId }),
  errors: ["unknown_since"],
  run: Effect.fnUntraced(function* ({ since }) {
    const session = yield* Session
    const entries = yield* session.entries
    const at = since === undefined ? -1 : entries.findLastIndex(({ id }) => id === since)
    if (since !== undefined && at < 0) {
      return yield* new Command.CommandFailure({ code: "unknown_since", message: `Entry not found: ${since}` })
    }
    return { entries: entries.slice(at + 1).map(shown), leafId: yield* session.leafId }
  })
})

const Node: Schema.Schema<SessionForest.TreeNode<JsonObject>> = Schema.Struct({
  entry: JsonObject,
  children: Schema.Array(Schema.suspend(() => Node)),
  label: optional(Schema.String),
  labelTimestamp: optional(Schema.String)
}).annotations({ identifier: "SessionTreeNode", description: "An entry of the session with its children." })

/** The encoder cannot write deeper JSON, and few programs can read it. */
const deepest = 10_000

const getTree = Command.make({
  name: "get_tree",
  lane: "query",
  summary: "The entries of the session, each with its children.",
  notes: `Entries whose parent is missing are roots. More than ${deepest} levels are refused: use \`get_entries\`.`,
  origin: ["pi", "omp"],
  params: Command.noParams,
  result: Schema.Struct({ tree: Schema.Array(Node), leafId: leafId }),
  errors: ["tree_too_deep"],
  run: Effect.fnUntraced(function* () {
    const session = yield* Session
    const { depth, roots } = SessionForest.make(yield* session.entries, shown)
    if (depth > deepest) {
      return yield* new Command.CommandFailure({
        code: "tree_too_deep",
        message: `The tree has ${depth} levels, and at most ${deepest} can be nested. Use get_entries.`
      })
    }
    return { tree: roots, leafId: yield* session.leafId }
  })
})

const navigateTree = Command.make({
  name: "navigate_tree",
  lane: "holding",
  summary: "Moves the leaf to another entry of the session, where the conversation then continues.",
  notes:
    "An active run is ended first, as by `abort`. For a message of the user or of an extension the leaf becomes its parent, and `editorText` is its text. " +
    "With `summarize` the current model sums up the branch that is left, and the summary is added at the new leaf; `abort` and " +
    "`abort_compaction` then make it answer `cancelled: true`, and the leaf stays where it was.",
  origin: ["ours"],
  params: Schema.Struct({ entryId: Schema.String, summarize: optional(Schema.Boolean) }),
  result: Schema.Struct({ editorText: optional(Schema.String), cancelled: Schema.Boolean }),
  errors: ["entry_not_found", ...compactionCodes],
  run: Effect.fnUntraced(function* (params) {
    const sessions = yield* Effect.flatMap(Sessions, ({ changes }) => changes)
    return yield* sessions.navigate(params).pipe(
      Effect.map((editorText) => ({ ...defined({ editorText }), cancelled: false })),
      Effect.catchAll((failure) => {
        if (failure._tag === "EntryNotFound") return Effect.fail(toFailure(failure))
        if (failure._tag === "ChangeCancelled") return Effect.succeed({ cancelled: true })
        return failure.reason === "cancelled"
          ? Effect.succeed({ cancelled: true })
          : Effect.fail(compactionFailure(failure))
      })
    )
  })
})

const branchMessages = (name: string, origin: ReadonlyArray<"pi" | "omp" | "xcsh">, command: string) =>
  Command.make({
    name,
    lane: "query",
    summary: `The messages of the user that \`${command}\` takes, oldest first.`,
    origin,
    params: Command.noParams,
    result: Schema.Struct({
      messages: Schema.Array(Schema.Struct({ entryId: Schema.String, text: Schema.String }))
    }),
    run: Effect.fnUntraced(function* () {
      const session = yield* Session
      const choices = (yield* session.branch).flatMap((entry) =>
        entry.type === "message" && entry.message.role === "user"
          ? [{ entryId: entry.id, text: plainText(entry.message.content) }]
          : []
      )
      return { messages: choices.filter(({ text }) => text.trim() !== "") }
    })
  })

export const commands = [
  getEntries,
  getTree,
  navigateTree,
  branchMessages("get_branch_messages", ["omp", "xcsh"], "branch"),
  branchMessages("get_fork_messages", ["pi"], "fork")
]
