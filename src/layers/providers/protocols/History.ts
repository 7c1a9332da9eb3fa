/**
 * The conversation as a model may be shown it (protocol.md 5.4). Pure; the same prefix always gives the same output,
 * and as far as it can the same objects, so that what protocols make of them is made once.
 */
import type { InputContent, OutputContent, ToolCall } from "../../../domain/Content.ts"
import type { AssistantMessage, Message, ToolResultMessage, UserMessage } from "../../../domain/Message.ts"
import type { Model } from "../../../domain/Model.ts"
import * as Kept from "./Kept.ts"
import { sendable } from "./Sendable.ts"

export const interruptedText = "Tool execution was interrupted (session recovery)."
export const imageOmittedText = "(image omitted: model does not support images)"

const longestId = 64

const baseOf = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, longestId) || "call"

type Claim = (base: string) => string

/** One name per call: servers that number their calls anew in every answer would otherwise repeat them. */
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

/** A message that asked for something, and what the answers to its calls were made from. */
interface Parts {
  readonly model: Model
  readonly results: ReadonlyArray<ToolResultMessage>
  readonly output: ReadonlyArray<OutputContent>
  /** What its calls are to be named, and what they are. */
  readonly bases: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}

interface Exchange extends Parts {
  /** The message and the answers; none when nothing of the message is left. */
  readonly messages: ReadonlyArray<Message>
}

const build = (message: AssistantMessage, { model, names, output, ...parts }: Parts): ReadonlyArray<Message> => {
  const results = parts.results.map(sendable)
  const answers: Array<ToolResultMessage> = []
  const content = output.map((block): OutputContent => {
    if (block.type !== "toolCall") return block
    const at = results.findIndex(({ toolCallId }) => toolCallId === block.id)
    const [result = missing(block, message.timestamp)] = at < 0 ? [] : results.splice(at, 1)
    const id = names[answers.length] ?? block.id
    answers.push({ ...result, toolCallId: id, content: visible(result.content, model) })
    return { ...block, id }
  })
  return content.length > 0 ? [{ ...message, content }, ...answers] : []
}

const isSame = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index])

const exchanges = new WeakMap<AssistantMessage, Exchange>()

const keep = (message: AssistantMessage, parts: Parts): ReadonlyArray<Message> => {
  const messages = build(message, parts)
  exchanges.set(message, { ...parts, messages })
  return messages
}

/** Names depend on the calls before and are claimed every time; the rest is made again only where it would differ. */
const exchange = (
  message: AssistantMessage,
  results: ReadonlyArray<ToolResultMessage>,
  model: Model,
  claim: Claim
): ReadonlyArray<Message> => {
  const known = exchanges.get(message)
  if (known !== undefined && known.model === model && isSame(known.results, results)) {
    const names = known.bases.map(claim)
    if (isSame(known.names, names)) return known.messages
    return keep(message, { ...known, names })
  }
  const output = outputOf(sendable(message), model)
  const bases = output.flatMap((block) => (block.type === "toolCall" ? [baseOf(block.id)] : []))
  return keep(message, { model, results, output, bases, names: bases.map(claim) })
}

const shown = Kept.makeFor((message: UserMessage, model: Model): UserMessage => {
  const clean = sendable(message)
  return { ...clean, content: visible(clean.content, model) }
})

export const prepare = (conversation: ReadonlyArray<Message>, model: Model): ReadonlyArray<Message> => {
  const claim = makeNames()
  const prepared: Array<Message> = []

  const addUser = (message: UserMessage) => {
    const last = prepared.at(-1)
    if (message.content.length === 0) return
    if (last?.role === "user")
      prepared[prepared.length - 1] = { ...last, content: [...last.content, ...message.content] }
    else prepared.push(message)
  }
  for (const [index, message] of conversation.entries()) {
    if (message.role === "user") addUser(shown(message, model))
    else if (message.role === "assistant")
      prepared.push(...exchange(message, resultsAfter(conversation, index), model, claim))
  }
  return prepared
}
