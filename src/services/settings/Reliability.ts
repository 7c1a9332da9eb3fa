/** Settings of retries and of compaction (protocol.md 7.1, 8). */
import * as Schema from "effect/Schema"
import { setting } from "./Setting.ts"

const tokens = () => Schema.Int.pipe(Schema.positive())
const milliseconds = () => Schema.Finite.pipe(Schema.nonNegative())

export const fields = () => ({
  "retry.enabled": setting(Schema.Boolean, "Whether a failed model call is tried again.", { free: true }),
  "retry.maxRetries": setting(
    Schema.Int.pipe(Schema.between(0, 100)),
    "How many times a failed model call is tried again.",
    { free: true }
  ),
  "retry.baseDelayMs": setting(
    milliseconds(),
    "The wait before the first retry; every further one takes twice as long."
  ),
  "retry.maxDelayMs": setting(
    milliseconds(),
    "The longest wait that a provider may ask for; if it asks for more, the call fails."
  ),
  "retry.fallbackChains": setting(
    Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }),
    "Models that take over when one fails, in order, by role; the role of a session is `default`."
  ),
  "compaction.enabled": setting(
    Schema.Boolean,
    "Whether heddle compacts conversations that become too long (docs/compaction.md).",
    { free: true }
  ),
  "compaction.strategy": setting(
    Schema.Literal("context-full", "handoff", "off"),
    "Summarize in place, continue in a fresh session, or do not compact."
  ),
  "compaction.autoContinue": setting(
    Schema.Boolean,
    "Whether a run that was compacted at its end continues by itself."
  ),
  "compaction.reserveTokens": setting(
    tokens(),
    "Tokens of the window that stay free for an answer; also bounds the length of summaries."
  ),
  "compaction.keepRecentTokens": setting(
    Schema.Int.pipe(Schema.nonNegative()),
    "How many tokens at the end of a conversation a compaction keeps.",
    { free: true }
  ),
  "compaction.thresholdPercent": setting(
    Schema.Finite,
    "Compact when the conversation takes more than this share of the window; counts when it is above zero."
  ),
  "compaction.thresholdTokens": setting(
    Schema.Finite,
    "Compact when the conversation is longer than this; counts when it is above zero, and before `thresholdPercent`."
  ),
  "compaction.idleEnabled": setting(Schema.Boolean, "Whether a long session is compacted while it is idle."),
  "compaction.idleThresholdTokens": setting(Schema.Finite, "How long a session must be to be compacted while idle."),
  "compaction.idleTimeoutSeconds": setting(
    Schema.Finite.pipe(Schema.positive()),
    "How long a session must be idle before it is compacted."
  ),
  "branchSummary.reserveTokens": setting(
    tokens(),
    "Tokens that stay free when the branch that a session leaves is summarized."
  )
})

export const defaults = {
  "retry.enabled": true,
  "retry.maxRetries": 3,
  "retry.baseDelayMs": 2000,
  "retry.maxDelayMs": 60_000,
  "retry.fallbackChains": {},
  "compaction.enabled": true,
  "compaction.strategy": "context-full",
  "compaction.autoContinue": false,
  "compaction.reserveTokens": 16_384,
  "compaction.keepRecentTokens": 20_000,
  "compaction.thresholdPercent": -1,
  "compaction.thresholdTokens": -1,
  "compaction.idleEnabled": false,
  "compaction.idleThresholdTokens": 200_000,
  "compaction.idleTimeoutSeconds": 300,
  "branchSummary.reserveTokens": 16_384
} as const
