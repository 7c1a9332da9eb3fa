/** What a model is sent of a conversation (protocol.md 5.4). */
import type { AgentMessage, BashExecutionMessage, Message } from "./Message.ts"
import { userMessage } from "./Message.ts"

/** Longer than every run of backticks in the text, so that the text cannot end it. */
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

/**
 * An attempt that failed and was repeated is not part of the
 * conversation, nor are the placeholder results of the calls it had begun.
 */
const withoutFailedAttempts = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const kept: Array<Message> = []
  let failed = false
  for (const message of messages) {
    const last = kept[kept.length - 1]
    if (message.role === "assistant" && failed && last?.role === "assistant") kept.pop()
    if (message.role === "toolResult" && failed) continue
    kept.push(message)
    failed = message.role === "assistant" && message.stopReason === "error"
  }
  if (failed) kept.pop()
  return kept
}

export const forModel = (messages: ReadonlyArray<AgentMessage>): ReadonlyArray<Message> =>
  withoutFailedAttempts(
    messages.flatMap((message): ReadonlyArray<Message> => {
      if (message.role !== "bashExecution") return [message]
      if (message.excludeFromContext === true) return []
      return [userMessage(bashExecutionText(message), [], message.timestamp)]
    })
  )
