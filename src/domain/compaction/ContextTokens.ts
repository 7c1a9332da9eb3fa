/** How many tokens of the window a conversation takes (protocol.md 7.2): the provider's last count, and an estimate of the rest. */
import * as Json from "../Json.ts"
import type { InputContent, OutputContent } from "../conversation/Content.ts"
import type { AgentMessage } from "../conversation/Message.ts"
import * as SessionContext from "../session/SessionContext.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"
import type { Usage } from "../model/Usage.ts"

const imageChars = 4800

const blockChars = (block: InputContent | OutputContent): number => {
  switch (block.type) {
    case "text":
      return block.text.length
    case "thinking":
      return block.thinking.length
    case "image":
      return imageChars
    case "toolCall":
      return block.name.length + Json.stringify(block.arguments).length
  }
}

const contentChars = (content: string | ReadonlyArray<InputContent | OutputContent>): number => {
  if (typeof content === "string") return content.length
  let chars = 0
  for (const block of content) chars += blockChars(block)
  return chars
}

const messageChars = (message: AgentMessage): number => {
  switch (message.role) {
    case "assistant":
      // Failed attempts are not sent to the model.
      return message.stopReason === "error" ? 0 : contentChars(message.content)
    case "bashExecution":
      return message.excludeFromContext === true ? 0 : message.command.length + message.output.length
    case "branchSummary":
    case "compactionSummary":
      return message.summary.length
    default:
      return contentChars(message.content)
  }
}

/** A rough number of tokens, the same for every provider. */
export const estimate = (message: AgentMessage): number => Math.ceil(messageChars(message) / 4)

export const estimateAll = (messages: ReadonlyArray<AgentMessage>): number => {
  let tokens = 0
  for (const message of messages) tokens += estimate(message)
  return tokens
}

/** Tokens of the prompt and its answer. Some servers leave out the total. */
export const ofUsage = ({ cacheRead, cacheWrite, input, output, totalTokens }: Usage): number =>
  totalTokens > 0 ? totalTokens : input + output + cacheRead + cacheWrite

/** The provider's count for an answer. The counts of failed and aborted calls are not reliable. */
export const reported = (message: AgentMessage): number | undefined => {
  if (message.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted") {
    return undefined
  }
  const tokens = message.usage.estimated === true ? 0 : ofUsage(message.usage)
  return tokens > 0 ? tokens : undefined
}

export interface ContextSize {
  readonly tokens: number
  /** `usage`: based on a provider's count. `compacted`: no provider has counted since the last compaction. */
  readonly basis: "usage" | "estimate" | "compacted"
}

/** Whether `ofBranch` can ignore the entries before this one. After a compaction it needs them for the number of tokens. */
export const isBasis = (entry: SessionEntry): boolean =>
  entry.type === "compaction" || (entry.type === "message" && reported(entry.message) !== undefined)

/** Ignores counts from before the newest compaction, which changed the context. */
export const ofBranch = (branch: ReadonlyArray<SessionEntry>): ContextSize => {
  let later = 0
  for (let at = branch.length - 1; at >= 0; at--) {
    const entry = branch[at]
    if (entry === undefined) continue
    if (entry.type === "compaction") {
      return { tokens: estimateAll(SessionContext.conversation(branch)), basis: "compacted" }
    }
    const message = SessionContext.messageOf(entry)
    if (message === undefined) continue
    const counted = reported(message)
    if (counted !== undefined) return { tokens: counted + later, basis: "usage" }
    later += estimate(message)
  }
  return { tokens: later, basis: "estimate" }
}
