/** The event stream of the Messages API. */
import type { MessageDeltaUsage, RawMessageStreamEvent, Usage } from "@anthropic-ai/sdk/resources/messages"
import * as Json from "../../../../domain/Json.ts"
import type { FinishReason } from "../../../../domain/model/ModelEvent.ts"
import { type Report, zeroTokens } from "../../../../domain/model/Usage.ts"
import { defined } from "../../../../domain/Values.ts"
import * as Blocks from "../stream/Blocks.ts"
import { type Fault, lastBytesMs, type Machine, type Stop, streamEnded } from "../stream/Machine.ts"

type Raw = RawMessageStreamEvent
type BlockStart = Extract<Raw, { readonly type: "content_block_start" }>
type BlockDelta = Extract<Raw, { readonly type: "content_block_delta" }>

/** Servers that imitate the API leave fields out that the SDK's types promise. */
const addUsage = (report: Report, usage: Partial<Usage | MessageDeltaUsage>): Report => ({
  input: usage.input_tokens ?? report.input,
  output: usage.output_tokens ?? report.output,
  cacheRead: usage.cache_read_input_tokens ?? report.cacheRead,
  cacheWrite: usage.cache_creation_input_tokens ?? report.cacheWrite
})

const finishReasons = new Map<string, FinishReason>([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "toolUse"]
])

const refusal = (explanation: string | null | undefined): Fault => ({
  reason: "refusal",
  message: `The model refused to answer${explanation == null ? "" : `: ${explanation}`}`
})

interface OpenBlock {
  end: Blocks.End
  /** Input that came whole with the start, used if no deltas follow. */
  input: string
}

export const make = (): Machine<Raw> => {
  const blocks = Blocks.make()
  const open = new Map<number, OpenBlock>()
  let tokens: Report = zeroTokens
  let responseId: string | undefined
  let stopReason: string | undefined
  let refused: Fault | undefined
  let finished = false

  const startBlock = ({ content_block: block, index }: BlockStart) => {
    if (block.type === "text") {
      blocks.start(index, { _tag: "TextStarted" })
      blocks.delta(index, block.text ?? "")
    } else if (block.type === "thinking") {
      blocks.start(index, { _tag: "ThinkingStarted" })
      blocks.delta(index, block.thinking ?? "")
    } else if (block.type === "redacted_thinking") blocks.start(index, { _tag: "ThinkingStarted" })
    else if (block.type === "tool_use") blocks.start(index, { _tag: "ToolCallStarted", id: block.id, name: block.name })
    const input = block.type === "tool_use" && block.input !== undefined ? Json.stringify(block.input) : "{}"
    const redacted = block.type === "redacted_thinking" ? { signature: block.data, redacted: true } : {}
    open.set(index, { end: redacted, input: input === "{}" ? "" : input })
  }
  const addDelta = ({ delta, index }: BlockDelta) => {
    if (delta.type === "text_delta") return blocks.delta(index, delta.text)
    if (delta.type === "thinking_delta") return blocks.delta(index, delta.thinking)
    const block = open.get(index)
    if (block === undefined) return
    if (delta.type === "signature_delta")
      block.end = { ...block.end, signature: (block.end.signature ?? "") + delta.signature }
    else if (delta.type === "input_json_delta") {
      block.input = ""
      blocks.delta(index, delta.partial_json)
    }
  }
  const endBlock = (index: number) => {
    const block = open.get(index)
    blocks.delta(index, block?.input ?? "")
    blocks.end(index, block?.end)
    open.delete(index)
  }
  const report = (usage: Partial<Usage | MessageDeltaUsage> | null | undefined) => {
    if (usage == null) return
    tokens = addUsage(tokens, usage)
    blocks.push({ _tag: "UsageReported", tokens })
  }
  const finish = (): Stop | undefined => {
    blocks.endAll()
    if (refused !== undefined) return refused
    finished = true
    const reason = finishReasons.get(stopReason ?? "") ?? "stop"
    blocks.push({ _tag: "Finished", stopReason: reason, ...defined({ responseId }) })
    return undefined
  }
  return {
    take: (event) => {
      if (event.type === "content_block_delta") addDelta(event)
      else if (event.type === "content_block_start") startBlock(event)
      else if (event.type === "content_block_stop") endBlock(event.index)
      else if (event.type === "message_start") {
        responseId = event.message.id
        report(event.message.usage)
      } else if (event.type === "message_delta") {
        stopReason = event.delta.stop_reason ?? stopReason
        if (stopReason === "refusal") refused = refusal(event.delta.stop_details?.explanation)
        report(event.usage)
      } else if (event.type === "message_stop" && !finished) return finish()
      return undefined
    },
    end: () => (finished ? undefined : (refused ?? streamEnded)),
    fault: blocks.fault,
    drain: blocks.drain,
    finished: () => finished,
    drainMs: lastBytesMs
  }
}
