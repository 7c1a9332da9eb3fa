/** The messages of a conversation (protocol.md 5.2). */
import * as Schema from "effect/Schema"
import {
  described,
  type ImageContent,
  InputContent,
  JsonObject,
  optional,
  OutputContent,
  plainText,
  text
} from "./Content.ts"
import { Usage } from "../model/Usage.ts"
import { defined } from "../Values.ts"

/** Unix milliseconds. */
export const Timestamp = Schema.Finite

export const StopReason = Schema.Literal("stop", "length", "toolUse", "error", "aborted")
export type StopReason = typeof StopReason.Type

export const UserMessage = Schema.Struct({
  role: Schema.Literal("user"),
  content: Schema.Array(InputContent),
  timestamp: Timestamp
}).annotations({ identifier: "UserMessage", description: "A message of the user." })
export type UserMessage = typeof UserMessage.Type

export const AssistantMessage = Schema.Struct({
  role: Schema.Literal("assistant"),
  content: Schema.Array(OutputContent),
  api: described(Schema.String, "The wire format of the provider."),
  provider: Schema.String,
  model: described(Schema.String, "The id of the model, without its provider."),
  usage: Usage,
  stopReason: StopReason,
  errorMessage: optional(Schema.String, "Why the answer ended, if `stopReason` is `error` or `aborted`."),
  responseId: optional(Schema.String, "The provider's id of the answer."),
  timestamp: Timestamp
}).annotations({ identifier: "AssistantMessage", description: "An answer of the model." })
export type AssistantMessage = typeof AssistantMessage.Type

/** The output of a tool: content for the model, details for the host. */
export const ToolOutput = Schema.Struct({
  content: described(Schema.Array(InputContent), "What the model reads."),
  details: optional(JsonObject, "Data for the host, which the model does not see."),
  isWarning: optional(Schema.Boolean, "The call succeeded, but people should look at its result.")
}).annotations({ identifier: "ToolOutput", description: "The output of a tool." })
export type ToolOutput = typeof ToolOutput.Type

export const ToolResultMessage = Schema.Struct({
  role: Schema.Literal("toolResult"),
  toolCallId: Schema.String,
  toolName: Schema.String,
  ...ToolOutput.fields,
  isError: Schema.Boolean,
  timestamp: Timestamp
}).annotations({ identifier: "ToolResultMessage", description: "The result of a tool call." })
export type ToolResultMessage = typeof ToolResultMessage.Type

/** The messages that models are sent and that runs produce. */
export const Message = Schema.Union(UserMessage, AssistantMessage, ToolResultMessage).annotations({
  identifier: "Message"
})
export type Message = typeof Message.Type

/** A shell command that a person ran through the host. ModelContext.ts turns it into a message for the model. */
export const BashExecutionMessage = Schema.Struct({
  role: Schema.Literal("bashExecution"),
  command: Schema.String,
  output: Schema.String,
  exitCode: optional(Schema.Int, "Absent if the command was cancelled."),
  cancelled: Schema.Boolean,
  truncated: described(Schema.Boolean, "`output` is only the end of the output."),
  fullOutputPath: optional(Schema.String, "The file with the whole output, if it was truncated."),
  excludeFromContext: optional(Schema.Boolean, "The model does not see this message."),
  timestamp: Timestamp
}).annotations({
  identifier: "BashExecutionMessage",
  description: "A shell command that the user ran with the command `bash`."
})
export type BashExecutionMessage = typeof BashExecutionMessage.Type

/** A message of an extension or of the agent itself. Models read it as a user message. */
export const CustomMessage = Schema.Struct({
  role: Schema.Literal("custom"),
  customType: described(Schema.String, "The kind of message, chosen by the extension."),
  content: Schema.Union(Schema.String, Schema.Array(InputContent)),
  display: described(Schema.Boolean, "Whether people should see it."),
  details: optional(Schema.Unknown),
  timestamp: Timestamp
}).annotations({
  identifier: "CustomMessage",
  description: "A message of an extension or of heddle itself. The model reads it as a user message."
})
export type CustomMessage = typeof CustomMessage.Type

/** The messages that runs produce: those that models are sent, and custom ones. */
export const RunMessage = Schema.Union(...Message.members, CustomMessage).annotations({
  identifier: "RunMessage",
  description: "A message that a run produces."
})
export type RunMessage = typeof RunMessage.Type

/** A message that the model is to answer. */
export type InputMessage = UserMessage | CustomMessage

/** What an extension says. Only `display` ones are meant for people; the model reads all of them. */
export type CustomInput = Pick<CustomMessage, "customType" | "content" | "display" | "details">

/** The summary of a branch that the session left. */
export const BranchSummaryMessage = Schema.Struct({
  role: Schema.Literal("branchSummary"),
  summary: Schema.String,
  fromId: described(Schema.String, "The last entry of that branch."),
  timestamp: Timestamp
}).annotations({
  identifier: "BranchSummaryMessage",
  description: "The summary of a branch that the session has left."
})
export type BranchSummaryMessage = typeof BranchSummaryMessage.Type

/** The summary that replaces the compacted messages before it. */
export const CompactionSummaryMessage = Schema.Struct({
  role: Schema.Literal("compactionSummary"),
  summary: Schema.String,
  shortSummary: optional(Schema.String, "Two or three sentences, for lists of sessions."),
  tokensBefore: described(Schema.Finite, "The size of the context before the compaction."),
  timestamp: Timestamp
}).annotations({
  identifier: "CompactionSummaryMessage",
  description: "The summary that replaces the compacted messages before it."
})
export type CompactionSummaryMessage = typeof CompactionSummaryMessage.Type

export const AgentMessage = Schema.Union(
  ...Message.members,
  BashExecutionMessage,
  CustomMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage
).annotations({ identifier: "AgentMessage", description: "Any message of a conversation." })
export type AgentMessage = typeof AgentMessage.Type

/** What a user says: a text, the texts of documents, and images. */
export interface UserInput {
  readonly text: string
  readonly images?: ReadonlyArray<ImageContent>
  /** Each is a block of its own. */
  readonly documents?: ReadonlyArray<string>
}

/** Puts the texts before the images, as every provider expects. */
export const userContent = ({ documents = [], images = [], text: prompt }: UserInput): ReadonlyArray<InputContent> => {
  if (documents.length === 0) return prompt === "" ? images : [text(prompt), ...images]
  return [...(prompt === "" ? [] : [text(prompt)]), ...documents.map(text), ...images]
}

export const toUserMessage = (input: UserInput, timestamp: number): UserMessage => ({
  role: "user",
  content: userContent(input),
  timestamp
})

export const userMessage = (text: string, images: ReadonlyArray<ImageContent>, timestamp: number): UserMessage =>
  toUserMessage({ text, images }, timestamp)

export const toCustomMessage = (
  { content, customType, details, display }: CustomInput,
  timestamp: number
): CustomMessage => ({
  role: "custom",
  customType,
  content,
  display,
  ...defined({ details }),
  timestamp
})

/** The text of the newest assistant message, not counting an aborted one without content. */
export const lastAssistantText = (messages: ReadonlyArray<AgentMessage>): string | null => {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]
    if (message?.role !== "assistant") continue
    if (message.stopReason === "aborted" && message.content.length === 0) continue
    const words = plainText(message.content).trim()
    return words === "" ? null : words
  }
  return null
}
