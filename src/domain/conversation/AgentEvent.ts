/** The events of a session, as EventTable.ts describes them. */
import type * as Schema from "effect/Schema"
import type { CustomEntry } from "../session/SessionEntry.ts"
import type { AssistantDraft, Update } from "./AssistantDraft.ts"
import type { JsonObject } from "./Content.ts"
import { events, type RunFailure as Failure } from "./EventTable.ts"
import type { MessageQueue } from "./MessageQueue.ts"

type Events = typeof events
type DescribedTag = keyof Events

/** Members that are values of this process, which no schema describes. */
interface LiveMembers {
  /** Hosts hear of it in RunSettled. */
  readonly RunEnded: { readonly aborted?: true }
  readonly MessageUpdated: { readonly draft: AssistantDraft; readonly update: Update }
  readonly QueueChanged: { readonly queue: MessageQueue }
  readonly EntryAppended: { readonly entry: CustomEntry }
  /** Published while a host has asked for the events of subagents. */
  readonly SubagentSaid: { readonly event: AgentEvent }
}

/** The events that the table describes. */
export type Described = {
  readonly [Tag in DescribedTag]: { readonly _tag: Tag } & Schema.Struct.Type<Events[Tag]["fields"]> &
    (Tag extends keyof LiveMembers ? LiveMembers[Tag] : unknown)
}[DescribedTag]

export type AgentEvent =
  | Described
  /** The agent has switched sessions. All later events belong to the new session, which is kept in a file or in memory. */
  | {
      readonly _tag: "SessionChanged"
      readonly sessionId: string
      readonly epoch: string
      readonly sessionFile?: string
    }
  /** The store failed. The session goes on in the file `movedTo`, or in memory, and then nothing more is stored. */
  | { readonly _tag: "PersistFailed"; readonly error: string; readonly movedTo?: string }

export type EventOf<Tag extends AgentEvent["_tag"]> = Extract<AgentEvent, { readonly _tag: Tag }>

export type { RequestId } from "./MessageQueue.ts"
export type RunFailure = typeof Failure.Type
export type PromptStatus = PromptEnd["status"]
/** How an accepted prompt ended. */
export type PromptEnd = Pick<EventOf<"PromptFinished">, "runId" | "status" | "error">
export type MessageRef = Omit<EventOf<"MessageStarted">, "_tag" | "message">
export type ToolRef = Pick<EventOf<"ToolStarted">, "toolCallId" | "toolName" | "args">
export type CompactionRef = Omit<EventOf<"CompactionStarted">, "_tag">
export type CommandInfo = EventOf<"CommandsChanged">["commands"][number]
/** A step in the life of a subagent. */
export type SubagentChange = Extract<AgentEvent, { readonly _tag: `Subagent${string}` | `Verification${string}` }>

/** The type by which hosts and extensions know an event. */
export const typeOf = (event: Described): string => events[event._tag].type

/** The members of an event that the table describes, in its order. */
export const members = (event: Described): JsonObject => {
  const values: JsonObject = { ...event }
  const names = Object.keys(events[event._tag].fields)
  return Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]))
}

/** The words that a person gets for a failure. An error of the parser names its location itself. */
export const failureText = ({ error, location }: Pick<EventOf<"ExtensionFailed">, "error" | "location">): string =>
  location === undefined || error.includes(location) ? error : `${error} (${location})`
