/** The body of a call to the Responses API. The server stores nothing: we send encrypted reasoning back to it. */
import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem
} from "openai/resources/responses/responses"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type InputContent, type OutputContent, plainText } from "../../../../domain/conversation/Content.ts"
import * as Json from "../../../../domain/Json.ts"
import type { Message, ToolResultMessage } from "../../../../domain/conversation/Message.ts"
import { defined } from "../../../../domain/Values.ts"
import type { ModelRequest, ToolDefinition } from "../../../../services/model/ModelClient.ts"
import type { Compat } from "../../providers/Protocol.ts"
import * as History from "../request/History.ts"
import * as Thinking from "../request/Thinking.ts"

const inputPart = (block: InputContent): ResponseInputContent =>
  block.type === "text"
    ? { type: "input_text", text: block.text }
    : { type: "input_image", detail: "auto", image_url: `data:${block.mimeType};base64,${block.data}` }

const Summary = Schema.Struct({ type: Schema.Literal("summary_text"), text: Schema.String })
const isSummary = Schema.is(Summary)

/** The signature of a thinking block is the server's own item. */
const reasoningItem = (signature: string | undefined): ReadonlyArray<ResponseReasoningItem> => {
  const item = Either.getOrUndefined(Json.parse(signature ?? ""))
  if (!Predicate.isRecord(item) || typeof item.id !== "string" || typeof item.encrypted_content !== "string") return []
  const summary = Array.isArray(item.summary) ? item.summary.filter(isSummary).map((part) => ({ ...part })) : []
  return [{ type: "reasoning", id: item.id, summary, encrypted_content: item.encrypted_content }]
}

const phases = ["commentary", "final_answer"] as const

const outputItem = (block: OutputContent): ReadonlyArray<ResponseInputItem> => {
  if (block.type === "thinking") return reasoningItem(block.thinkingSignature)
  if (block.type === "toolCall")
    return [{ type: "function_call", call_id: block.id, name: block.name, arguments: Json.stringify(block.arguments) }]
  const phase = phases.find((known) => known === block.textSignature)
  return [{ role: "assistant", content: block.text, ...defined({ phase }) }]
}

const outputOf = ({ content }: ToolResultMessage) => {
  const text = plainText(content)
  if (content.every(({ type }) => type === "text")) return text === "" ? "(no output)" : text
  return content.map(inputPart)
}

const itemsOf = (message: Message): ReadonlyArray<ResponseInputItem> => {
  if (message.role === "assistant") return message.content.flatMap(outputItem)
  return message.role === "user"
    ? [{ role: "user", content: message.content.map(inputPart) }]
    : [{ type: "function_call_output", call_id: message.toolCallId, output: outputOf(message) }]
}

const tool = ({ description, name, parameters }: ToolDefinition): FunctionTool => ({
  type: "function",
  name,
  description,
  parameters: { ...parameters },
  strict: false
})

const reasoning = ({ model, thinkingLevel }: ModelRequest): Partial<ResponseCreateParamsStreaming> => {
  const effort = Thinking.asOpenAiEffort(Thinking.openAi(model, thinkingLevel))
  if (!model.reasoning) return {}
  return { include: ["reasoning.encrypted_content"], ...defined({ reasoning: effort && { effort, summary: "auto" } }) }
}

const lead = ({ model, systemPrompt }: ModelRequest, compat: Compat): ReadonlyArray<ResponseInputItem> => {
  if (systemPrompt === "") return []
  return [
    { role: model.reasoning && compat.supportsDeveloperRole !== false ? "developer" : "system", content: systemPrompt }
  ]
}

export const body = (request: ModelRequest, compat: Compat): ResponseCreateParamsStreaming => {
  const { messages, model, sessionId, tools } = request
  return {
    model: model.id,
    stream: true,
    store: false,
    prompt_cache_key: sessionId,
    max_output_tokens: model.maxTokens,
    ...reasoning(request),
    ...(tools.length === 0 ? {} : { tools: tools.map(tool) }),
    input: [...lead(request, compat), ...History.prepare(messages, model).flatMap(itemsOf)]
  }
}
