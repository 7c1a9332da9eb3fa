/** The messages of a conversation that the model is sent (protocol.md 5.4). */
import { text } from "../conversation/Content.ts"
import type { AgentMessage, BashExecutionMessage, Message } from "../conversation/Message.ts"
import { userMessage } from "../conversation/Message.ts"

/** Longer than every run of backticks in the text, so that the text cannot close the fence. */
const fence = (text: string): string =>
  "`".repeat(Math.max(3, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length + 1)))

export const bashExecutionText = (message: BashExecutionMessage): string => {
  const { cancelled, command, exitCode, fullOutputPath, output, truncated } = message
  const marks = fence(output)
  const lines = [
    `Ran \`${command}\``,
    output === "" ? "(no output)" : `${marks}\n${output.replace(/\n$/, "")}\n${marks}`
  ]
  if (truncated && fullOutputPath !== undefined) lines.push(`(output cut, all of it is in ${fullOutputPath})`)
  if (cancelled) lines.push("(command cancelled)")
  else if (exitCode !== undefined && exitCode !== 0) lines.push(`Command exited with code ${exitCode}`)
  return lines.join("\n")
}

const summaryText = (introduction: string, summary: string) => `${introduction}\n\n<summary>\n${summary}\n</summary>`

type Converted = Exclude<AgentMessage, Message>

/** Messages never change, and every turn asks for all of them again, so each result is computed once. */
const memoize = <Key extends object, Value>(create: (key: Key) => Value): ((key: Key) => Value) => {
  const kept = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const known = kept.get(key)
    if (known !== undefined) return known.value
    const value = create(key)
    kept.set(key, { value })
    return value
  }
}

/** The message that shows the model a command, a summary or a note; undefined if the model is not to see it. */
const convert = memoize((message: Converted): Message | undefined => {
  switch (message.role) {
    case "bashExecution":
      if (message.excludeFromContext === true) return undefined
      return userMessage(bashExecutionText(message), [], message.timestamp)
    case "custom": {
      const { content, timestamp } = message
      return { role: "user", content: typeof content === "string" ? [text(content)] : content, timestamp }
    }
    case "branchSummary":
      return userMessage(
        summaryText(
          "The conversation went another way before and came back; this is what happened there:",
          message.summary
        ),
        [],
        message.timestamp
      )
    case "compactionSummary":
      return userMessage(
        summaryText("The earlier part of this conversation was replaced by this summary:", message.summary),
        [],
        message.timestamp
      )
  }
})

const read = (message: AgentMessage): Message | undefined => {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
      return message
    default:
      return convert(message)
  }
}

const none: ReadonlySet<AgentMessage> = new Set()

/**
 * The messages without model calls that failed and were retried, or that a stream rule has cut off, and without the
 * placeholder results of their tool calls. One that a user message follows was the last attempt of its run, unless the
 * message is among those that came `between` two attempts.
 */
export const withoutRetried = (
  messages: ReadonlyArray<AgentMessage>,
  between: ReadonlySet<AgentMessage> = none
): ReadonlyArray<AgentMessage> => {
  const kept: Array<AgentMessage> = []
  let failed = false
  /** Where the newest answer stands that was aborted, until a message follows its results. */
  let abortedAt: number | undefined
  for (const message of messages) {
    if (read(message) === undefined) continue
    if (failed) {
      if (message.role === "toolResult") continue
      if (message.role === "assistant" || between.has(message)) kept.pop()
    }
    if (abortedAt !== undefined && between.has(message)) kept.length = abortedAt
    if (message.role !== "toolResult") abortedAt = undefined
    kept.push(message)
    failed = message.role === "assistant" && message.stopReason === "error"
    if (message.role === "assistant" && message.stopReason === "aborted") abortedAt = kept.length - 1
  }
  if (failed) kept.pop()
  return kept
}

/** Runs before every model call, however long the conversation is, so each message is read once. */
export const forModel = (
  messages: ReadonlyArray<AgentMessage>,
  between: ReadonlySet<AgentMessage> = none
): ReadonlyArray<Message> =>
  withoutRetried(messages, between).flatMap((stored) => {
    const message = read(stored)
    return message === undefined ? [] : [message]
  })
