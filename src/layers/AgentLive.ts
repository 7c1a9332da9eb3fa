/** The wiring of one agent in one process, read top to bottom. Embedders replace any part by providing it first. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { ThinkingLevel } from "../domain/model/Model.ts"
import { Agent } from "../services/Agent.ts"
import { Budget } from "../services/Budget.ts"
import { Credentials } from "../services/model/Credentials.ts"
import { HostTools } from "../services/host/HostTools.ts"
import { HostUi } from "../services/host/HostUi.ts"
import { Processes } from "../services/machine/Processes.ts"
import { Ids } from "../services/Ids.ts"
import { ModelCatalog } from "../services/model/ModelCatalog.ts"
import { ModelClient } from "../services/model/ModelClient.ts"
import { Session } from "../services/session/Session.ts"
import { SessionExport } from "../services/session/SessionExport.ts"
import { SessionStore } from "../services/session/SessionStore.ts"
import { Settings } from "../services/Settings.ts"
import { Shell } from "../services/Shell.ts"
import { Tools } from "../services/Tools.ts"
import * as InitialModel from "./agent/model/InitialModel.ts"
import * as SessionAgent from "./agent/SessionAgent.ts"
import * as MemoryBudget from "./budget/MemoryBudget.ts"
import * as HtmlExport from "./export/HtmlExport.ts"
import * as HeadlessUi from "./host/HeadlessUi.ts"
import * as HostToolRegistry from "./host/HostToolRegistry.ts"
import * as BackgroundDiscovery from "./models/BackgroundDiscovery.ts"
import * as Catalog from "./models/Catalog.ts"
import * as KeyRing from "./models/KeyRing.ts"
import * as EnvFiles from "./platform/files/EnvFiles.ts"
import * as LocalProcesses from "./platform/processes/LocalProcesses.ts"
import * as RandomIds from "./platform/RandomIds.ts"
import * as Offline from "./providers/offline/Offline.ts"
import * as ProviderRegistry from "./providers/ProviderRegistry.ts"
import * as JsonlSessionStore from "./session/JsonlSessionStore.ts"
import * as MemorySessionStore from "./session/MemorySessionStore.ts"
import * as SessionFolders from "./session/SessionFolders.ts"
import * as SessionStart from "./session/SessionStart.ts"
import * as FileSettings from "./settings/FileSettings.ts"
import * as LocalShell from "./tools/shell/LocalShell.ts"
import * as ToolRegistry from "./tools/ToolRegistry.ts"
import * as Wiring from "./Wiring.ts"

export interface SessionOptions extends SessionStart.SessionChoice {
  /** Nothing is written; there is nothing to resume either. */
  readonly inMemory: boolean
  readonly sessionDir?: string
}

export interface AgentOptions extends FileSettings.FileSettingsOptions, ToolRegistry.Selection {
  readonly provider?: string
  readonly model?: string
  /** For the provider of the model that `provider` and `model` name. */
  readonly apiKey?: Redacted.Redacted
  readonly models: ReadonlyArray<string>
  readonly thinkingLevel?: ThinkingLevel
  readonly systemPrompt?: string
  readonly appendSystemPrompt?: string
  readonly session: SessionOptions
}

/** Loaded with the first call to a provider. */
const protocols = Effect.map(
  Effect.promise(() => import("./providers/protocols/builtIn.ts")),
  (builtIn) => builtIn.make()
)

const modelClient = Effect.fnUntraced(function* ({ cwd }: AgentOptions) {
  const settings = yield* Settings
  const offline = yield* Offline.make({ scenario: Option.fromNullable(settings["offline.scenario"]), cwd })
  return yield* ProviderRegistry.makeClient({ providers: [offline], protocols })
})

const credentials = Effect.fnUntraced(function* ({ agentDir, apiKey, cwd, model, provider }: AgentOptions) {
  const places = { agentDir, envFolders: EnvFiles.foldersFor(cwd) }
  if (apiKey === undefined) return yield* KeyRing.make(places)
  const catalog = yield* Catalog.Catalog
  const known = [...(yield* catalog.models).map((entry) => entry.model), Offline.guide, Offline.script]
  const chosen = yield* InitialModel.named(known, { provider, pattern: model })
  return yield* KeyRing.make({ ...places, runtime: { provider: chosen.model.provider, key: apiKey } })
})

const shell = ({ cwd }: AgentOptions) =>
  Effect.flatMap(Settings, ({ shellCommandPrefix: commandPrefix, shellPath }) =>
    LocalShell.make({
      cwd,
      ...(shellPath === undefined ? {} : { shellPath }),
      ...(commandPrefix === undefined ? {} : { commandPrefix })
    })
  )

const agent = Effect.fnUntraced(function* (options: AgentOptions) {
  const settings = yield* Settings
  const { model: pattern, provider } = options
  const before = yield* Effect.flatMap(Session, ({ settings }) => settings)
  const selected = Option.getOrUndefined(yield* InitialModel.resolve({ provider, pattern }, before.model))
  const thinkingLevel = options.thinkingLevel ?? selected?.thinkingLevel ?? before.thinkingLevel
  return yield* SessionAgent.make({
    cwd: options.cwd,
    scopedModels: options.models.length > 0 ? options.models : settings.enabledModels,
    ...(selected === undefined ? {} : { model: selected.model }),
    ...(thinkingLevel === undefined ? {} : { thinkingLevel }),
    ...(options.systemPrompt === undefined ? {} : { replace: options.systemPrompt }),
    ...(options.appendSystemPrompt === undefined ? {} : { append: options.appendSystemPrompt })
  })
})

const constants = Effect.sync(() =>
  Context.make(HostUi, HeadlessUi.service).pipe(
    Context.add(HostTools, HostToolRegistry.make()),
    Context.add(Ids, RandomIds.service),
    Context.add(Processes, LocalProcesses.service)
  )
)

/** Session files, or memory with `--no-session`. */
const sessionStore = Effect.fnUntraced(function* ({ agentDir, cwd, session }: AgentOptions) {
  if (session.inMemory) return yield* MemorySessionStore.make({ cwd })
  const { sessionDir } = session
  const chosen = sessionDir === undefined ? {} : { sessionDir }
  return yield* JsonlSessionStore.make(yield* SessionFolders.place({ agentDir, cwd, ...chosen }))
})

export const layer = (options: AgentOptions) =>
  Layer.scopedContext(
    constants.pipe(
      Wiring.add(Settings, FileSettings.make(options)),
      Wiring.add(Catalog.Catalog, Catalog.make(options)),
      Wiring.add(SessionStore, sessionStore(options)),
      Wiring.add(Session, SessionStart.make(options.session)),
      Wiring.add(Budget, MemoryBudget.makeResumed({})),
      Wiring.add(Credentials, credentials(options)),
      Wiring.add(ModelCatalog, ProviderRegistry.makeCatalog([Offline.offer])),
      Wiring.add(ModelClient, modelClient(options)),
      Wiring.add(Shell, shell(options)),
      Wiring.add(Tools, ToolRegistry.make(options)),
      Wiring.add(Agent, agent(options)),
      Wiring.add(SessionExport, HtmlExport.make(options)),
      Wiring.start(BackgroundDiscovery.make)
    )
  )
