/** The body of a call to a chat completions server, adapted to its `Compat`. */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam
} from "openai/resources/chat/completions"
import * as Json from "../../../../domain/Json.ts"
import { type InputContent, type JsonObject, plainText } from "../../../../domain/conversation/Content.ts"
import type { AssistantMessage, Message, ToolResultMessage } from "../../../../domain/conversation/Message.ts"
import type { ModelRequest, ToolDefinition } from "../../../../services/model/ModelClient.ts"
import type { Compat } from "../../providers/Protocol.ts"
import * as History from "../request/History.ts"
import * as Thinking from "../request/Thinking.ts"

/** Servers that stream thinking want it back in the field that they sent it in. */
export const thinkingFields = ["reasoning_content", "reasoning", "reasoning_text"] as const
export type ThinkingField = (typeof thinkingFields)[number]

type Assistant = ChatCompletionAssistantMessageParam & { [field in ThinkingField]?: string }

const part = (block: InputContent): ChatCompletionContentPart =>
  block.type === "text"
    ? { type: "text", text: block.text }
    : { type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } }

const images = (content: ReadonlyArray<InputContent>) => content.filter(({ type }) => type === "image").map(part)

/** Sends plain text as a string: several servers accept nothing else. */
const userContent = (content: ReadonlyArray<InputContent>) =>
  content.every(({ type }) => type === "text")
    ? content.map((block) => plainText([block])).join("\n")
    : content.map(part)

const assistant = (message: AssistantMessage, compat: Compat): Assistant => {
  let text = ""
  let thinking = ""
  let field: ThinkingField | undefined
  const calls: NonNullable<Assistant["tool_calls"]> = []
  for (const block of message.content) {
    if (block.type === "text") text += block.text
    else if (block.type === "toolCall")
      calls.push({
        id: block.id,
        type: "function",
        function: { name: block.name, arguments: Json.stringify(block.arguments) }
      })
    else {
      thinking += block.thinking
      field ??= thinkingFields.find((name) => name === block.thinkingSignature)
    }
  }
  const asText = compat.requiresThinkingAsText === true && thinking !== ""
  return {
    role: "assistant",
    content: asText ? `<thinking>\n${thinking}\n</thinking>\n${text}` : text === "" ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(asText || field === undefined || thinking === "" ? {} : { [field]: thinking })
  }
}

const toolResult = (message: ToolResultMessage, compat: Compat): ChatCompletionMessageParam => {
  const text = plainText(message.content)
  const shown = text === "" ? (images(message.content).length > 0 ? "(see the image below)" : "(no output)") : text
  const named = compat.requiresToolResultName === true ? { name: message.toolName } : {}
  return { role: "tool", tool_call_id: message.toolCallId, content: shown, ...named }
}

/** Tool results cannot hold images here: a user message after the last result of the batch has them. */
const messagesOf = (history: ReadonlyArray<Message>, compat: Compat): Array<ChatCompletionMessageParam> => {
  const out: Array<ChatCompletionMessageParam> = []
  let pictures: Array<ChatCompletionContentPart> = []
  history.forEach((message, index) => {
    if (message.role === "assistant") out.push(assistant(message, compat))
    else if (message.role === "toolResult") {
      out.push(toolResult(message, compat))
      pictures.push(...images(message.content))
    }
    const next = history[index + 1]?.role
    if (message.role === "toolResult" && next !== "toolResult") {
      if (compat.requiresAssistantAfterToolResult === true && (next === "user" || pictures.length > 0))
        out.push({ role: "assistant", content: "I have processed the tool results." })
      if (pictures.length > 0)
        out.push({ role: "user", content: [{ type: "text", text: "Images from the tool results:" }, ...pictures] })
      pictures = []
    }
    if (message.role === "user") out.push({ role: "user", content: userContent(message.content) })
  })
  return out
}

const tool = ({ description, name, parameters }: ToolDefinition, compat: Compat): ChatCompletionFunctionTool => ({
  type: "function",
  function: { name, description, parameters, ...(compat.supportsStrictMode === false ? {} : { strict: false }) }
})

const effortOf = (request: ModelRequest, compat: Compat): JsonObject =>
  compat.supportsReasoningEffort === false && compat.thinkingFormat === undefined
    ? {}
    : Thinking.chat(compat.thinkingFormat ?? "openai", request.model, request.thinkingLevel)

const lead = ({ model, systemPrompt }: ModelRequest, compat: Compat): ReadonlyArray<ChatCompletionMessageParam> => {
  if (systemPrompt === "") return []
  const developer = model.reasoning && compat.supportsDeveloperRole !== false
  return [{ role: developer ? "developer" : "system", content: systemPrompt }]
}

export const body = (request: ModelRequest, compat: Compat): ChatCompletionCreateParamsStreaming => {
  const { messages, model, sessionId, tools } = request
  const limit = compat.maxTokensField ?? "max_completion_tokens"
  return {
    model: model.id,
    stream: true,
    [limit]: model.maxTokens,
    ...(tools.length === 0 ? {} : { tools: tools.map((definition) => tool(definition, compat)) }),
    ...(compat.supportsUsageInStreaming === false ? {} : { stream_options: { include_usage: true } }),
    ...(compat.supportsStore === false ? {} : { store: false, prompt_cache_key: sessionId }),
    ...effortOf(request, compat),
    messages: [...lead(request, compat), ...messagesOf(History.prepare(messages, model), compat)]
  }
}
