/** What a session is opened with. Its modules read their part of it. */
import type { Model, ThinkingLevel } from "../../domain/model/Model.ts"
import type { SessionOpening } from "../hooks/HookPoints.ts"

export interface ModelStart {
  readonly model?: Model
  readonly thinkingLevel?: ThinkingLevel
}

export interface ModelOptions extends ModelStart {
  /** Patterns for cycleModel; empty means every available model. */
  readonly scopedModels: ReadonlyArray<string>
}

export interface PromptOptions {
  /** The folder that the session works in. */
  readonly cwd: string
  /** In place of the built-in instructions. */
  readonly replace?: string
  readonly append?: string
  /** The end of the prompt; the working directory where absent. */
  readonly workspace?: string
}

export interface SessionOptions extends PromptOptions, ModelOptions {
  /** How the session came to be opened. */
  readonly opening: SessionOpening
}
