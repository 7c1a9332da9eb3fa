/** The chunks of a chat completions server. They do not mark the end of a block: one of another kind ends it. */
import type { ChatCompletionChunk } from "openai/resources/chat/completions"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Json from "../../../../domain/Json.ts"
import type { FinishReason } from "../../../../domain/model/ModelEvent.ts"
import * as Usage from "../../../../domain/model/Usage.ts"
import { defined } from "../../../../domain/Values.ts"
import * as Blocks from "../stream/Blocks.ts"
import { type ThinkingField, thinkingFields } from "./ChatRequest.ts"
import { type Machine, streamEnded } from "../stream/Machine.ts"

type Delta = ChatCompletionChunk.Choice.Delta
type CallDelta = ChatCompletionChunk.Choice.Delta.ToolCall
type ChunkUsage = NonNullable<ChatCompletionChunk["usage"]>

interface Call {
  readonly key: number
  readonly id: string
  text: string
}

const reportOf = (usage: ChunkUsage): Usage.Report =>
  Usage.including({
    input: usage.prompt_tokens ?? 0,
    output: usage.completion_tokens ?? 0,
    cacheRead: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWrite: usage.prompt_tokens_details?.cache_write_tokens ?? 0
  })

const thinkingIn = (delta: Delta): { readonly field: ThinkingField; readonly text: string } | undefined => {
  for (const field of thinkingFields) {
    const text = Predicate.hasProperty(delta, field) ? delta[field] : undefined
    if (typeof text === "string" && text !== "") return { field, text }
  }
  return undefined
}

export const make = (): Machine<ChatCompletionChunk> => {
  const blocks = Blocks.make()
  const calls = new Map<number, Call>()
  /** By key: those whose arguments are not over. */
  const incomplete = new Map<number, Call>()
  let keys = 0
  let current: { readonly kind: "text" | "thinking" | "calls"; readonly key: number } | undefined
  let field: ThinkingField | undefined
  let callCount = 0
  let lastIndex = 0
  let refusal = ""
  let finishReason: string | undefined
  let responseId: string | undefined

  const close = () => {
    if (current?.kind === "thinking") blocks.end(current.key, defined({ signature: field }))
    blocks.endAll()
    calls.clear()
    incomplete.clear()
    current = undefined
  }
  const say = (kind: "text" | "thinking", text: string) => {
    if (current?.kind !== kind) {
      close()
      current = { kind, key: keys++ }
      blocks.start(current.key, { _tag: kind === "text" ? "TextStarted" : "ThinkingStarted" })
    }
    blocks.delta(current.key, text)
  }
  /** Ends tool calls whose arguments are complete. An incomplete one stays open, and later ones wait for it. */
  const endComplete = () => {
    for (const [key, call] of incomplete) {
      if (Either.isLeft(Json.parse(call.text))) continue
      blocks.end(key)
      incomplete.delete(key)
    }
  }
  const startCall = (index: number, delta: CallDelta): Call => {
    if (current?.kind !== "calls") close()
    endComplete()
    const call: Call = { key: keys++, id: delta.id ?? "", text: "" }
    current = { kind: "calls", key: call.key }
    calls.set(index, call)
    incomplete.set(call.key, call)
    const id = call.id === "" ? `call_${callCount}` : call.id
    blocks.start(call.key, { _tag: "ToolCallStarted", id, name: delta.function?.name ?? "" })
    callCount++
    return call
  }
  const addCall = (delta: CallDelta) => {
    const index = delta.index ?? (delta.id === undefined ? lastIndex : callCount)
    lastIndex = index
    const known = calls.get(index)
    // Some servers give every call the index 0; only the id tells them apart.
    const another = known !== undefined && delta.id != null && delta.id !== "" && delta.id !== known.id
    const call = known === undefined || another ? startCall(index, delta) : known
    const text = delta.function?.arguments ?? ""
    call.text += text
    blocks.delta(call.key, text)
  }
  const add = (delta: Delta) => {
    const thinking = thinkingIn(delta)
    if (thinking !== undefined) {
      field = thinking.field
      say("thinking", thinking.text)
    }
    if (delta.content != null && delta.content !== "") say("text", delta.content)
    if (delta.refusal != null) refusal += delta.refusal
    for (const call of delta.tool_calls ?? []) addCall(call)
  }
  const reason = (): FinishReason => {
    if (finishReason === "length") return "length"
    return callCount > 0 ? "toolUse" : "stop"
  }
  return {
    take: (chunk) => {
      const choice = chunk.choices?.[0]
      if (choice?.delta != null) add(choice.delta)
      responseId ??= chunk.id
      finishReason = choice?.finish_reason ?? finishReason
      if (chunk.usage != null) blocks.push({ _tag: "UsageReported", tokens: reportOf(chunk.usage) })
      return undefined
    },
    end: () => {
      if (finishReason === undefined) return streamEnded
      if (finishReason === "content_filter" || refusal !== "")
        return { reason: "refusal", message: `The model refused to answer${refusal && `: ${refusal}`}` }
      close()
      blocks.push({ _tag: "Finished", stopReason: reason(), ...defined({ responseId }) })
      return undefined
    },
    fault: blocks.fault,
    drain: blocks.drain,
    finished: () => finishReason !== undefined,
    // The usage follows the finish reason, on some gateways seconds later.
    drainMs: 5000
  }
}
