/** When a conversation has become too long for its model (protocol.md 7.2), and how much of it stays. Pure. */
import * as ContextTokens from "./ContextTokens.ts"
import type { AgentMessage, AssistantMessage } from "../conversation/Message.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"

export interface CompactionLimits {
  readonly reserveTokens: number
  readonly keepRecentTokens: number
  /** Counts when above zero. */
  readonly thresholdPercent: number
  /** Counts when above zero, before the percentage. */
  readonly thresholdTokens: number
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high)

/** A context with more tokens than this is compacted. */
export const threshold = (window: number, limits: CompactionLimits): number => {
  if (limits.thresholdTokens > 0) return clamp(limits.thresholdTokens, 1, window - 1)
  if (limits.thresholdPercent > 0) return Math.floor((window * clamp(limits.thresholdPercent, 1, 99)) / 100)
  const margin = Math.floor(0.15 * window)
  // A reserve as large as the window would compact an empty conversation.
  return window - (limits.reserveTokens < window ? Math.max(margin, limits.reserveTokens) : margin)
}

/** Before the first answer after a compaction nobody knows how large the context is. */
const isUnmeasured = (branch: ReadonlyArray<SessionEntry>): boolean => {
  for (let at = branch.length - 1; at >= 0; at--) {
    const entry = branch[at]
    if (entry?.type === "compaction") return true
    if (entry?.type !== "message" || entry.message.role !== "assistant") continue
    const { stopReason } = entry.message
    if (stopReason !== "error" && stopReason !== "aborted") return false
  }
  return false
}

/**
 * `branch` may begin at its newest `ContextTokens.isBasis`, unless that is a compaction with answers behind it; `coming`
 * are tokens of what is about to be added to it.
 */
export const isOverThreshold = (
  branch: ReadonlyArray<SessionEntry>,
  window: number,
  limits: CompactionLimits,
  coming = 0
): boolean =>
  window > 0 && !isUnmeasured(branch) && ContextTokens.ofBranch(branch).tokens + coming > threshold(window, limits)

/** Some providers cut a prompt that is too long instead of refusing it, or leave no room for an answer. */
export const isSilentOverflow = ({ stopReason, usage }: AssistantMessage, window: number): boolean => {
  if (window <= 0 || stopReason === "error" || stopReason === "aborted") return false
  const prompt = usage.input + usage.cacheRead
  return prompt > window || (stopReason === "length" && usage.output === 0 && prompt >= 0.99 * window)
}

/** How many times larger the provider found the last prompt than our estimate; 1 where the estimate was enough. */
export const underestimate = (context: ReadonlyArray<AgentMessage>): number => {
  const at = context.findLastIndex((message) => ContextTokens.reported(message) !== undefined)
  const answer = context[at]
  if (answer?.role !== "assistant") return 1
  const { cacheRead, cacheWrite, input } = answer.usage
  const estimated = ContextTokens.estimateAll(context.slice(0, at))
  return Math.max(1, (input + cacheRead + cacheWrite) / Math.max(1, estimated))
}

/** Keeping as much as triggers a compaction would make the next turn trigger one again. */
export const tokensToKeep = (window: number, limits: CompactionLimits, ratio: number): number => {
  const most = window > 0 ? threshold(window, limits) : Number.POSITIVE_INFINITY
  const wanted = limits.keepRecentTokens < most ? limits.keepRecentTokens : Math.floor(most / 2)
  return wanted / ratio
}
