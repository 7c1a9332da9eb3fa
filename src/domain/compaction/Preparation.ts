/** Decides what a compaction summarises and keeps, before it asks a model (protocol.md 7.3). Pure. */
import * as Either from "effect/Either"
import type { AgentMessage } from "../conversation/Message.ts"
import type { OwnEntry, SessionEntry } from "../session/SessionEntry.ts"
import * as CutPoint from "./CutPoint.ts"

export type CompactionEntry = Extract<OwnEntry, { readonly type: "compaction" }>

export interface Preparation {
  readonly history: ReadonlyArray<AgentMessage>
  /** The first messages of the turn that the cut divides; they are summarised, and the rest of the turn is kept. */
  readonly prefix: ReadonlyArray<AgentMessage>
  readonly kept: ReadonlyArray<AgentMessage>
  readonly firstKeptEntryId: string
  /** The previous compaction, whose summary covers everything before the history. */
  readonly previous?: CompactionEntry
}

export type Refusal = "already_compacted" | "nothing_to_compact"

/** Starts with the messages that the previous compaction kept: no summary covers them. */
const startAfter = (branch: ReadonlyArray<SessionEntry>, previous: CompactionEntry, at: number): number => {
  const kept = branch.findIndex(({ id }) => id === previous.firstKeptEntryId)
  return kept < 0 || kept >= at ? at + 1 : kept
}

const messages = (branch: ReadonlyArray<SessionEntry>, from: number, to: number): ReadonlyArray<AgentMessage> => {
  const found: Array<AgentMessage> = []
  for (let at = from; at < to; at++) {
    const message = CutPoint.messageAt(branch, at)
    if (message !== undefined) found.push(message)
  }
  return found
}

/** `branch` is the path from the root to the leaf, and `keepTokens` says how much of its end to keep. */
export const prepare = (
  branch: ReadonlyArray<SessionEntry>,
  keepTokens: number
): Either.Either<Preparation, Refusal> => {
  if (branch.at(-1)?.type === "compaction") return Either.left("already_compacted")
  const at = branch.findLastIndex(({ type }) => type === "compaction")
  const previous = branch[at]
  const start = previous?.type === "compaction" ? startAfter(branch, previous, at) : 0
  const cut = CutPoint.find(branch, start, keepTokens)
  if (cut === undefined) return Either.left("nothing_to_compact")
  const history = messages(branch, start, cut.turnStart)
  const prefix = messages(branch, cut.turnStart, cut.message)
  const first = branch[cut.firstKept]
  if (first === undefined || history.length + prefix.length === 0) return Either.left("nothing_to_compact")
  return Either.right({
    history,
    prefix,
    kept: messages(branch, cut.message, branch.length),
    firstKeptEntryId: first.id,
    ...(previous?.type === "compaction" ? { previous } : {})
  })
}
