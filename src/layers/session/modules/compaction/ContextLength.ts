/** Measures the conversation for the next model call. */
import * as Effect from "effect/Effect"
import * as CompactionPolicy from "../../../../domain/compaction/CompactionPolicy.ts"
import * as ContextTokens from "../../../../domain/compaction/ContextTokens.ts"
import type { AssistantMessage } from "../../../../domain/conversation/Message.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import type { SessionEntry } from "../../../../domain/session/SessionEntry.ts"
import type { SettingsValues } from "../../../../services/Settings.ts"
import type { Session } from "../../../../services/session/Session.ts"

/** The settings that say when a conversation is too long, as the policy wants them. */
export const limitsOf = (settings: SettingsValues): CompactionPolicy.CompactionLimits => ({
  reserveTokens: settings["compaction.reserveTokens"],
  keepRecentTokens: settings["compaction.keepRecentTokens"],
  thresholdPercent: settings["compaction.thresholdPercent"],
  thresholdTokens: settings["compaction.thresholdTokens"]
})

export type ContextLength = ReturnType<typeof make>

export const newestAnswer = (branch: ReadonlyArray<SessionEntry>): AssistantMessage | undefined => {
  const entry = branch.findLast((entry) => entry.type === "message" && entry.message.role === "assistant")
  return entry?.type === "message" && entry.message.role === "assistant" ? entry.message : undefined
}

export const make = (session: typeof Session.Service, limits: CompactionPolicy.CompactionLimits) => {
  /** The end of the branch, as far as its size needs it: a long session is not read after every turn. */
  const recent = Effect.flatMap(session.tail(ContextTokens.isBasis), (since) =>
    // Without a usage report, the whole branch is estimated.
    since[0]?.type === "compaction" && newestAnswer(since) !== undefined ? session.branch : Effect.succeed(since)
  )

  const isLong = (branch: ReadonlyArray<SessionEntry>, { contextWindow }: Model): boolean =>
    CompactionPolicy.isOverThreshold(branch, contextWindow, limits)

  return { recent, isLong }
}
