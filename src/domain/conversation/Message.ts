/** The messages of a conversation (protocol.md 5.2). */
import * as Schema from "effect/Schema"
import { type ImageContent, InputContent, JsonObject, optional, OutputContent, plainText, text } from "./Content.ts"
import { Usage } from "../model/Usage.ts"
import { lazy, type Type } from "../Lazy.ts"

/** Unix milliseconds. */
export const Timestamp = Schema.Finite

export const StopReason = Schema.Literal("stop", "length", "toolUse", "error", "aborted")
export type StopReason = typeof StopReason.Type

export const UserMessage = lazy(() =>
  Schema.Struct({
    role: Schema.Literal("user"),
    content: Schema.Array(InputContent()),
    timestamp: Timestamp
  }).annotations({ identifier: "UserMessage" })
)
export type UserMessage = Type<typeof UserMessage>

export const AssistantMessage = lazy(() =>
  Schema.Struct({
    role: Schema.Literal("assistant"),
    content: Schema.Array(OutputContent()),
    api: Schema.String,
    provider: Schema.String,
    model: Schema.String,
    usage: Usage(),
    stopReason: StopReason,
    errorMessage: optional(Schema.String),
    responseId: optional(Schema.String),
    timestamp: Timestamp
  }).annotations({ identifier: "AssistantMessage" })
)
export type AssistantMessage = Type<typeof AssistantMessage>

/** The output of a tool: content for the model, details for the host. */
export const ToolOutput = lazy(() =>
  Schema.Struct({
    content: Schema.Array(InputContent()),
    details: optional(JsonObject()),
    /** The call worked, but people should look at its result. */
    isWarning: optional(Schema.Boolean)
  }).annotations({ identifier: "ToolOutput" })
)
export type ToolOutput = Type<typeof ToolOutput>

export const ToolResultMessage = lazy(() =>
  Schema.Struct({
    role: Schema.Literal("toolResult"),
    toolCallId: Schema.String,
    toolName: Schema.String,
    ...ToolOutput().fields,
    isError: Schema.Boolean,
    timestamp: Timestamp
  }).annotations({ identifier: "ToolResultMessage" })
)
export type ToolResultMessage = Type<typeof ToolResultMessage>

/** The messages that models are sent and that runs produce. */
export const Message = lazy(() =>
  Schema.Union(UserMessage(), AssistantMessage(), ToolResultMessage()).annotations({
    identifier: "Message"
  })
)
export type Message = Type<typeof Message>

/** A shell command that a person ran through the host. ModelContext.ts turns it into a message for the model. */
export const BashExecutionMessage = lazy(() =>
  Schema.Struct({
    role: Schema.Literal("bashExecution"),
    command: Schema.String,
    output: Schema.String,
    exitCode: optional(Schema.Int),
    cancelled: Schema.Boolean,
    truncated: Schema.Boolean,
    fullOutputPath: optional(Schema.String),
    excludeFromContext: optional(Schema.Boolean),
    timestamp: Timestamp
  }).annotations({ identifier: "BashExecutionMessage" })
)
export type BashExecutionMessage = Type<typeof BashExecutionMessage>

/** A message of an extension or of the agent itself. Models read it as a user message. */
export const CustomMessage = lazy(() =>
  Schema.Struct({
    role: Schema.Literal("custom"),
    customType: Schema.String,
    content: Schema.Union(Schema.String, Schema.Array(InputContent())),
    display: Schema.Boolean,
    details: optional(Schema.Unknown),
    timestamp: Timestamp
  }).annotations({ identifier: "CustomMessage" })
)
export type CustomMessage = Type<typeof CustomMessage>

/** The messages that runs produce: those that models are sent, and custom ones. */
export const RunMessage = lazy(() =>
  Schema.Union(...Message().members, CustomMessage()).annotations({ identifier: "RunMessage" })
)
export type RunMessage = Type<typeof RunMessage>

/** A message that the model is to answer. */
export type InputMessage = UserMessage | CustomMessage

/** What an extension says. Only `display` ones are meant for people; the model reads all of them. */
export type CustomInput = Pick<CustomMessage, "customType" | "content" | "display" | "details">

/** The summary of a branch that the session left. */
export const BranchSummaryMessage = lazy(() =>
  Schema.Struct({
    role: Schema.Literal("branchSummary"),
    summary: Schema.String,
    fromId: Schema.String,
    timestamp: Timestamp
  }).annotations({ identifier: "BranchSummaryMessage" })
)
export type BranchSummaryMessage = Type<typeof BranchSummaryMessage>

/** The summary that replaces the compacted messages before it. */
export const CompactionSummaryMessage = lazy(() =>
  Schema.Struct({
    role: Schema.Literal("compactionSummary"),
    summary: Schema.String,
    shortSummary: optional(Schema.String),
    tokensBefore: Schema.Finite,
    timestamp: Timestamp
  }).annotations({ identifier: "CompactionSummaryMessage" })
)
export type CompactionSummaryMessage = Type<typeof CompactionSummaryMessage>

export const AgentMessage = lazy(() =>
  Schema.Union(
    ...Message().members,
    BashExecutionMessage(),
    CustomMessage(),
    BranchSummaryMessage(),
    CompactionSummaryMessage()
  ).annotations({ identifier: "AgentMessage" })
)
export type AgentMessage = Type<typeof AgentMessage>

/** What a user says: a text, the texts of documents, and images. */
export interface UserInput {
  readonly text: string
  readonly images?: ReadonlyArray<ImageContent>
  /** Each is a block of its own. */
  readonly documents?: ReadonlyArray<string>
}

/** Puts the texts before the images, as every provider expects. */
export const userContent = ({ documents = [], images = [], text: said }: UserInput): ReadonlyArray<InputContent> => {
  if (documents.length === 0) return said === "" ? images : [text(said), ...images]
  return [...(said === "" ? [] : [text(said)]), ...documents.map(text), ...images]
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
  ...(details === undefined ? {} : { details }),
  timestamp
})

/** The text of the newest assistant message, not counting an aborted one without content. */
export const lastAssistantText = (messages: ReadonlyArray<AgentMessage>): string | null => {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]
    if (message?.role !== "assistant") continue
    if (message.stopReason === "aborted" && message.content.length === 0) continue
    const said = plainText(message.content).trim()
    return said === "" ? null : said
  }
  return null
}
