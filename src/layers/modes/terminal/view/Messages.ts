/** Messages of a conversation as items: those that are stored, and those that a run adds. Pure. */
import * as Text from "../../../../domain/Text.ts"
import { plainText } from "../../../../domain/conversation/Content.ts"
import type {
  AgentMessage,
  AssistantMessage,
  ToolResultMessage,
  UserMessage
} from "../../../../domain/conversation/Message.ts"
import * as Rows from "../screen/Rows.ts"
import type { Style } from "../screen/Style.ts"
import * as Answer from "./Answer.ts"
import type { Notice } from "./Notices.ts"
import * as ToolLines from "./ToolLines.ts"

export const notice = ({ level, text }: Notice, style: Style, width: number): Answer.Item => {
  const paint = { info: style.dim, warning: style.warning, error: style.bad }[level]
  return { kind: "notice", rows: Rows.wrap(Text.printable(text), width).map(paint), continues: false }
}

/** Of a long message the first rows: the person has written it, and pasted texts are long. */
const mostUserRows = 12

const count = (number: number, what: string): ReadonlyArray<string> =>
  number > 0 ? [`${number} ${what}${number === 1 ? "" : "s"}`] : []

export const user = ({ content }: UserMessage, style: Style, width: number): Answer.Item => {
  const [first, ...others] = content
  const texts = others.filter(({ type }) => type === "text").length
  const images = content.filter(({ type }) => type === "image").length
  const attached = [...count(texts, "file"), ...count(images, "image")]
  const rows = Rows.wrap(Text.printable(first?.type === "text" ? first.text : "").trimEnd(), width - 2)
  const hidden = rows.length - mostUserRows
  const shown = hidden > 1 ? [...rows.slice(0, mostUserRows), `${style.symbols.more} ${hidden} more rows`] : rows
  const all = [...shown.map(style.bold), ...(attached.length === 0 ? [] : [style.dim(`with ${attached.join(", ")}`)])]
  return { kind: "user", rows: Rows.hang(style.accent("> "), all), continues: false }
}

/** Why an answer ended, if not by itself. */
export const ending = ({ errorMessage, stopReason }: AssistantMessage): Notice | undefined => {
  if (stopReason === "aborted") return { level: "warning", text: "Aborted." }
  if (stopReason === "length")
    return { level: "warning", text: "The answer was cut off: it reached the output limit of the model." }
  if (stopReason !== "error") return undefined
  return { level: "error", text: errorMessage ?? "The model failed without a reason." }
}

const assistant = (message: AssistantMessage, style: Style, width: number): ReadonlyArray<Answer.Item> => {
  const answer = Answer.make(style, () => width)
  const items = message.content.flatMap((block) => {
    if (block.type !== "text") return []
    const delta = { kind: "text", step: "delta", contentIndex: 0, delta: block.text } as const
    return [...answer.update(delta), ...answer.end()]
  })
  const end = ending(message)
  return end === undefined ? items : [...items, notice(end, style, width)]
}

/** What a conversation that is resumed looks like. Thinking is left out. */
export const stored = (
  messages: ReadonlyArray<AgentMessage>,
  style: Style,
  width: number
): ReadonlyArray<Answer.Item> => {
  const calls = new Map(
    messages
      .flatMap((message) => (message.role === "assistant" ? message.content : []))
      .flatMap((block) => (block.type === "toolCall" ? [[block.id, block.arguments] as const] : []))
  )
  const tool = (message: ToolResultMessage): Answer.Item => {
    const call = { name: message.toolName, args: calls.get(message.toolCallId) ?? {} }
    const rows = ToolLines.ended({ ...call, result: message, isError: message.isError, durationMs: 0 }, style, width)
    return { kind: "tool", rows, continues: false }
  }
  return messages.flatMap((message) => {
    switch (message.role) {
      case "user":
        return [user(message, style, width)]
      case "assistant":
        return assistant(message, style, width)
      case "toolResult":
        return [tool(message)]
      case "custom":
        return message.display ? [custom(message.content, style, width)] : []
      case "compactionSummary":
        return [notice({ level: "info", text: "(Older messages were replaced by a summary.)" }, style, width)]
      default:
        return []
    }
  })
}

/** What an extension says to the person. */
export const custom = (
  content: string | ReadonlyArray<{ readonly type: string; readonly text?: string }>,
  style: Style,
  width: number
): Answer.Item =>
  notice({ level: "info", text: typeof content === "string" ? content : plainText(content) }, style, width)
