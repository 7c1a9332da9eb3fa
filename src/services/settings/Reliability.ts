/** Settings of retries and of compaction (protocol.md 7.1, 8). */
import * as Schema from "effect/Schema"
import { count, countOrNone, flag, setting, texts } from "./Setting.ts"

const milliseconds = Schema.Finite.pipe(Schema.nonNegative())

export const fields = {
  "retry.enabled": flag(true, "Whether a failed model call is tried again.", "free"),
  "retry.maxRetries": setting(
    Schema.Int.pipe(Schema.between(0, 100)),
    "How many times a failed model call is tried again.",
    { default: 3, free: true }
  ),
  "retry.baseDelayMs": setting(
    milliseconds,
    "The wait before the first retry; every further one takes twice as long.",
    { default: 2000 }
  ),
  "retry.maxDelayMs": setting(
    milliseconds,
    "The longest wait that a provider may ask for; if it asks for more, the call fails.",
    { default: 60_000 }
  ),
  "retry.fallbackChains": setting(
    Schema.Record({ key: Schema.String, value: texts }),
    "Models that take over when one fails, in order, by role; the role of a session is `default`.",
    { default: {} }
  ),
  "compaction.enabled": flag(
    true,
    "Whether heddle compacts conversations that become too long (docs/compaction.md).",
    "free"
  ),
  "compaction.strategy": setting(
    Schema.Literal("context-full", "handoff", "off"),
    "Summarize in place, continue in a fresh session, or do not compact.",
    { default: "context-full" }
  ),
  "compaction.autoContinue": flag(false, "Whether a run that was compacted at its end continues by itself."),
  "compaction.reserveTokens": setting(
    count,
    "Tokens of the window that stay free for an answer; also bounds the length of summaries.",
    { default: 16_384 }
  ),
  "compaction.keepRecentTokens": setting(
    countOrNone,
    "How many tokens at the end of a conversation a compaction keeps.",
    { default: 20_000, free: true }
  ),
  "compaction.thresholdPercent": setting(
    Schema.Finite,
    "Compact when the conversation takes more than this share of the window; counts when it is above zero.",
    { default: -1 }
  ),
  "compaction.thresholdTokens": setting(
    Schema.Finite,
    "Compact when the conversation is longer than this; counts when it is above zero, and before `thresholdPercent`.",
    { default: -1 }
  ),
  "compaction.idleEnabled": flag(false, "Whether a long session is compacted while it is idle."),
  "compaction.idleThresholdTokens": setting(Schema.Finite, "How long a session must be to be compacted while idle.", {
    default: 200_000
  }),
  "compaction.idleTimeoutSeconds": setting(
    Schema.Finite.pipe(Schema.positive()),
    "How long a session must be idle before it is compacted.",
    { default: 300 }
  ),
  "branchSummary.reserveTokens": setting(
    count,
    "Tokens that stay free when the branch that a session leaves is summarized.",
    { default: 16_384 }
  )
}
