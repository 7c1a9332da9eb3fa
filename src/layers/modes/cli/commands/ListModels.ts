/** `--list-models [search]`: a table for people, or JSON. Starts no agent. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import { label, type Model, supportedLevels } from "../../../../domain/model/Model.ts"
import { ModelCatalog } from "../../../../services/model/ModelCatalog.ts"
import { Settings } from "../../../../services/Settings.ts"
import * as InitialModel from "../../../session/modules/controls/InitialModel.ts"
import * as ModelSelection from "../../../session/modules/controls/ModelSelection.ts"
import * as Catalog from "../../../models/catalog/Catalog.ts"
import * as Discovery from "../../../models/catalog/Discovery.ts"
import * as KeyRing from "../../../models/keys/KeyRing.ts"
import * as LocalProcesses from "../../../machine/processes/LocalProcesses.ts"
import * as EnvFiles from "../../../machine/files/own/EnvFiles.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import * as Process from "../../../machine/processes/Process.ts"
import * as Offline from "../../../models/offline/Offline.ts"
import * as ProviderRegistry from "../../../models/providers/ProviderRegistry.ts"
import * as FileSettings from "../../../workspace/settings/FileSettings.ts"

export interface ListOptions {
  /** Empty: all models. */
  readonly search: string
  readonly json: boolean
  readonly overrides: Readonly<Record<string, unknown>>
  readonly trusted?: boolean
  readonly cwd?: string
}

const count = (tokens: number): string =>
  tokens >= 1_000_000 ? `${Number((tokens / 1e6).toFixed(2))}M` : `${Math.round(tokens / 1000)}K`

const price = ({ cost }: Model): string => (cost.input + cost.output === 0 ? "-" : `$${cost.input} / $${cost.output}`)

const header = ["PROVIDER", "MODEL", "CONTEXT", "OUTPUT", "THINKING", "IMAGES", "PRICE IN / OUT", "USABLE"]

/** A model, and what it is to this user. */
interface Listed {
  readonly model: Model
  readonly available: boolean
  /** The default model of a session. */
  readonly isDefault: boolean
}

const usable = ({ available, isDefault }: Listed): string => {
  if (isDefault) return available ? "yes, default" : "no key, default"
  return available ? "yes" : "no key"
}

const row = ({ model, ...listed }: Listed): ReadonlyArray<string> => [
  model.provider,
  model.id,
  count(model.contextWindow),
  count(model.maxTokens),
  model.reasoning ? `up to ${supportedLevels(model).at(-1) ?? "off"}` : "-",
  model.input.includes("image") ? "yes" : "-",
  price(model),
  usable({ model, ...listed })
]

export const modelsLayer = (options: FileSettings.FileSettingsOptions, trusted: boolean) =>
  Layer.unwrapEffect(
    Effect.map(Offline.make({ scenario: Option.none(), cwd: options.cwd }), (offline) =>
      ProviderRegistry.layer({ providers: [offline], protocols: Effect.succeed([]) })
    )
  ).pipe(
    Layer.provideMerge(KeyRing.layer({ ...options, ...EnvFiles.foldersFor({ cwd: options.cwd, trusted }) })),
    Layer.provideMerge(Catalog.layer(options)),
    Layer.provide(LocalProcesses.layer)
  )

const layer = (options: FileSettings.FileSettingsOptions) =>
  Layer.unwrapEffect(
    Effect.map(FileSettings.load(options), ({ settings, trust }) =>
      Layer.provideMerge(modelsLayer(options, trust.atStart === "trusted"), Layer.succeed(Settings, settings))
    )
  )

/** By the rule that sessions follow. The list says which models have no key, so the hint about that is left out. */
const defaultModel = InitialModel.resolve({}).pipe(
  Effect.map((found) => Option.getOrUndefined(Option.map(found, ({ model }) => label(model)))),
  Effect.catchTag("UnknownModel", () => Effect.succeed(undefined)),
  Logger.withMinimumLogLevel(LogLevel.Warning)
)

const print = Effect.fnUntraced(function* ({ json, search }: ListOptions) {
  const settings = yield* Settings
  yield* Discovery.run(settings["models.discover"])
  const catalog = yield* ModelCatalog
  // The settings may name a model that no list has; it joins the catalogue.
  const first = yield* defaultModel
  const all = yield* catalog.all
  const found = search === "" ? all : ModelSelection.matching(all, search)
  const available = new Set((yield* catalog.available).map(label))
  const listed = found.map((model): Listed => ({
    model,
    available: available.has(label(model)),
    isDefault: label(model) === first
  }))
  if (json) {
    yield* Process.print(
      JSON.stringify(
        listed.map(({ available, isDefault, model }) => ({ ...model, available, default: isDefault })),
        null,
        2
      )
    )
  } else if (listed.length === 0) {
    yield* Process.printError(`No model matches "${search}".`)
  } else {
    yield* Process.print(Process.table([header, ...listed.map(row)]))
  }
})

export const run = Effect.fnUntraced(function* (options: ListOptions) {
  const files = {
    agentDir: yield* Process.agentDir,
    cwd: LocalPaths.resolve(options.cwd ?? (yield* Process.currentFolder)),
    overrides: options.overrides,
    trusted: options.trusted
  }
  yield* Effect.provide(print(options), layer(files))
})
