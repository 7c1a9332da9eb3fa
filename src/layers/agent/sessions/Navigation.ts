/** Going from one branch of a session to another (protocol.md 9.5). */
import * as Effect from "effect/Effect"
import { plainText } from "../../../domain/conversation/Content.ts"
import * as SessionContext from "../../../domain/session/SessionContext.ts"
import type { SessionEntry } from "../../../domain/session/SessionEntry.ts"
import type { CompactionFailed } from "../../../services/Compaction.ts"
import { EntryNotFound, type Session } from "../../../services/session/Session.ts"
import type { Destination } from "../../../services/session/SessionChanges.ts"
import { exclusively } from "../run/Exclusively.ts"
import type { BranchSummary, BranchSummaryRequest } from "../compaction/BranchSummary.ts"

/** What is left behind on the way from one leaf to another; undefined where that is nothing. */
export type Summarize = (
  paths: Pick<BranchSummaryRequest, "from" | "to">
) => Effect.Effect<BranchSummary | undefined, CompactionFailed>

interface Dependencies {
  readonly session: typeof Session.Service
  /** Whoever has it keeps prompts from being accepted. */
  readonly gate: Effect.Semaphore
  /** Ends the run; everything it has said is stored afterwards. */
  readonly settle: Effect.Effect<void>
  readonly summarize: Summarize
}

export const find = (session: typeof Session.Service, entryId: string) =>
  Effect.map(session.entries, (entries) => entries.find(({ id }) => id === entryId))

/** Messages of the user and of extensions are said anew; of everything else a branch goes on after it. */
const textToSayAnew = (entry: SessionEntry): string | undefined => {
  const message = SessionContext.messageOf(entry)
  if (message?.role !== "user" && message?.role !== "custom") return undefined
  return typeof message.content === "string" ? message.content : plainText(message.content)
}

export const make = ({ gate, session, settle, summarize }: Dependencies) => {
  /** What the old branch came to, told at the new place. */
  const summaryFor = Effect.fnUntraced(function* (leaf: string | null) {
    const to = yield* Effect.orElseSucceed(session.branchTo(leaf), () => [])
    return yield* summarize({ from: yield* session.branch, to })
  })

  const note = Effect.fnUntraced(function* (leaf: string | null, made: BranchSummary | undefined) {
    if (made === undefined) return
    yield* session.append({ type: "branch_summary", fromId: leaf ?? "root", ...made })
    yield* session.sync
  })

  return Effect.fn("Agent.navigate")(function* ({ entryId, summarize: summarizes }: Destination) {
    const entry = yield* find(session, entryId)
    if (entry === undefined) return yield* new EntryNotFound({ entryId })
    const text = textToSayAnew(entry)
    const leaf = text === undefined ? entryId : entry.parentId
    const move = Effect.orElse(session.moveTo(leaf), () => Effect.ignore(session.moveTo(null)))
    yield* exclusively(gate)(
      Effect.gen(function* () {
        yield* Effect.uninterruptible(settle)
        // The run may have gone on in another session just before it was ended.
        if ((yield* find(session, entryId)) === undefined) return yield* new EntryNotFound({ entryId })
        const made = summarizes === true ? yield* summaryFor(leaf) : undefined
        yield* Effect.uninterruptible(Effect.zipRight(move, note(leaf, made)))
      })
    )
    return text
  })
}
