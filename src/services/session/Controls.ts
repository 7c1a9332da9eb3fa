/** The values that a host can change in a session: model, thinking level, queue modes. None is written to a file. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Model, ThinkingLevel } from "../../domain/model/Model.ts"
import type { InterruptMode, QueueMode } from "../Settings.ts"

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

export class Controls extends Context.Tag("heddle/services/session/Controls")<
  Controls,
  {
    readonly values: () => ControlValues
    /** Switches to the model that a pattern names, if it can be used and is another one; answers both names. */
    readonly switchTo: (pattern: string) => Effect.Effect<Option.Option<{ readonly from: string; readonly to: string }>>
  }
>() {}
