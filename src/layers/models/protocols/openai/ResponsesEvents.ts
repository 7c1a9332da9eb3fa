/** The event stream of the Responses API. */
import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage
} from "openai/resources/responses/responses"
import * as Json from "../../../../domain/Json.ts"
import * as Usage from "../../../../domain/model/Usage.ts"
import * as Blocks from "../stream/Blocks.ts"
import { lastBytesMs, type Machine, type Stop, streamEnded } from "../stream/Machine.ts"

const reportOf = (usage: ResponseUsage): Usage.Report =>
  Usage.including({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.input_tokens_details?.cached_tokens ?? 0,
    cacheWrite: usage.input_tokens_details?.cache_write_tokens ?? 0
  })

const endOf = (item: ResponseOutputItem): Blocks.End => {
  if (item.type === "reasoning") return item.encrypted_content == null ? {} : { signature: Json.stringify(item) }
  return item.type === "message" && item.phase != null ? { signature: item.phase } : {}
}

const refusalOf = (text: string): Stop => ({
  reason: "refusal",
  message: `The model refused to answer${text === "" ? "" : `: ${text}`}`
})

export const make = (): Machine<ResponseStreamEvent> => {
  const blocks = Blocks.make()
  /** Tool calls without argument deltas: the event that ends them has all arguments. */
  const unheard = new Set<number>()
  let called = false
  let refusal = ""
  let finished = false

  const startItem = (index: number, item: ResponseOutputItem) => {
    if (item.type === "reasoning") blocks.start(index, { _tag: "ThinkingStarted" })
    else if (item.type === "message") blocks.start(index, { _tag: "TextStarted" })
    else if (item.type === "function_call") {
      called = true
      unheard.add(index)
      blocks.start(index, { _tag: "ToolCallStarted", id: item.call_id, name: item.name })
    }
  }
  const hear = (index: number, text: string) => {
    if (text !== "") unheard.delete(index)
    blocks.delta(index, text)
  }
  const endItem = (index: number, item: ResponseOutputItem) => {
    if (item.type === "function_call" && unheard.has(index)) hear(index, item.arguments)
    blocks.end(index, endOf(item))
  }
  const finish = (response: Response): Stop | undefined => {
    blocks.endAll()
    if (response.usage != null) blocks.push({ _tag: "UsageReported", tokens: reportOf(response.usage) })
    const cut = response.incomplete_details?.reason
    if (refusal !== "" || cut === "content_filter") return refusalOf(refusal)
    finished = true
    const stopReason = cut === "max_output_tokens" ? "length" : called ? "toolUse" : "stop"
    blocks.push({ _tag: "Finished", stopReason, responseId: response.id })
    return undefined
  }
  const take = (event: ResponseStreamEvent): Stop | undefined => {
    switch (event.type) {
      case "response.output_text.delta":
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        blocks.delta(event.output_index, event.delta)
        break
      case "response.function_call_arguments.delta":
        hear(event.output_index, event.delta)
        break
      case "response.function_call_arguments.done":
        if (unheard.has(event.output_index)) hear(event.output_index, event.arguments)
        break
      case "response.refusal.delta":
        refusal += event.delta
        break
      case "response.reasoning_summary_part.added":
        if (event.summary_index > 0) blocks.delta(event.output_index, "\n\n")
        break
      case "response.output_item.added":
        startItem(event.output_index, event.item)
        break
      case "response.output_item.done":
        endItem(event.output_index, event.item)
        break
      case "response.completed":
      case "response.incomplete":
        return finish(event.response)
      case "response.failed":
        return { error: event.response.error }
      case "error":
        return { error: event }
    }
    return undefined
  }
  return {
    take,
    end: () => (finished ? undefined : streamEnded),
    fault: blocks.fault,
    drain: blocks.drain,
    finished: () => finished,
    drainMs: lastBytesMs
  }
}
