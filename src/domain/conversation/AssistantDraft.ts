/**
 * An assistant message while it streams: an immutable value, folded from ModelEvents. A delta allocates a few small
 * objects, however long the message is: strings grow as ropes, and the engine flattens them when they are read.
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
/** `text` is the raw JSON of the arguments, and `ended` tells whether the model completed it. */
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
  /** Whether the last block is still open. */
  readonly open: boolean
  readonly usage: Usage.Usage
  readonly finished?: { readonly stopReason: FinishReason; readonly responseId?: string }
}

/** One step of the stream; `contentIndex` is the index of its block in the message. */
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

/** Ignores events that are out of place, such as a delta without an open block. */
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

/** Closes the block that an abort or a failure cut off. A tool call stays marked as unfinished. */
export const cutOff = (draft: AssistantDraft): readonly [AssistantDraft, Update | undefined] => {
  const last = draft.blocks[draft.blocks.length - 1]
  if (last === undefined || !draft.open) return [draft, undefined]
  return [
    { ...draft, open: false },
    { kind: last.type, step: "end", contentIndex: draft.blocks.length - 1 }
  ]
}

/** A record, because arrays are not valid arguments. */
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

/** The message so far. While it streams, its stop reason is the placeholder `stop`. */
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

/** A tool call is ready to run, or its arguments were cut off by the output limit or are not JSON. */
export type RequestedCall = { readonly call: ToolCall; readonly state: "ready" | "malformed" | "unfinished" }

export const requestedCalls = (draft: AssistantDraft): ReadonlyArray<RequestedCall> =>
  draft.blocks.flatMap((block): ReadonlyArray<RequestedCall> => {
    if (block.type !== "toolCall") return []
    // Several providers send no arguments instead of `{}`.
    const parsed = Json.parse(block.text === "" ? "{}" : block.text)
    const complete = Either.isRight(parsed) && Predicate.isRecord(parsed.right)
    const cut = !block.ended || draft.finished?.stopReason === "length"
    return [{ call: toolCall(block), state: complete ? "ready" : cut ? "unfinished" : "malformed" }]
  })
