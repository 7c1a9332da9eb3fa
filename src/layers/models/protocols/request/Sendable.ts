/**
 * Replaces content that servers refuse before it is sent, because every later call of the conversation would fail, too:
 * halves of surrogate pairs, images that are too large, and images that are not Base64.
 */
import * as Predicate from "effect/Predicate"
import type { ImageContent, InputContent, JsonObject, OutputContent } from "../../../../domain/conversation/Content.ts"
import type { Message } from "../../../../domain/conversation/Message.ts"

/** The smallest limit among the providers, in characters of Base64. */
export const maxImageChars = 5 * 1024 * 1024

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

const refusal = ({ data }: ImageContent): string | undefined => {
  if (data.length > maxImageChars) {
    return `(image omitted: ${data.length} characters of Base64 are more than the ${maxImageChars} that models take)`
  }
  return data.length % 4 === 0 && data !== "" && base64.test(data)
    ? undefined
    : "(image omitted: its data is not Base64)"
}

const cleanText = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed())

const cleanInput = (block: InputContent): InputContent => {
  if (block.type === "text") return { ...block, text: cleanText(block.text) }
  const refused = refusal(block)
  return refused === undefined ? block : { type: "text", text: refused }
}

const cleanValue = (value: unknown): unknown => {
  if (typeof value === "string") return cleanText(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  return Predicate.isRecord(value) ? cleanObject(value) : value
}

const cleanObject = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanText(key), cleanValue(member)]))

const cleanOutput = (block: OutputContent): OutputContent => {
  switch (block.type) {
    case "text":
      return { ...block, text: cleanText(block.text) }
    case "thinking":
      return { ...block, thinking: cleanText(block.thinking) }
    case "toolCall":
      return { ...block, arguments: cleanObject(block.arguments) }
  }
}

export const sendable = <M extends Message>(message: M): M =>
  message.role === "assistant"
    ? { ...message, content: message.content.map(cleanOutput) }
    : { ...message, content: message.content.map(cleanInput) }
