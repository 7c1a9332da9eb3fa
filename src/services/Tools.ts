/** The tools a model may call. A tool is a plain value; a session has its own set of them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type InputContent, JsonObject, optional } from "../domain/conversation/Content.ts"
import type { ToolOutput } from "../domain/conversation/Message.ts"
import type { ToolDefinition } from "./model/ModelClient.ts"
import type { Session } from "./session/Session.ts"

/** A tool failed. The model reads the message, and the run continues. */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  message: Schema.String,
  /** The content that the model reads instead of the message. */
  content: optional(Schema.declare((value): value is ReadonlyArray<InputContent> => Array.isArray(value))),
  details: optional(JsonObject())
}) {}

export interface ToolContext {
  readonly toolCallId: string
  /**
   * Reports progress: the whole output so far, not an increment. The result of an interrupted call keeps the last report,
   * so a tool may call this from its own clean-up; that report is shown in the result only. Elsewhere this waits while a
   * sink is too far behind.
   */
  readonly progress: (output: ToolOutput) => Effect.Effect<void>
}

export interface Tool {
  readonly definition: ToolDefinition
  /** Exclusive calls wait for everything before them and hold back everything after them (protocol.md 4.5). */
  readonly concurrency: "shared" | "exclusive"
  /** Last line of the result of an interrupted call. */
  readonly abortedText: string
  /** Asked before every model call: whether models are shown the tool. Absent where they always are. */
  readonly isOffered?: Effect.Effect<boolean>
  /** Checks the arguments itself; bad ones fail with a text that names each bad field. */
  readonly run: (args: JsonObject, context: ToolContext) => Effect.Effect<ToolOutput, ToolFailure>
}

export interface SessionTools {
  /** Asked before every model call: a tool added during a run is offered in its next turn. */
  readonly active: Effect.Effect<ReadonlyArray<Tool>>
  readonly find: (name: string) => Effect.Effect<Option.Option<Tool>>
}

export class Tools extends Context.Tag("heddle/services/Tools")<
  Tools,
  {
    /** The tools of a session that is being opened. What they remember, such as file versions, goes with its scope. */
    readonly open: Effect.Effect<SessionTools, never, Session | Scope.Scope>
  }
>() {}
