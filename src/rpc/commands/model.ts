/** Choosing the model and how hard it thinks (protocol.md 3.3), and retrying its failed calls (protocol.md 3.5, 8). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { isThinkingLevel, Model, supportedLevels, ThinkingLevel } from "../../domain/model/Model.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import { Controls } from "../../services/session/modules/Controls.ts"
import { Retries } from "../../services/session/modules/Retries.ts"
import * as Command from "../Command.ts"
import { started } from "../../services/session/Startup.ts"
import { levelMembers } from "../dialect/Dialect.ts"

const setModel = Command.make({
  name: "set_model",
  lane: "waiting",
  summary: "Switches the model from the next model call on, also inside a run; the thinking level is clamped to it.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ provider: Schema.String, modelId: Schema.String }),
  result: Model,
  errors: ["model_not_found", "missing_credentials"],
  run: Effect.fnUntraced(function* ({ modelId, provider }) {
    yield* started
    const controls = yield* Controls
    return yield* Effect.mapError(
      controls.setModel(provider, modelId),
      ({ _tag, message }) =>
        new Command.CommandFailure({
          code: _tag === "ModelNotFound" ? "model_not_found" : "missing_credentials",
          message
        })
    )
  })
})

const cycleModel = Command.make({
  name: "cycle_model",
  lane: "waiting",
  summary:
    "Switches to the next model of the scoped list, or of all available ones; `null` when there are fewer than two.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  result: Schema.NullOr(
    Schema.Struct({
      model: Model,
      thinkingLevel: ThinkingLevel,
      thinkingLevelExact: optional(ThinkingLevel),
      isScoped: Schema.Boolean
    })
  ),
  run: Effect.fnUntraced(function* (_, { connection }) {
    yield* started
    const cycled = yield* Effect.flatMap(Controls, ({ cycleModel }) => cycleModel)
    return cycled === null ? null : { ...cycled, ...levelMembers(connection.dialect, cycled.thinkingLevel) }
  })
})

const getAvailableModels = Command.make({
  name: "get_available_models",
  lane: "aside",
  summary: "Models whose provider has credentials or needs none.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  result: Schema.Struct({ models: Schema.Array(Model) }),
  run: Effect.fnUntraced(function* () {
    yield* started
    const catalog = yield* ModelCatalog
    return { models: yield* catalog.available }
  })
})

const setThinkingLevel = Command.make({
  name: "set_thinking_level",
  lane: "ordered",
  summary: "Sets how hard the model thinks, clamped to what it supports.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ level: Schema.String }),
  errors: ["invalid_thinking_level"],
  run: Effect.fnUntraced(function* ({ level }) {
    const controls = yield* Controls
    if (!isThinkingLevel(level)) {
      return yield* new Command.CommandFailure({
        code: "invalid_thinking_level",
        message: `Invalid thinking level: ${level}`
      })
    }
    yield* controls.setThinkingLevel(level)
  })
})

const cycleThinkingLevel = Command.make({
  name: "cycle_thinking_level",
  lane: "ordered",
  summary: "Switches to the next level the model supports; `null` when it does not reason.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  result: Schema.NullOr(Schema.Struct({ level: ThinkingLevel, thinkingLevelExact: optional(ThinkingLevel) })),
  run: Effect.fnUntraced(function* (_, { connection }) {
    const cycled = yield* Effect.flatMap(Controls, ({ cycleThinkingLevel }) => cycleThinkingLevel)
    if (cycled === null) return null
    const { thinkingLevel: level, ...exact } = levelMembers(connection.dialect, cycled)
    return { level, ...exact }
  })
})

const getAvailableThinkingLevels = Command.make({
  name: "get_available_thinking_levels",
  lane: "query",
  summary: "The levels the current model supports, `off` first.",
  origin: ["pi", "omp"],
  params: Command.noParams,
  result: Schema.Struct({ levels: Schema.Array(ThinkingLevel) }),
  run: Effect.fnUntraced(function* () {
    const { model } = (yield* Controls).values()
    return { levels: supportedLevels(model) }
  })
})

const setAutoRetry = Command.make({
  name: "set_auto_retry",
  lane: "ordered",
  summary: "Switches automatic retries on or off; off also ends the current wait.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ enabled: Schema.Boolean }),
  run: ({ enabled }) => Effect.flatMap(Retries, ({ setEnabled }) => setEnabled(enabled))
})

const abortRetry = Command.make({
  name: "abort_retry",
  lane: "control",
  summary: "Ends the wait before a retry: the run ends with the error. Succeeds also when no retry waits.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  run: () => Effect.flatMap(Retries, ({ cancel }) => cancel)
})

export const commands = [
  setModel,
  cycleModel,
  getAvailableModels,
  setThinkingLevel,
  cycleThinkingLevel,
  getAvailableThinkingLevels,
  setAutoRetry,
  abortRetry
]
