/** The values that a host can change in a session: model, thinking level, queue modes. None is written to a file. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Model, ThinkingLevel } from "../../../domain/model/Model.ts"
import type { SessionSettings } from "../../../domain/session/SessionSettings.ts"
import type { MissingCredentials, ModelNotFound } from "../../Rejections.ts"
import type { InterruptMode, QueueMode } from "../../Settings.ts"
import type { ModelStart } from "../SessionOptions.ts"

export interface ControlValues {
  readonly model?: Model
  /** In force: the wanted level as far as the model has it. */
  readonly thinkingLevel: ThinkingLevel
  /** What was asked for. It comes back with a model that has it. */
  readonly wantedLevel: ThinkingLevel
  readonly steeringMode: QueueMode
  readonly followUpMode: QueueMode
  readonly interruptMode: InterruptMode
}

export interface ModelCycle {
  readonly model: Model
  readonly thinkingLevel: ThinkingLevel
  readonly isScoped: boolean
}

export class Controls extends Context.Tag("heddle/services/session/modules/Controls")<
  Controls,
  {
    readonly values: () => ControlValues
    /** Takes effect at the next model call, also inside a run. */
    readonly setModel: (provider: string, modelId: string) => Effect.Effect<Model, ModelNotFound | MissingCredentials>
    /** Null when there are fewer than two models to choose from. */
    readonly cycleModel: Effect.Effect<ModelCycle | null>
    /** Switches to the model that a pattern names, if it can be used and is another one; answers both names. */
    readonly switchTo: (pattern: string) => Effect.Effect<Option.Option<{ readonly from: string; readonly to: string }>>
    /** Clamps the level to those of the model, and returns the level in force. */
    readonly setThinkingLevel: (level: ThinkingLevel) => Effect.Effect<ThinkingLevel>
    /** Null when the model does not reason. */
    readonly cycleThinkingLevel: Effect.Effect<ThinkingLevel | null>
    readonly setSteeringMode: (mode: QueueMode) => Effect.Effect<void>
    readonly setFollowUpMode: (mode: QueueMode) => Effect.Effect<void>
    readonly setInterruptMode: (mode: InterruptMode) => Effect.Effect<void>
    /** Sets values before hosts see the session: stores and publishes nothing. */
    readonly start: (values: ModelStart | ControlValues) => void
    /** Restores the model and level that the session's entries name, if they can be used. Appends nothing. */
    readonly restore: (settings: SessionSettings) => Effect.Effect<void>
  }
>() {}
