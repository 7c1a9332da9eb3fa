/** The wiring of one agent in one process, read top to bottom. Embedders replace any part by providing it first. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ThinkingLevel } from "../domain/Model.ts"
import { ModelCatalog } from "../services/ModelCatalog.ts"
import { Settings } from "../services/Settings.ts"
import * as ModelSelection from "./agent/ModelSelection.ts"
import * as SessionAgent from "./agent/SessionAgent.ts"
import * as MemoryBudget from "./budget/MemoryBudget.ts"
import * as HeadlessUi from "./host/HeadlessUi.ts"
import * as NoHostTools from "./host/NoHostTools.ts"
import * as EnvironmentCredentials from "./models/EnvironmentCredentials.ts"
import * as RandomIds from "./platform/RandomIds.ts"
import * as Offline from "./providers/offline/Offline.ts"
import * as ProviderRegistry from "./providers/ProviderRegistry.ts"
import * as MemorySessionStore from "./session/MemorySessionStore.ts"
import * as FileSettings from "./settings/FileSettings.ts"
import * as ToolRegistry from "./tools/ToolRegistry.ts"

export interface AgentOptions extends FileSettings.FileSettingsOptions, ToolRegistry.Selection {
  readonly provider?: string
  readonly model?: string
  readonly models: ReadonlyArray<string>
  readonly thinkingLevel?: ThinkingLevel
  readonly systemPrompt?: string
  readonly appendSystemPrompt?: string
}

/** What was asked for on the command line or in settings does not exist. */
export class UnknownModel extends Schema.TaggedError<UnknownModel>()("UnknownModel", { message: Schema.String }) {}

const providers = (options: AgentOptions) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const settings = yield* Settings
      const scenario = Option.fromNullable(settings["offline.scenario"])
      return ProviderRegistry.layer([yield* Offline.make({ scenario, cwd: options.cwd })])
    })
  )

/** `--model`, then the default of the settings, then the first that can be used (protocol.md 16.3). */
const initialModel = Effect.fnUntraced(function* (options: AgentOptions) {
  const catalog = yield* ModelCatalog
  const settings = yield* Settings
  const available = yield* catalog.available
  const byOption = options.provider !== undefined || options.model !== undefined
  const choice = byOption
    ? { provider: options.provider, pattern: options.model }
    : { provider: settings.defaultProvider, pattern: settings.defaultModel }
  if (choice.provider === undefined && choice.pattern === undefined) {
    const model = available[0]
    if (model?.provider === Offline.id) {
      yield* Effect.logInfo(
        `no API key found: using ${Offline.id}/${model.id}, a scripted model that needs none. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or choose with --model`
      )
    }
    return model === undefined ? Option.none() : Option.some<ModelSelection.ScopedModel>({ model })
  }
  const selected = ModelSelection.select(yield* catalog.all, choice)
  if (Either.isRight(selected)) return Option.some(selected.right)
  return yield* new UnknownModel({ message: selected.left })
})

const agent = (options: AgentOptions) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const settings = yield* Settings
      const selected = Option.getOrUndefined(yield* initialModel(options))
      const thinkingLevel = options.thinkingLevel ?? selected?.thinkingLevel
      return SessionAgent.layer({
        cwd: options.cwd,
        scopedModels: options.models.length > 0 ? options.models : settings.enabledModels,
        ...(selected === undefined ? {} : { model: selected.model }),
        ...(thinkingLevel === undefined ? {} : { thinkingLevel }),
        ...(options.systemPrompt === undefined ? {} : { replace: options.systemPrompt }),
        ...(options.appendSystemPrompt === undefined ? {} : { append: options.appendSystemPrompt })
      })
    })
  )

export const layer = (options: AgentOptions) =>
  agent(options).pipe(
    Layer.provideMerge(ToolRegistry.layer(options)),
    Layer.provideMerge(providers(options)),
    Layer.provideMerge(MemorySessionStore.layer),
    Layer.provideMerge(MemoryBudget.layer({})),
    Layer.provideMerge(
      Layer.mergeAll(NoHostTools.layer, HeadlessUi.layer, EnvironmentCredentials.layer, RandomIds.layer)
    ),
    Layer.provideMerge(FileSettings.layer(options))
  )
