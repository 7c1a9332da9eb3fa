/** Decides when a conversation is too long for its model (protocol.md 7.2), and how much of it to keep. Pure. */
import * as ContextTokens from "./ContextTokens.ts"
import type { AgentMessage, AssistantMessage } from "../conversation/Message.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"

export interface CompactionLimits {
  readonly reserveTokens: number
  readonly keepRecentTokens: number
  readonly thresholdPercent: number
  /** Applies if above zero, and then replaces the percentage. */
  readonly thresholdTokens: number
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high)

/** A context with more tokens than this is compacted. */
export const threshold = (window: number, limits: CompactionLimits): number => {
  if (limits.thresholdTokens > 0) return clamp(limits.thresholdTokens, 1, window - 1)
  if (limits.thresholdPercent > 0) return Math.floor((window * clamp(limits.thresholdPercent, 1, 99)) / 100)
  const margin = Math.floor(0.15 * window)
  // With a reserve as large as the window even an empty conversation would be compacted.
  return window - (limits.reserveTokens < window ? Math.max(margin, limits.reserveTokens) : margin)
}

/** Between a compaction and the next answer no provider has counted the context. */
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
 * `branch` may start at its newest `ContextTokens.isBasis`, unless that is a compaction followed by answers.
 */
export const isOverThreshold = (
  branch: ReadonlyArray<SessionEntry>,
  window: number,
  limits: CompactionLimits
): boolean => window > 0 && !isUnmeasured(branch) && ContextTokens.ofBranch(branch).tokens > threshold(window, limits)

/** Some providers truncate a prompt that is too long instead of refusing it, or leave no room for an answer. */
export const isSilentOverflow = ({ stopReason, usage }: AssistantMessage, window: number): boolean => {
  if (window <= 0 || usage.estimated === true || stopReason === "error" || stopReason === "aborted") return false
  const prompt = usage.input + usage.cacheRead
  return prompt > window || (stopReason === "length" && usage.output === 0 && prompt >= 0.99 * window)
}

/** The provider's count of the last prompt divided by our estimate; at least 1. */
export const underestimate = (context: ReadonlyArray<AgentMessage>): number => {
  const at = context.findLastIndex((message) => ContextTokens.reported(message) !== undefined)
  const answer = context[at]
  if (answer?.role !== "assistant") return 1
  const { cacheRead, cacheWrite, input } = answer.usage
  const estimated = ContextTokens.estimateAll(context.slice(0, at))
  return Math.max(1, (input + cacheRead + cacheWrite) / Math.max(1, estimated))
}

/** Below the threshold: if a compaction kept that much, the next turn would compact again. */
export const tokensToKeep = (window: number, limits: CompactionLimits, ratio: number): number => {
  const most = window > 0 ? threshold(window, limits) : Number.POSITIVE_INFINITY
  const wanted = limits.keepRecentTokens < most ? limits.keepRecentTokens : Math.floor(most / 2)
  return wanted / ratio
}
