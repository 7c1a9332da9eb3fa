/**
 * An assistant message while it streams: an immutable value, folded from ModelEvents. A delta costs a few small
 * objects whatever the length of the message; strings grow as ropes and are flattened only when somebody reads them.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { JsonObject, OutputContent, ToolCall } from "./Content.ts"
import * as Json from "../Json.ts"
import type { AssistantMessage, StopReason } from "./Message.ts"
import type { Model } from "../model/Model.ts"
import type { FinishReason, ModelEvent } from "../model/ModelEvent.ts"
import * as Usage from "../model/Usage.ts"

type TextBlock = { readonly type: "text"; readonly text: string; readonly signature?: string }
type ThinkingBlock = {
  readonly type: "thinking"
  readonly text: string
  readonly signature?: string
  readonly redacted?: boolean
}
/** `text` is the raw JSON of the arguments; `ended` says whether the model finished it. */
type ToolCallBlock = {
  readonly type: "toolCall"
  readonly text: string
  readonly id: string
  readonly name: string
  readonly ended: boolean
}
export type Block = TextBlock | ThinkingBlock | ToolCallBlock

export interface AssistantDraft {
  readonly model: Model
  readonly timestamp: number
  readonly blocks: ReadonlyArray<Block>
  /** Whether the last block still grows. */
  readonly open: boolean
  readonly usage: Usage.Usage
  readonly finished?: { readonly stopReason: FinishReason; readonly responseId?: string }
}

/** One step of the stream as a host sees it; `contentIndex` counts the blocks of the message. */
export type Update =
  | { readonly kind: "text" | "thinking" | "toolCall"; readonly step: "start"; readonly contentIndex: number }
  | {
      readonly kind: "text" | "thinking" | "toolCall"
      readonly step: "delta"
      readonly contentIndex: number
      readonly delta: string
    }
  | { readonly kind: "text" | "thinking" | "toolCall"; readonly step: "end"; readonly contentIndex: number }

export const empty = (model: Model, timestamp: number): AssistantDraft => ({
  model,
  timestamp,
  blocks: [],
  open: false,
  usage: Usage.zero
})

const appendBlock = (draft: AssistantDraft, block: Block): readonly [AssistantDraft, Update] => [
  { ...draft, blocks: [...draft.blocks, block], open: true },
  { kind: block.type, step: "start", contentIndex: draft.blocks.length }
]

/** Events that make no sense where they come (a delta without a block) change nothing. */
export const apply = (
  draft: AssistantDraft,
  event: ModelEvent
): readonly [draft: AssistantDraft, update: Update | undefined] => {
  switch (event._tag) {
    case "TextStarted":
      return appendBlock(draft, { type: "text", text: "" })
    case "ThinkingStarted":
      return appendBlock(draft, { type: "thinking", text: "" })
    case "ToolCallStarted":
      return appendBlock(draft, { type: "toolCall", text: "", id: event.id, name: event.name, ended: false })
    case "Delta": {
      const contentIndex = draft.blocks.length - 1
      const block = draft.blocks[contentIndex]
      if (block === undefined || !draft.open) return [draft, undefined]
      const blocks = draft.blocks.with(contentIndex, { ...block, text: block.text + event.delta })
      return [
        { ...draft, blocks },
        { kind: block.type, step: "delta", contentIndex, delta: event.delta }
      ]
    }
    case "BlockEnded":
      return endBlock(draft, event)
    case "UsageReported":
      return [{ ...draft, usage: Usage.make(event.tokens, draft.model.cost) }, undefined]
    case "Finished": {
      const { responseId, stopReason } = event
      return [{ ...draft, finished: { stopReason, ...(responseId === undefined ? {} : { responseId }) } }, undefined]
    }
  }
}

const endBlock = (
  draft: AssistantDraft,
  { redacted, signature }: { readonly signature?: string; readonly redacted?: boolean }
): readonly [AssistantDraft, Update | undefined] => {
  const contentIndex = draft.blocks.length - 1
  const block = draft.blocks[contentIndex]
  if (block === undefined || !draft.open) return [draft, undefined]
  const signed = signature === undefined ? {} : { signature }
  const ended: Block =
    block.type === "toolCall"
      ? { ...block, ended: true }
      : block.type === "text"
        ? { ...block, ...signed }
        : { ...block, ...signed, ...(redacted === true ? { redacted } : {}) }
  return [
    { ...draft, blocks: draft.blocks.with(contentIndex, ended), open: false },
    { kind: block.type, step: "end", contentIndex }
  ]
}

/** Closes a block that an abort or a failure cut off; a tool call stays marked as unfinished. */
export const cutOff = (draft: AssistantDraft): readonly [AssistantDraft, Update | undefined] => {
  const last = draft.blocks[draft.blocks.length - 1]
  if (last === undefined || !draft.open) return [draft, undefined]
  return [
    { ...draft, open: false },
    { kind: last.type, step: "end", contentIndex: draft.blocks.length - 1 }
  ]
}

/** Predicate.isRecord excludes arrays, which a model must not send as arguments. */
const asObject = (value: unknown): JsonObject => (Predicate.isRecord(value) ? { ...value } : {})

const toolCall = (block: ToolCallBlock): ToolCall => ({
  type: "toolCall",
  id: block.id,
  name: block.name,
  arguments: asObject(Json.parsePartial(block.text))
})

export const toContent = (block: Block): OutputContent => {
  switch (block.type) {
    case "text":
      return {
        type: "text",
        text: block.text,
        ...(block.signature === undefined ? {} : { textSignature: block.signature })
      }
    case "thinking":
      return {
        type: "thinking",
        thinking: block.text,
        ...(block.signature === undefined ? {} : { thinkingSignature: block.signature }),
        ...(block.redacted === undefined ? {} : { redacted: block.redacted })
      }
    case "toolCall":
      return toolCall(block)
  }
}

export type End = { readonly stopReason: StopReason; readonly errorMessage?: string }

/** The message as it stands; while it streams the stop reason is the placeholder `stop`. */
export const toMessage = (draft: AssistantDraft, end?: End): AssistantMessage => ({
  role: "assistant",
  content: draft.blocks.map(toContent),
  api: draft.model.api,
  provider: draft.model.provider,
  model: draft.model.id,
  usage: draft.usage,
  stopReason: end?.stopReason ?? draft.finished?.stopReason ?? "stop",
  ...(end?.errorMessage === undefined ? {} : { errorMessage: end.errorMessage }),
  ...(draft.finished?.responseId === undefined ? {} : { responseId: draft.finished.responseId }),
  timestamp: draft.timestamp
})

/** A call as the model left it: cut off by the output limit, not JSON, or ready to run. */
export type RequestedCall = { readonly call: ToolCall; readonly state: "ready" | "malformed" | "unfinished" }

export const requestedCalls = (draft: AssistantDraft): ReadonlyArray<RequestedCall> =>
  draft.blocks.flatMap((block): ReadonlyArray<RequestedCall> => {
    if (block.type !== "toolCall") return []
    // No arguments at all is how several providers spell `{}`.
    const parsed = Json.parse(block.text === "" ? "{}" : block.text)
    const complete = Either.isRight(parsed) && Predicate.isRecord(parsed.right)
    const cut = !block.ended || draft.finished?.stopReason === "length"
    return [{ call: toolCall(block), state: complete ? "ready" : cut ? "unfinished" : "malformed" }]
  })
