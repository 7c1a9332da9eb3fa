/** The wiring of one agent in one process, read top to bottom. Embedders replace any part by providing it first. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { ThinkingLevel } from "../domain/Model.ts"
import { HostTools } from "../services/HostTools.ts"
import { HostUi } from "../services/HostUi.ts"
import { Ids } from "../services/Ids.ts"
import { Settings } from "../services/Settings.ts"
import * as InitialModel from "./agent/InitialModel.ts"
import * as SessionAgent from "./agent/SessionAgent.ts"
import * as MemoryBudget from "./budget/MemoryBudget.ts"
import * as HeadlessUi from "./host/HeadlessUi.ts"
import * as NoHostTools from "./host/NoHostTools.ts"
import * as BackgroundDiscovery from "./models/BackgroundDiscovery.ts"
import * as Catalog from "./models/Catalog.ts"
import * as KeyRing from "./models/KeyRing.ts"
import * as RandomIds from "./platform/RandomIds.ts"
import * as Offline from "./providers/offline/Offline.ts"
import * as ProviderRegistry from "./providers/ProviderRegistry.ts"
import * as CurrentSession from "./session/CurrentSession.ts"
import * as FileSettings from "./settings/FileSettings.ts"
import * as LocalShell from "./tools/shell/LocalShell.ts"
import * as ToolRegistry from "./tools/ToolRegistry.ts"

export interface AgentOptions extends FileSettings.FileSettingsOptions, ToolRegistry.Selection {
  readonly provider?: string
  readonly model?: string
  /** For the provider of the model that `provider` and `model` name. */
  readonly apiKey?: Redacted.Redacted
  readonly models: ReadonlyArray<string>
  readonly thinkingLevel?: ThinkingLevel
  readonly systemPrompt?: string
  readonly appendSystemPrompt?: string
}

/** Loaded with the first call to a provider. */
const protocols = Effect.map(
  Effect.promise(() => import("./providers/protocols/builtIn.ts")),
  (builtIn) => builtIn.protocols
)

const providers = (options: AgentOptions) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const settings = yield* Settings
      const scenario = Option.fromNullable(settings["offline.scenario"])
      return ProviderRegistry.layer({ providers: [yield* Offline.make({ scenario, cwd: options.cwd })], protocols })
    })
  )

const credentials = ({ agentDir, apiKey, model, provider }: AgentOptions) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      if (apiKey === undefined) return KeyRing.layer({ agentDir })
      const catalog = yield* Catalog.Catalog
      const known = [...(yield* catalog.models).map((entry) => entry.model), Offline.guide, Offline.script]
      const chosen = yield* InitialModel.named(known, { provider, pattern: model })
      return KeyRing.layer({ agentDir, runtime: { provider: chosen.model.provider, key: apiKey } })
    })
  )

const agent = (options: AgentOptions) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const settings = yield* Settings
      const { model: pattern, provider } = options
      const selected = Option.getOrUndefined(yield* InitialModel.resolve({ provider, pattern }))
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

/** In one context, because every level of layers costs a start of the process more than a millisecond. */
const constants = Context.make(HostUi, HeadlessUi.service).pipe(
  Context.add(HostTools, NoHostTools.service),
  Context.add(Ids, RandomIds.service)
)

/** What stands lower is there for everything above it. */
export const layer = (options: AgentOptions) =>
  BackgroundDiscovery.layer.pipe(
    Layer.provideMerge(agent(options)),
    Layer.provideMerge(ToolRegistry.layer(options)),
    Layer.provideMerge(LocalShell.layer({ cwd: options.cwd })),
    Layer.provideMerge(providers(options)),
    Layer.provideMerge(credentials(options)),
    Layer.provideMerge(CurrentSession.layerMemory(options)),
    Layer.provideMerge(MemoryBudget.layer({})),
    Layer.provideMerge(Layer.succeedContext(constants)),
    Layer.provideMerge(Catalog.layer(options)),
    Layer.provideMerge(FileSettings.layer(options))
  )
