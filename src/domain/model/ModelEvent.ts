/**
 * The events of a model call, the same for all providers. A block ends before the next one starts, so a delta needs no
 * index.
 */
import * as Data from "effect/Data"
import * as Json from "../Json.ts"
import type { StopReason } from "../conversation/Message.ts"
import { type Report, zeroTokens } from "./Usage.ts"

export type ModelEvent =
  | { readonly _tag: "TextStarted" }
  | { readonly _tag: "ThinkingStarted" }
  | { readonly _tag: "ToolCallStarted"; readonly id: string; readonly name: string }
  /** More of the open block: text, thinking, or the raw JSON of a tool call's arguments. */
  | { readonly _tag: "Delta"; readonly delta: string }
  | { readonly _tag: "BlockEnded"; readonly signature?: string; readonly redacted?: boolean }
  /**
   * Totals so far, not increments. They are checked against what was sent and received, unless this one or one before it is
   * `exact`: then they come from a counter that can be believed.
   */
  | { readonly _tag: "UsageReported"; readonly tokens: Report; readonly exact?: true }
  | { readonly _tag: "Finished"; readonly stopReason: FinishReason; readonly responseId?: string }

export type FinishReason = Exclude<StopReason, "error" | "aborted">

/** Comes first where a script says what is used: where it says nothing, that is nothing. */
export const scripted: ModelEvent = { _tag: "UsageReported", tokens: zeroTokens, exact: true }

/** Constructors, so that programs need no types: `Delta({ delta: "Hello" })`. */
export const { TextStarted, ThinkingStarted, ToolCallStarted, Delta, BlockEnded, UsageReported, Finished } =
  Data.taggedEnum<ModelEvent>()

/** The events of one call of a tool. */
export const ofCall = (id: string, name: string, args: object): ReadonlyArray<ModelEvent> => [
  ToolCallStarted({ id, name }),
  Delta({ delta: Json.stringify(args) }),
  BlockEnded({})
]
