/** The conversation as a model may be shown it (protocol.md 5.4). Pure; the same prefix always gives the same output. */
import type { InputContent, OutputContent, ToolCall } from "../../../domain/Content.ts"
import type { AssistantMessage, Message, ToolResultMessage, UserMessage } from "../../../domain/Message.ts"
import type { Model } from "../../../domain/Model.ts"
import { sendable } from "./Sendable.ts"

export const interruptedText = "Tool execution was interrupted (session recovery)."
export const imageOmittedText = "(image omitted: model does not support images)"

const longestId = 64

/** One name per call: servers that number their calls anew in every answer would otherwise repeat them. */
const makeNames = () => {
  const used = new Set<string>()
  return (id: string): string => {
    const base = id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, longestId) || "call"
    let name = base
    for (let n = 2; used.has(name); n++) name = `${base.slice(0, longestId - 8)}_${n}`
    used.add(name)
    return name
  }
}

const isOwn = (message: AssistantMessage, model: Model) =>
  message.provider === model.provider && message.api === model.api && message.model === model.id

const nonEmptyText = (block: OutputContent) => block.type === "text" && block.text.trim() !== ""

const foreignBlock = (block: OutputContent): ReadonlyArray<OutputContent> => {
  if (block.type === "toolCall") return [block]
  if (block.type === "text") return [{ type: "text", text: block.text }]
  return block.redacted === true || block.thinking.trim() === "" ? [] : [{ type: "text", text: block.thinking }]
}

const outputOf = (message: AssistantMessage, model: Model): ReadonlyArray<OutputContent> => {
  const own = isOwn(message, model)
  const kept = own ? message.content : message.content.flatMap(foreignBlock)
  if (message.stopReason === "error" || message.stopReason === "aborted") return kept.filter(nonEmptyText)
  return kept.filter((block) => block.type !== "text" || nonEmptyText(block))
}

const visible = (content: ReadonlyArray<InputContent>, model: Model): ReadonlyArray<InputContent> =>
  model.input.includes("image")
    ? content
    : content.map((block) => (block.type === "image" ? { type: "text", text: imageOmittedText } : block))

const missing = (call: ToolCall, timestamp: number): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: call.id,
  toolName: call.name,
  content: [{ type: "text", text: interruptedText }],
  isError: true,
  timestamp
})

/** The results that belong to a message: those before the next answer of the model. */
const resultsAfter = (messages: ReadonlyArray<Message>, index: number): Array<ToolResultMessage> => {
  const results: Array<ToolResultMessage> = []
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at]
    if (message === undefined || message.role === "assistant") break
    if (message.role === "toolResult") results.push(message)
  }
  return results
}

export const prepare = (conversation: ReadonlyArray<Message>, model: Model): ReadonlyArray<Message> => {
  const messages = conversation.map(sendable)
  const nameOf = makeNames()
  const prepared: Array<Message> = []

  const addUser = (message: UserMessage) => {
    const content = visible(message.content, model)
    const last = prepared.at(-1)
    if (content.length === 0) return
    if (last?.role === "user") prepared[prepared.length - 1] = { ...last, content: [...last.content, ...content] }
    else prepared.push({ ...message, content })
  }
  const addAssistant = (message: AssistantMessage, index: number) => {
    const results = resultsAfter(messages, index)
    const answers: Array<ToolResultMessage> = []
    const content = outputOf(message, model).map((block): OutputContent => {
      if (block.type !== "toolCall") return block
      const at = results.findIndex(({ toolCallId }) => toolCallId === block.id)
      const [result = missing(block, message.timestamp)] = at < 0 ? [] : results.splice(at, 1)
      const id = nameOf(block.id)
      answers.push({ ...result, toolCallId: id, content: visible(result.content, model) })
      return { ...block, id }
    })
    if (content.length > 0) prepared.push({ ...message, content }, ...answers)
  }
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") addUser(message)
    else if (message.role === "assistant") addAssistant(message, index)
  }
  return prepared
}
