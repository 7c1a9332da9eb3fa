/** The body of a call to the Messages API. Its prefix is byte-identical from turn to turn, apart from cache marks. */
import type {
  CacheControlEphemeral,
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool
} from "@anthropic-ai/sdk/resources/messages"
import type { InputContent, OutputContent } from "../../../../domain/conversation/Content.ts"
import type { Message, ToolResultMessage } from "../../../../domain/conversation/Message.ts"
import type { ModelRequest, ToolDefinition } from "../../../../services/model/ModelClient.ts"
import * as History from "../request/History.ts"
import * as Thinking from "../request/Thinking.ts"

const cached: { readonly cache_control: CacheControlEphemeral } = { cache_control: { type: "ephemeral" } }

const mediaTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const

const inputBlock = (block: InputContent): TextBlockParam | ImageBlockParam => {
  if (block.type === "text") return { type: "text", text: block.text }
  const media_type = mediaTypes.find((type) => type === block.mimeType)
  return media_type === undefined
    ? { type: "text", text: `(image omitted: ${block.mimeType} is not supported)` }
    : { type: "image", source: { type: "base64", media_type, data: block.data } }
}

/** The API refuses empty text. */
const inputBlocks = (content: ReadonlyArray<InputContent>) =>
  content.filter((block) => block.type !== "text" || block.text.trim() !== "").map(inputBlock)

const outputBlock = (block: OutputContent): ReadonlyArray<ContentBlockParam> => {
  if (block.type === "toolCall") return [{ type: "tool_use", id: block.id, name: block.name, input: block.arguments }]
  if (block.type === "text") return [{ type: "text", text: block.text }]
  if (block.thinkingSignature !== undefined)
    return block.redacted === true
      ? [{ type: "redacted_thinking", data: block.thinkingSignature }]
      : [{ type: "thinking", thinking: block.thinking, signature: block.thinkingSignature }]
  // The API refuses unsigned thinking. As text, the model can still read it.
  return block.redacted === true || block.thinking.trim() === "" ? [] : [{ type: "text", text: block.thinking }]
}

const toolResult = (message: ToolResultMessage): ContentBlockParam => ({
  type: "tool_result",
  tool_use_id: message.toolCallId,
  content: inputBlocks(message.content),
  ...(message.isError ? { is_error: true } : {})
})

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: Array<ContentBlockParam>
}

const blocksOf = (message: Message): Array<ContentBlockParam> => {
  if (message.role === "assistant") return message.content.flatMap(outputBlock)
  return message.role === "user" ? inputBlocks(message.content) : [toolResult(message)]
}

/** Tool results and the user message after them form one user turn. */
const turnsOf = (messages: ReadonlyArray<Message>): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user"
    const content = blocksOf(message)
    const last = turns.at(-1)
    if (content.length === 0) continue
    if (last?.role === role) last.content.push(...content)
    else turns.push({ role, content })
  }
  return turns
}

const mark = (block: ContentBlockParam): ContentBlockParam =>
  block.type === "text" || block.type === "image" || block.type === "tool_result" ? { ...block, ...cached } : block

const markLast = ({ content, role }: Turn): Turn => ({
  role,
  content: content.map((block, at) => (at === content.length - 1 ? mark(block) : block))
})

/** Marks the last two user turns: the last one writes the cache, the one before reads it. */
const withMarks = (turns: ReadonlyArray<Turn>): Array<Turn> => {
  const messages = [...turns]
  let marks = 2
  for (let at = turns.length - 1; at >= 0 && marks > 0; at--) {
    const turn = turns[at]
    if (turn?.role !== "user") continue
    messages[at] = markLast(turn)
    marks--
  }
  return messages
}

const tool = ({ description, name, parameters }: ToolDefinition): Tool => ({
  name,
  description,
  input_schema: { ...parameters, type: "object" }
})

const withLastMarked = (tools: ReadonlyArray<Tool>): Array<Tool> =>
  tools.map((definition, index) => (index === tools.length - 1 ? { ...definition, ...cached } : definition))

const thinkingParams = (thinking: Thinking.AnthropicThinking): Partial<MessageCreateParamsStreaming> => {
  switch (thinking.style) {
    case "none":
      return {}
    case "disabled":
      return { thinking: { type: "disabled" } }
    case "adaptive":
      // Recent models would otherwise send signatures without the text.
      return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: thinking.effort } }
    case "budget":
      return { thinking: { type: "enabled", budget_tokens: thinking.budget } }
  }
}

export const body =
  (budgets: Thinking.Budgets) =>
  (request: ModelRequest): MessageCreateParamsStreaming => {
    const { messages, model, systemPrompt, thinkingLevel, tools } = request
    return {
      model: model.id,
      max_tokens: model.maxTokens,
      stream: true,
      ...thinkingParams(Thinking.anthropic(model, thinkingLevel, budgets)),
      ...(tools.length === 0 ? {} : { tools: withLastMarked(tools.map(tool)) }),
      ...(systemPrompt === "" ? {} : { system: [{ type: "text", text: systemPrompt, ...cached }] }),
      messages: withMarks(turnsOf(History.prepare(messages, model)))
    }
  }
