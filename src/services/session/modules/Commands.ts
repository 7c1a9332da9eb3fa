/** Slash commands of a session: what `/name arguments` does when it stands at the start of a prompt. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"

/** The command was not carried out, or its own code failed. */
export class SlashCommandFailed extends Schema.TaggedError<SlashCommandFailed>()("SlashCommandFailed", {
  command: Schema.String,
  message: Schema.String,
  /** Where its code failed, as `file:line:column`. */
  location: Schema.optionalWith(Schema.String, { exact: true })
}) {}

export type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"

export interface Completion {
  readonly value: string
  readonly label: string
  readonly description?: string
}

export interface SlashCommand {
  readonly name: string
  readonly description?: string
  readonly argumentHint?: string
  readonly source: "extension" | "prompt" | "skill"
  readonly sourceInfo: SourceInfo
  /** `Run` takes the place of the prompt, `Expand` replaces its text. */
  readonly action:
    | {
        readonly _tag: "Run"
        /** `nesting` is that of the message. */
        readonly run: (args: string, nesting?: number) => Effect.Effect<void, SlashCommandFailed>
      }
    | { readonly _tag: "Expand"; readonly expand: (args: string) => Effect.Effect<string, SlashCommandFailed> }
  readonly complete?: (prefix: string) => Effect.Effect<ReadonlyArray<Completion>>
}

/** Commands that join the list when it is first needed. */
export interface LateCommands {
  readonly load: Effect.Effect<void>
  readonly isLoaded: () => boolean
}

export interface SessionCommands {
  /** Reads skills and prompt templates, the first time it is run, and returns when their commands are in the list. */
  readonly load: Effect.Effect<void>
  readonly isLoaded: () => boolean
  /** In the order: extensions, prompt templates, skills. */
  readonly list: Effect.Effect<ReadonlyArray<SlashCommand>>
  readonly find: (name: string) => Effect.Effect<Option.Option<SlashCommand>>
  /**
   * Adds a command until the scope closes, and returns the name under which it is found. Commands of the same name get
   * `name:1`, `name:2` in the order of their registration.
   */
  readonly register: (command: SlashCommand) => Effect.Effect<string, never, Scope.Scope>
}

const none: SessionCommands = {
  load: Effect.void,
  isLoaded: () => true,
  list: Effect.succeed([]),
  find: () => Effect.succeedNone,
  register: ({ name }) => Effect.succeed(name)
}

/** The slash commands of a session: none without the module `commands`. */
export class Commands extends Context.Reference<Commands>()("heddle/services/session/modules/Commands", {
  defaultValue: () => none
}) {}
