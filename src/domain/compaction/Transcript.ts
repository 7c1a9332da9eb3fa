/** Writes a conversation as one text, so that the model that summarises it does not continue it (protocol.md 7.4). Pure. */
import * as Json from "../Json.ts"
import { plainText, type ToolCall } from "../conversation/Content.ts"
import type { AgentMessage, AssistantMessage } from "../conversation/Message.ts"
import { bashExecutionText } from "../model/ModelContext.ts"

const longestResult = 2000
/** Lengths of a block in characters, tried in this order while the whole text is too long. */
const shorter = [8000, 2000, 500, 100] as const

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}\n[… ${text.length - length} more characters cut]`

const callText = ({ arguments: args, name }: ToolCall) =>
  `${name}(${Object.entries(args)
    .map(([key, value]) => `${key}=${Json.stringify(value)}`)
    .join(", ")})`

const contentText = (content: string | ReadonlyArray<{ readonly type: string; readonly text?: string }>): string => {
  if (typeof content === "string") return content
  const images = content.filter(({ type }) => type === "image").length
  const words = plainText(content)
  if (images === 0) return words
  const note = images === 1 ? "(an image)" : `(${images} images)`
  return words === "" ? note : `${words}\n${note}`
}

const assistantBlocks = ({ content }: AssistantMessage): ReadonlyArray<readonly [string, string]> => {
  const thoughts = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []))
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []))
  const calls = content.flatMap((block) => (block.type === "toolCall" ? [callText(block)] : []))
  return [
    ["Assistant thinking", thoughts.join("\n")],
    ["Assistant", texts.join("\n")],
    ["Assistant tool calls", calls.join("; ")]
  ]
}

const blocksOf = (message: AgentMessage): ReadonlyArray<readonly [string, string]> => {
  switch (message.role) {
    case "user":
    case "custom":
      return [["User", contentText(message.content)]]
    case "assistant":
      return assistantBlocks(message)
    case "toolResult":
      return [["Tool result", cut(contentText(message.content), longestResult)]]
    case "bashExecution":
      return message.excludeFromContext === true ? [] : [["User", cut(bashExecutionText(message), longestResult)]]
    case "branchSummary":
    case "compactionSummary":
      return [["User", `Summary of an earlier part: ${message.summary}`]]
  }
}

const join = (blocks: ReadonlyArray<readonly [string, string]>, length: number): string =>
  blocks.map(([who, words]) => `[${who}]: ${cut(words, length)}`).join("\n\n")

/** Keeps to about `maxChars`: shortens long blocks first, then drops the beginning. */
export const serialize = (
  messages: ReadonlyArray<AgentMessage>,
  maxChars: number = Number.POSITIVE_INFINITY
): string => {
  const blocks = messages.flatMap(blocksOf).filter(([, words]) => words.trim() !== "")
  let text = join(blocks, Number.POSITIVE_INFINITY)
  for (const length of shorter) {
    if (text.length <= maxChars) return text
    text = join(blocks, length)
  }
  return text.length <= maxChars ? text : `[… the beginning is left out]\n\n${text.slice(text.length - maxChars)}`
}
