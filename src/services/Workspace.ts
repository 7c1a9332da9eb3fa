/**
 * What files of the user and of the project give an agent: instructions for the system prompt, and slash commands from
 * skills and prompt templates. Contract only: layers/workspace reads them from folders.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SlashCommand } from "./session/modules/Commands.ts"
import type { Resources } from "./hooks/HookPoints.ts"

/** What becomes part of the system prompt. A session keeps it: the prompt stays the same when a file changes. */
export interface PromptParts {
  /** In place of the built-in instructions. */
  readonly replace?: string
  /** Behind the instructions. */
  readonly append?: string
  /** At the end of the prompt: environment, instruction files, rules, skills. */
  readonly text: string
}

export interface Read<A> {
  readonly value: A
  /** What could not be read as it stands, in words for the user. */
  readonly problems: ReadonlyArray<string>
}

export interface SessionOutline {
  /** When the session began, in ISO 8601. */
  readonly beganAt: string
  /** The folders that hooks add. */
  readonly resources: Effect.Effect<Resources>
}

/** The workspace as one session sees it. Both effects read what they need, each time they are run. */
export interface SessionWorkspace {
  readonly prompt: Effect.Effect<Read<PromptParts>>
  readonly commands: Effect.Effect<Read<ReadonlyArray<SlashCommand>>>
}

/** Undefined where nothing is to be read, as by default in a program that embeds the agent. */
export class Workspace extends Context.Reference<Workspace>()("heddle/services/Workspace", {
  defaultValue: (): ((outline: SessionOutline) => SessionWorkspace) | undefined => undefined
}) {}
