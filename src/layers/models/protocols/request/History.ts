/** The conversation as providers accept it (protocol.md 5.4). Pure; the same prefix always gives the same output. */
import type { InputContent, OutputContent, ToolCall } from "../../../../domain/conversation/Content.ts"
import type {
  AssistantMessage,
  Message,
  ToolResultMessage,
  UserMessage
} from "../../../../domain/conversation/Message.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import { sendable } from "./Sendable.ts"

export const interruptedText = "Tool execution was interrupted (session recovery)."
export const imageOmittedText = "(image omitted: model does not support images)"

const longestId = 64

const baseOf = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, longestId) || "call"

type Claim = (base: string) => string

/** Gives every tool call an id of its own: some servers start counting again in every answer. */
const makeNames = (): Claim => {
  const used = new Set<string>()
  return (base) => {
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

/** The tool results of an assistant message: those before the next assistant message. */
const resultsAfter = (messages: ReadonlyArray<Message>, index: number): Array<ToolResultMessage> => {
  const results: Array<ToolResultMessage> = []
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at]
    if (message === undefined || message.role === "assistant") break
    if (message.role === "toolResult") results.push(message)
  }
  return results
}

/** An assistant message and the results of its tool calls, or nothing if no block of the message can be sent. */
const exchange = (
  message: AssistantMessage,
  answered: ReadonlyArray<ToolResultMessage>,
  model: Model,
  claim: Claim
): ReadonlyArray<Message> => {
  const results = answered.map(sendable)
  const answers: Array<ToolResultMessage> = []
  const content = outputOf(sendable(message), model).map((block): OutputContent => {
    if (block.type !== "toolCall") return block
    const at = results.findIndex(({ toolCallId }) => toolCallId === block.id)
    const [result = missing(block, message.timestamp)] = at < 0 ? [] : results.splice(at, 1)
    const id = claim(baseOf(block.id))
    answers.push({ ...result, toolCallId: id, content: visible(result.content, model) })
    return { ...block, id }
  })
  return content.length > 0 ? [{ ...message, content }, ...answers] : []
}

const shown = (message: UserMessage, model: Model): UserMessage => {
  const clean = sendable(message)
  return { ...clean, content: visible(clean.content, model) }
}

export const prepare = (conversation: ReadonlyArray<Message>, model: Model): ReadonlyArray<Message> => {
  const claim = makeNames()
  const messages: Array<Message> = []
  const addUser = (message: UserMessage) => {
    const last = messages.at(-1)
    if (message.content.length === 0) return
    if (last?.role === "user")
      messages[messages.length - 1] = { ...last, content: [...last.content, ...message.content] }
    else messages.push(message)
  }
  conversation.forEach((message, at) => {
    if (message.role === "user") addUser(shown(message, model))
    else if (message.role === "assistant")
      messages.push(...exchange(message, resultsAfter(conversation, at), model, claim))
  })
  return messages
}
