/**
 * The events of a model call, the same for all providers. A block ends before the next one starts, so a delta needs no
 * index.
 */
import type { StopReason } from "../conversation/Message.ts"
import type { Tokens } from "./Usage.ts"

export type ModelEvent =
  | { readonly _tag: "TextStarted" }
  | { readonly _tag: "ThinkingStarted" }
  | { readonly _tag: "ToolCallStarted"; readonly id: string; readonly name: string }
  /** More of the open block: text, thinking, or the raw JSON of a tool call's arguments. */
  | { readonly _tag: "Delta"; readonly delta: string }
  | { readonly _tag: "BlockEnded"; readonly signature?: string; readonly redacted?: boolean }
  /** Totals so far, not increments. */
  | { readonly _tag: "UsageReported"; readonly tokens: Tokens }
  | { readonly _tag: "Finished"; readonly stopReason: FinishReason; readonly responseId?: string }

export type FinishReason = Exclude<StopReason, "error" | "aborted">
