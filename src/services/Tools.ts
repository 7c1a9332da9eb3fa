/** The tools a model may call. A tool is a plain value; a session has its own set of them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type InputContent, JsonObject, optional, plainText, text } from "../domain/conversation/Content.ts"
import type { FileDiff } from "../domain/approvals/Question.ts"
import type { ToolOutput } from "../domain/conversation/Message.ts"
import type { Usage } from "../domain/model/Usage.ts"
import type { SourceInfo } from "../domain/extension/SourceInfo.ts"
import type { ToolDefinition } from "./model/ModelClient.ts"
import type { Session } from "./session/Session.ts"
import type { SessionFiles } from "./session/SessionFiles.ts"

/** A tool failed. The model reads the message, and the run continues. */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  message: Schema.String,
  /** The content that the model reads instead of the message. */
  content: optional(Schema.declare((value): value is ReadonlyArray<InputContent> => Array.isArray(value))),
  details: optional(JsonObject),
  /** As in `ToolAnswer`. */
  terminate: optional(Schema.Literal(true))
}) {}

/** A tool was not registered: its name is taken, or its definition cannot be used. */
export class ToolRefused extends Schema.TaggedError<ToolRefused>()("ToolRefused", {
  reason: Schema.Literal("taken", "definition"),
  name: Schema.String,
  message: Schema.String
}) {}

export interface ToolContext {
  readonly toolCallId: string
  /**
   * Reports progress: the whole output so far, not an increment. Waits while a sink is too far behind. When the call is
   * interrupted, nothing more is shown.
   */
  readonly progress: (output: ToolOutput) => Effect.Effect<void>
  /**
   * Wraps work of the call, and says what the call answers if it is interrupted there. `answer` runs behind the clean-up of
   * the work, for two seconds at most. `reason` says why the call has ended, and is the last line of an answer (`cutOff`).
   * Without an answer, the reason is the result. Of two around the same work the inner one counts.
   */
  readonly orInterrupted: (
    answer: (reason: string) => Effect.Effect<ToolOutput>
  ) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The answer of an interrupted call: its output so far, then why it has ended. */
export const cutOff = (reason: string, soFar?: ToolOutput): ToolOutput => {
  const before = plainText(soFar?.content ?? [])
  return { content: [text(before === "" ? reason : `${before}\n\n${reason}`)], details: soFar?.details ?? {} }
}

/** Runs work whose last report of progress is its answer if it is interrupted. */
export const keepingProgress = <A, E, R>(
  context: ToolContext,
  work: (context: ToolContext) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let latest: ToolOutput | undefined
    const progress: ToolContext["progress"] = (output) =>
      Effect.suspend(() => {
        latest = output
        return context.progress(output)
      })
    const answer = (reason: string) => Effect.sync(() => cutOff(reason, latest))
    return context.orInterrupted(answer)(work({ ...context, progress }))
  })

/** The output of a call that succeeded, and what the run makes of it. */
export interface ToolAnswer extends ToolOutput {
  /** The run ends after the calls of this turn, if all of them say so. Queued messages still continue it. */
  readonly terminate?: true
  /** What the call spent on models of its own. It counts for the budget of the session. */
  readonly usage?: Usage
}

/** What a call would do to files, made without doing it. */
export interface Preview {
  readonly changes: ReadonlyArray<FileDiff>
  /** Another one once the files are not those any more that the changes were made from. */
  readonly version: string
  /** The call changes these files only as they were, or fails. */
  readonly pin: () => void
}

export interface Tool {
  readonly definition: ToolDefinition
  /** The name that people read. */
  readonly label?: string
  /** Lines for the system prompt, while the tool is active. */
  readonly prompt?: { readonly snippet?: string; readonly guidelines?: ReadonlyArray<string> }
  readonly source?: SourceInfo
  /** Who runs its calls, if that is not heddle itself. */
  readonly origin?: "host" | "extension"
  /** Exclusive calls wait for everything before them and hold back everything after them (protocol.md 4.5). */
  readonly concurrency: "shared" | "exclusive"
  /** Why a call has ended that was interrupted, and not by a cancel or a steering message. */
  readonly abortedText: string
  /** Asked before every model call: whether models are shown the tool. Absent where they always are. */
  readonly isOffered?: Effect.Effect<boolean>
  /**
   * Asked before somebody is asked whether a call may run: fails as the call would, where that can be told without any
   * effect, and says what it would do to files.
   */
  readonly preview?: (args: JsonObject, toolCallId: string) => Effect.Effect<Preview | undefined, ToolFailure>
  /** Checks the arguments itself; bad ones fail with a text that names each bad field. */
  readonly run: (args: JsonObject, context: ToolContext) => Effect.Effect<ToolAnswer, ToolFailure>
}

export interface RegisterOptions {
  /** The tool is inactive until `setActive` names it. */
  readonly hidden?: boolean
  /** Takes the place of an earlier registration of the same name, which its own owner asks for. */
  readonly replaces?: boolean
}

export interface SessionTools {
  /**
   * Asked before every model call: a tool added during a run is offered in its next turn. The same array is returned as
   * long as nothing has changed.
   */
  readonly active: Effect.Effect<ReadonlyArray<Tool>>
  /** An active tool. */
  readonly find: (name: string) => Effect.Effect<Option.Option<Tool>>
  /** The active tools, and those that `setActive` could activate. */
  readonly all: Effect.Effect<ReadonlyArray<Tool>>
  readonly activeNames: Effect.Effect<ReadonlyArray<string>>
  /**
   * Activates these tools and no others, from the next model call on. Ignores names that no tool has. Tools of the host
   * stay active, because they are its own choice.
   */
  readonly setActive: (names: ReadonlyArray<string>) => Effect.Effect<void>
  /**
   * Adds a tool until the scope closes. It takes the place of a built-in tool of the same name. Of two registrations the
   * first keeps the name.
   */
  readonly register: (tool: Tool, options?: RegisterOptions) => Effect.Effect<void, ToolRefused, Scope.Scope>
}

/** The tools of a session. */
export class ToolSet extends Context.Tag("heddle/services/ToolSet")<ToolSet, SessionTools>() {}

export class Tools extends Context.Tag("heddle/services/Tools")<
  Tools,
  {
    /**
     * The tools of a session that is being opened, with those that its modules contribute. What they know of files is in
     * `files`.
     */
    readonly open: (
      contributed: Effect.Effect<ReadonlyArray<Tool>>,
      files: typeof SessionFiles.Service
    ) => Effect.Effect<SessionTools, never, Session | Scope.Scope>
  }
>() {}
