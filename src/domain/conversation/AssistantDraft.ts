/**
 * An assistant message while it streams: an immutable value, folded from ModelEvents. A delta allocates a few small
 * objects, however long the message is: strings grow as ropes, and the engine flattens them when they are read.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Blocks from "./Blocks.ts"
import type { JsonObject, OutputContent, ToolCall } from "./Content.ts"
import * as Json from "../Json.ts"
import type { JsonScan } from "../JsonScan.ts"
import type { AssistantMessage, StopReason } from "./Message.ts"
import type { Model } from "../model/Model.ts"
import type { FinishReason, ModelEvent } from "../model/ModelEvent.ts"
import * as Usage from "../model/Usage.ts"
import { defined } from "../Values.ts"

export interface AssistantDraft {
  readonly model: Model
  readonly timestamp: number
  /** Absent before the first block. */
  readonly blocks?: Blocks.Blocks
  /** Whether the last block is still open. */
  readonly open: boolean
  readonly usage: Usage.Usage
  /** The usage as the provider reports it; absent before the first report. */
  readonly reported?: Usage.Decoded & { readonly exact?: true }
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
  open: false,
  usage: Usage.zero
})

const appendBlock = (draft: AssistantDraft, block: Blocks.Block): readonly [AssistantDraft, Update] => {
  const contentIndex = Blocks.countOf(draft.blocks)
  return [
    { ...draft, blocks: Blocks.append(draft.blocks, block), open: true },
    { kind: block.type, step: "start", contentIndex }
  ]
}

/** Ignores events that come out of order, such as a delta without an open block. */
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
      const { blocks } = draft
      if (blocks === undefined || !draft.open) return [draft, undefined]
      const { count, last } = blocks
      return [
        { ...draft, blocks: Blocks.replaceLast(blocks, { ...last, text: last.text + event.delta }) },
        { kind: last.type, step: "delta", contentIndex: count - 1, delta: event.delta }
      ]
    }
    case "BlockEnded":
      return endBlock(draft, event)
    case "UsageReported":
      return [reportUsage(draft, event), undefined]
    case "Finished": {
      const { responseId, stopReason } = event
      return [{ ...draft, finished: { stopReason, ...defined({ responseId }) } }, undefined]
    }
  }
}

const reportUsage = (
  draft: AssistantDraft,
  { exact, tokens: report }: Extract<ModelEvent, { readonly _tag: "UsageReported" }>
): AssistantDraft => {
  const reported = { ...Usage.decode(report, draft.reported?.tokens), ...(exact === true ? { exact } : {}) }
  return {
    ...draft,
    reported: { ...draft.reported, ...reported },
    usage: Usage.make(reported.tokens, draft.model.cost)
  }
}

const endBlock = (
  draft: AssistantDraft,
  { redacted, signature }: { readonly signature?: string; readonly redacted?: boolean }
): readonly [AssistantDraft, Update | undefined] => {
  const { blocks } = draft
  if (blocks === undefined || !draft.open) return [draft, undefined]
  const block = blocks.last
  const signed = defined({ signature })
  const ended: Blocks.Block =
    block.type === "toolCall"
      ? { ...block, ended: true }
      : block.type === "text"
        ? { ...block, ...signed }
        : { ...block, ...signed, ...(redacted === true ? { redacted } : {}) }
  return [
    { ...draft, blocks: Blocks.replaceLast(blocks, ended), open: false },
    { kind: block.type, step: "end", contentIndex: blocks.count - 1 }
  ]
}

/** Closes the block that an abort or a failure cut off. A tool call stays marked as unfinished. */
export const cutOff = (draft: AssistantDraft): readonly [AssistantDraft, Update | undefined] => {
  const { blocks } = draft
  if (blocks === undefined || !draft.open) return [draft, undefined]
  return [
    { ...draft, open: false },
    { kind: blocks.last.type, step: "end", contentIndex: blocks.count - 1 }
  ]
}

/** A record, because arrays are not valid arguments. */
const asObject = (value: unknown): JsonObject => (Predicate.isRecord(value) ? { ...value } : {})

const toolCall = (block: Blocks.ToolCallBlock, args: unknown): ToolCall => ({
  type: "toolCall",
  id: block.id,
  name: block.name,
  arguments: asObject(args)
})

/** The scan has read the text of the block, so that the text need not be looked at again. */
export const toContent = (block: Blocks.Block, scan?: JsonScan): OutputContent => {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...defined({ textSignature: block.signature }) }
    case "thinking":
      return {
        type: "thinking",
        thinking: block.text,
        ...defined({ thinkingSignature: block.signature, redacted: block.redacted })
      }
    case "toolCall":
      return toolCall(block, scan === undefined ? Json.parsePartial(block.text) : Json.parseScanned(block.text, scan))
  }
}

export type End = { readonly stopReason: StopReason; readonly errorMessage?: string }

/** The message so far. While it streams, its stop reason is the placeholder `stop`. */
export const toMessage = (draft: AssistantDraft, end?: End): AssistantMessage => ({
  role: "assistant",
  content: Blocks.slice(draft.blocks).map((block) => toContent(block)),
  api: draft.model.api,
  provider: draft.model.provider,
  model: draft.model.id,
  usage: draft.usage,
  stopReason: end?.stopReason ?? draft.finished?.stopReason ?? "stop",
  ...defined({ errorMessage: end?.errorMessage, responseId: draft.finished?.responseId }),
  timestamp: draft.timestamp
})

/**
 * A tool call is ready to run, or its arguments were cut off by the output limit, are not JSON, or break the bounds of
 * data from others. Arguments that break a bound are not kept, and `excess` says which.
 */
export type RequestedCall = {
  readonly call: ToolCall
  readonly state: "ready" | "malformed" | "unfinished" | "excessive"
  readonly excess?: string
}

const requested = (block: Blocks.ToolCallBlock, isCut: boolean): RequestedCall => {
  const excess = Json.excessOf(block.text)
  if (excess !== undefined) return { call: toolCall(block, {}), state: "excessive", excess }
  // Several providers send no arguments instead of `{}`.
  const parsed = Json.parse(block.text === "" ? "{}" : block.text)
  if (Either.isRight(parsed) && Predicate.isRecord(parsed.right)) {
    return { call: toolCall(block, parsed.right), state: "ready" }
  }
  return { call: toolCall(block, Json.parsePartial(block.text)), state: isCut ? "unfinished" : "malformed" }
}

export const requestedCalls = (draft: AssistantDraft): ReadonlyArray<RequestedCall> => {
  const isShort = draft.finished?.stopReason === "length"
  return Blocks.slice(draft.blocks).flatMap((block) =>
    block.type === "toolCall" ? [requested(block, isShort || !block.ended)] : []
  )
}
