/** What `offline/guide` knows when it is asked: the last prompt, and what tools have answered since. Pure. */
import { plainText } from "../../../domain/conversation/Content.ts"
import type { Message, ToolResultMessage } from "../../../domain/conversation/Message.ts"

export interface Call {
  readonly tool: "ls" | "read"
  readonly path: string
}

export interface Answer {
  readonly text: string
  readonly isError: boolean
  /** Media types of the images that came with it. */
  readonly images: ReadonlyArray<string>
}

export interface MadeCall extends Call {
  readonly answer?: Answer
}

export interface Evidence {
  readonly prompt: string
  readonly images: number
  /** In the order in which they were made. */
  readonly made: ReadonlyArray<MadeCall>
  /** Which prompt of the conversation this is, and which step after it; both from 1. */
  readonly promptNumber: number
  readonly stepNumber: number
}

const toAnswer = ({ content, isError }: ToolResultMessage): Answer => ({
  text: plainText(content),
  isError,
  images: content.flatMap((block) => (block.type === "image" ? [block.mimeType] : []))
})

export const sameCall = (a: Call, b: Call): boolean => a.tool === b.tool && a.path === b.path

export const gather = (messages: ReadonlyArray<Message>): Evidence => {
  const start = messages.findLastIndex(({ role }) => role === "user")
  const asked = messages[start]?.content ?? []
  const since = messages.slice(start + 1)
  const answers = new Map(
    since.flatMap((message) =>
      message.role === "toolResult" ? [[message.toolCallId, toAnswer(message)] as const] : []
    )
  )
  const steps = since.flatMap((message) => (message.role === "assistant" ? [message] : []))
  const made = steps.flatMap(({ content }) =>
    content.flatMap((block): ReadonlyArray<MadeCall> => {
      if (block.type !== "toolCall" || (block.name !== "ls" && block.name !== "read")) return []
      const { path } = block.arguments
      const answer = answers.get(block.id)
      const call: Call = { tool: block.name, path: typeof path === "string" ? path : "." }
      return [answer === undefined ? call : { ...call, answer }]
    })
  )
  return {
    prompt: plainText(asked),
    images: asked.filter(({ type }) => type === "image").length,
    made,
    promptNumber: messages.filter(({ role }) => role === "user").length,
    stepNumber: steps.length + 1
  }
}
