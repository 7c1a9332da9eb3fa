/** Moves the leaf of a session to another branch (protocol.md 9.5). */
import * as Effect from "effect/Effect"
import { plainText } from "../../../domain/conversation/Content.ts"
import * as SessionContext from "../../../domain/session/SessionContext.ts"
import type { SessionEntry } from "../../../domain/session/SessionEntry.ts"
import { EntryNotFound, type Session } from "../../../services/session/Session.ts"
import { ChangeCancelled, type Destination } from "../../../services/session/Sessions.ts"
import * as Abandoned from "../../../domain/compaction/Abandoned.ts"
import * as Asking from "../../hooks/Asking.ts"
import type { OpenSession } from "./OpenSession.ts"
import type { BranchSummary } from "../compaction/BranchSummary.ts"

export const find = (session: typeof Session.Service, entryId: string) =>
  Effect.map(session.entries, (entries) => entries.find(({ id }) => id === entryId))

/** The text of a user or extension message, to be edited. After any other entry the branch continues. */
const textToSayAnew = (entry: SessionEntry): string | undefined => {
  const message = SessionContext.messageOf(entry)
  if (message?.role !== "user" && message?.role !== "custom") return undefined
  return typeof message.content === "string" ? message.content : plainText(message.content)
}

const longestNoticeMs = 5000

export const navigate = Effect.fn("Sessions.navigate")(function* (
  { control, session }: OpenSession,
  { entryId, summarize }: Destination
) {
  const entry = yield* find(session, entryId)
  if (entry === undefined) return yield* new EntryNotFound({ entryId })
  const text = textToSayAnew(entry)
  const leaf = text === undefined ? entryId : entry.parentId

  const to = yield* Effect.orElseSucceed(session.branchTo(leaf), () => [])
  const oldLeafId = yield* session.leafId
  const decision = control.hooks.has("navigating")
    ? yield* Asking.navigating(control.hooks, {
        targetId: entryId,
        oldLeafId,
        entriesToSummarize: Abandoned.entries(yield* session.branch, to),
        summarize: summarize === true
      })
    : undefined
  if (decision?.cancel === true) return yield* new ChangeCancelled({})

  const summary = Effect.gen(function* () {
    if (decision?.summary !== undefined) return { details: {}, ...decision.summary, fromExtension: true }
    if (summarize !== true) return undefined
    return yield* control.summarize({ from: yield* session.branch, to })
  })
  const move = Effect.fnUntraced(function* (made: (BranchSummary & { readonly fromExtension?: boolean }) | undefined) {
    yield* Effect.orElse(session.moveTo(leaf), () => Effect.ignore(session.moveTo(null)))
    control.moved()
    if (made === undefined) return
    yield* session.append({ type: "branch_summary", fromId: leaf ?? "root", ...made })
    yield* session.sync
  }, Effect.uninterruptible)

  yield* Effect.gen(function* () {
    yield* Effect.uninterruptible(control.settle)
    // A handoff may have continued the run in another session just before it was ended.
    if ((yield* find(session, entryId)) === undefined) return yield* new EntryNotFound({ entryId })
    yield* move(yield* summary)
  }).pipe(control.changing)
  const newLeafId = yield* session.leafId
  yield* Asking.tell(control.hooks, "navigated", { newLeafId, oldLeafId }, longestNoticeMs)
  return text
})
