/**
 * The services of the process as a graph of Layers. Each subsystem names what it needs in its type, so a replacement is
 * provided in its place and the compiler says what is missing (docs/embedding.md, "Replacing parts").
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Mode } from "../domain/approvals/Modes.ts"
import type { ThinkingLevel } from "../domain/model/Model.ts"
import { defined } from "../domain/Values.ts"
import { ApprovalConditions, type Conditions } from "../services/Approvals.ts"
import { Hooks } from "../services/hooks/Hooks.ts"
import { HostTools } from "../services/host/HostTools.ts"
import { Ids } from "../services/Ids.ts"
import { Files } from "../services/machine/Files.ts"
import { Processes } from "../services/machine/Processes.ts"
import { Sandbox, Unheld } from "../services/machine/Sandbox.ts"
import { none as noRuleSet, Rules, type RuleSource } from "../services/session/modules/Rules.ts"
import { Credentials } from "../services/model/Credentials.ts"
import { ModelCatalog } from "../services/model/ModelCatalog.ts"
import { ModelClient } from "../services/model/ModelClient.ts"
import { ProviderRegistrations } from "../services/model/ProviderRegistrations.ts"
import type { Session } from "../services/session/Session.ts"
import { SessionExport } from "../services/storage/SessionExport.ts"
import { Sessions } from "../services/session/Sessions.ts"
import { SessionStore } from "../services/storage/SessionStore.ts"
import { Budget } from "../services/session/modules/Budget.ts"
import { ForeignSettings, Settings, SettingsNotice } from "../services/Settings.ts"
import { Shell } from "../services/Shell.ts"
import { Subagents } from "../services/delegation/Delegation.ts"
import { Trust } from "../services/Trust.ts"
import { Workspace } from "../services/Workspace.ts"
import * as InitialModel from "./session/modules/controls/InitialModel.ts"
import * as HostSessions from "./session/registry/HostSessions.ts"
import * as RuleCheck from "./session/modules/approvals/RuleCheck.ts"
import * as MemoryBudget from "./session/modules/budget/MemoryBudget.ts"
import * as Discovery from "./pi/discovery/Discovery.ts"
import * as ProcessExtensions from "./pi/ProcessExtensions.ts"
import * as HtmlExport from "./storage/export/HtmlExport.ts"
import * as HostToolRegistry from "./tools/host/HostToolRegistry.ts"
import * as SwitchedUi from "./host/SwitchedUi.ts"
import * as Catalog from "./models/catalog/Catalog.ts"
import * as ModelDiscovery from "./models/catalog/Discovery.ts"
import * as KeyRing from "./models/keys/KeyRing.ts"
import * as Registrations from "./models/catalog/Registrations.ts"
import * as EnvFiles from "./machine/files/own/EnvFiles.ts"
import * as RandomIds from "./machine/engine/RandomIds.ts"
import * as BuiltIn from "./models/providers/BuiltIn.ts"
import * as Offline from "./models/offline/Offline.ts"
import * as ProviderRegistry from "./models/providers/ProviderRegistry.ts"
import * as Machine from "./machine/sandbox/Machine.ts"
import * as RuleFiles from "./session/modules/rules/RuleFiles.ts"
import { KnownSecrets, make as makeSecrets, type Secrets } from "./machine/secrets/KnownSecrets.ts"
import * as JsonlSessionStore from "./storage/sessions/JsonlSessionStore.ts"
import * as MemorySessionStore from "./storage/sessions/MemorySessionStore.ts"
import * as SessionFolders from "./storage/sessions/SessionFolders.ts"
import type { AgentPlan } from "./session/SessionPlan.ts"
import * as SessionStart from "./storage/sessions/SessionStart.ts"
import { sandboxed, standard } from "./session/standard.ts"
import { Declared } from "./workspace/settings/Declared.ts"
import * as FileSettings from "./workspace/settings/FileSettings.ts"
import * as Delegation from "./delegation/subagents/Delegation.ts"
import * as LocalSubagents from "./delegation/subagents/LocalSubagents.ts"
import * as LocalShell from "./tools/shell/LocalShell.ts"
import * as ToolRegistry from "./tools/ToolRegistry.ts"
import * as FolderWorkspace from "./workspace/context/FolderWorkspace.ts"
import * as PromptFiles from "./workspace/context/PromptFiles.ts"

export interface SessionOptions extends SessionStart.SessionChoice {
  /** Nothing is written; there is nothing to resume either. */
  readonly inMemory: boolean
  readonly sessionDir?: string
}

export interface AgentOptions
  extends
    FileSettings.FileSettingsOptions,
    ProcessExtensions.ProcessExtensionsOptions,
    FolderWorkspace.WorkspaceOptions,
    ToolRegistry.Selection {
  /** For the provider of the model that `provider` and `model` name. */
  readonly apiKey?: Redacted.Redacted
  readonly models: ReadonlyArray<string>
  readonly thinkingLevel?: ThinkingLevel
  /** A text, or the path of a file with it. */
  readonly systemPrompt?: string
  readonly appendSystemPrompt?: string
  readonly session: SessionOptions
  /** Limits of the command line: a host can only tighten them. */
  readonly fixedLimits?: MemoryBudget.BudgetLimits
  readonly noRules?: boolean
  /** Where secrets are gathered, if the caller masks its log, too. */
  readonly secrets?: Secrets
  /** The modules of sessions. Default: `standard`. */
  readonly plan?: AgentPlan
}

/** Fails if `-e` names what is not there, or a rule is none; without them it costs nothing. */
const settings = (options: AgentOptions) =>
  Effect.tap(FileSettings.load(options), ({ declared, settings: found }) =>
    Effect.zipRight(Effect.provideService(Discovery.check(options), Declared, declared), RuleCheck.check(found))
  )

type Found = Effect.Effect.Success<ReturnType<typeof FileSettings.load>>

const isMode = Schema.is(Mode)
const ofCommandLine: ReadonlySet<string> = new Set(["--approvals", "--set"])

/** What approvals have from the command line, the project and the folders of heddle, beside the settings in force. */
const conditions = Effect.fnUntraced(function* (options: AgentOptions, { origins, settings: found, tightened }: Found) {
  const { agentDir, cwd, session } = options
  const { "approvals.mode": mode } = found
  const ofProject = tightened.get("approvals.mode")
  const isFixed = origins.get("approvals.mode")?.locations.some(({ source }) => ofCommandLine.has(source.name)) === true
  const located = SessionFolders.locate({ agentDir, cwd, ...defined({ sessionDir: session.sessionDir }) })
  const { sessionDir } = yield* Effect.provideService(located, Settings, found)
  return {
    agentDir,
    hidden: found["sandbox.hidden"],
    ...defined({
      sessionsDir: sessionDir,
      fixedMode: isFixed ? mode : undefined,
      projectMode: isMode(ofProject) ? ofProject : undefined
    })
  } satisfies Conditions
})

const rules = ({ noRules = false, ...options }: AgentOptions): RuleSource => ({
  load: noRules ? Effect.succeed(noRuleSet) : RuleFiles.read(options)
})

/**
 * Settings, ids, the machine, and the tools and dialogs of a host that has not connected yet. Like `models` and `agent` it
 * is one Layer with several services: as Layers under `Layer.mergeAll` they would make every start 10 ms longer.
 */
export const base = (options: AgentOptions) =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const found = yield* settings(options)
      const { declared, foreign = Effect.succeed(undefined), notice = "", trust } = found
      const { files, processes, sandbox, settings: inForce, unheld } = yield* Machine.make(options, found)
      return Context.make(Settings, inForce).pipe(
        Context.add(Sandbox, sandbox),
        Context.add(Unheld, unheld),
        Context.add(SettingsNotice, notice),
        Context.add(ForeignSettings, foreign),
        Context.add(Trust, trust),
        Context.add(ApprovalConditions, yield* conditions(options, found)),
        Context.add(Declared, declared),
        Context.add(KnownSecrets, options.secrets ?? makeSecrets()),
        Context.add(Ids, RandomIds.make()),
        Context.add(Files, files),
        Context.add(Processes, processes),
        Context.add(Rules, rules(options)),
        Context.merge(SwitchedUi.services()),
        Context.add(HostTools, HostToolRegistry.make())
      )
    })
  )

/** Instruction files, skills and prompt templates. Sessions read them when they need them. */
export const workspace = (options: AgentOptions) =>
  Layer.effect(
    Workspace,
    Effect.flatMap(Effect.context<Settings>(), (services) => {
      const packagePaths = Effect.orElseSucceed(Discovery.find(options), () => Discovery.nothing)
      const guidance = Effect.flatMap(Rules, ({ load }) => Effect.map(load, (rules) => rules.guidance))
      return FolderWorkspace.makeChecked({
        ...options,
        packagePaths: Effect.provide(packagePaths, services),
        rules: Effect.provide(guidance, services)
      })
    })
  )

/** Keys: the option `--api-key` first, then those of the environment and of files. */
export const credentials = (options: AgentOptions) =>
  Layer.effect(
    Credentials,
    Effect.gen(function* () {
      const { agentDir, apiKey, model, provider } = options
      const { atStart } = yield* Trust
      const locations = { agentDir, ...EnvFiles.foldersFor({ cwd: options.cwd, trusted: atStart === "trusted" }) }
      if (apiKey === undefined) return yield* KeyRing.make(locations)
      const catalog = yield* Catalog.Catalog
      const known = [...(yield* catalog.models).map((entry) => entry.model), Offline.guide, Offline.script]
      const chosen = yield* InitialModel.named(known, { provider, pattern: model })
      return yield* KeyRing.make({ ...locations, runtime: { provider: chosen.model.provider, key: apiKey } })
    })
  )

/** The known models: the built-in ones, then those of models.json, and those that are registered later. */
export const catalog = (options: AgentOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const catalog = yield* Catalog.make(options)
      const registrations = yield* Effect.provideService(Registrations.make, Catalog.Catalog, catalog)
      return Context.make(Catalog.Catalog, catalog).pipe(Context.add(ProviderRegistrations, registrations))
    })
  )

/** Which models there are, and calls to them. */
export const models = (options: AgentOptions) =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const catalog = yield* ProviderRegistry.makeCatalog([Offline.offer])
      const client = yield* ProviderRegistry.makeClient(yield* BuiltIn.make(options))
      yield* ModelDiscovery.start
      return Context.make(ModelCatalog, catalog).pipe(Context.add(ModelClient, client))
    })
  )

/** For sessions that were left with `--no-session`: the last ones can be opened again, and many do not add up. */
const roomInMemory = 16 * 1024 * 1024

/** Session files, or memory where nothing is to be written. */
export const store = ({ agentDir, cwd, session }: AgentOptions) =>
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      if (session.inMemory) return yield* MemorySessionStore.make({ cwd, room: roomInMemory })
      const chosen = defined({ sessionDir: session.sessionDir })
      const location = yield* SessionFolders.locate({ agentDir, cwd, ...chosen })
      yield* SessionFolders.warnIfUnwritable(location)
      return yield* JsonlSessionStore.make(location)
    })
  )

export const shell = ({ cwd }: AgentOptions) =>
  Layer.scoped(
    Shell,
    Effect.flatMap(Settings, ({ shellCommandPrefix: commandPrefix, shellPath }) =>
      LocalShell.make({ cwd, ...defined({ shellPath, commandPrefix }) })
    )
  )

export const tools = (options: AgentOptions) => ToolRegistry.layer(options)

/** The limits of settings, and over them those of the command line, which stay. */
export const budget = ({ fixedLimits }: AgentOptions) =>
  Layer.effect(
    Budget,
    Effect.map(Settings, (settings) => MemoryBudget.make(MemoryBudget.ofSettings(settings), fixedLimits))
  )

/** The model and thinking level of the first session. A model that only `later` ones may know is left out. */
const start = (options: AgentOptions, later: boolean) =>
  Effect.fnUntraced(function* (session: typeof Session.Service) {
    yield* SessionStart.rename(options.session, session)
    const before = yield* session.settings
    const asked = { provider: options.provider, pattern: options.model }
    const resolved = InitialModel.resolve(asked, before.model)
    const found = later ? Effect.orElseSucceed(resolved, () => Option.none()) : resolved
    const selected = Option.getOrUndefined(yield* found)
    const thinkingLevel = options.thinkingLevel ?? selected?.thinkingLevel ?? before.thinkingLevel
    return defined({ model: selected?.model, thinkingLevel })
  })

/** What the options say in place of the built-in instructions, or behind them. */
const instructions = Effect.fnUntraced(function* ({ appendSystemPrompt, cwd, systemPrompt }: AgentOptions) {
  const replace =
    systemPrompt === undefined ? {} : { replace: yield* PromptFiles.ofOption("system-prompt", systemPrompt, cwd) }
  if (appendSystemPrompt === undefined) return replace
  return { ...replace, append: yield* PromptFiles.ofOption("append-system-prompt", appendSystemPrompt, cwd) }
})

/** The session that the process begins in, and every one it goes to. */
export const agent = (options: AgentOptions) =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { enabledModels } = yield* Settings
      const scopedModels = options.models.length > 0 ? options.models : enabledModels
      const made = yield* Deferred.make<typeof Sessions.Service>()
      const added = yield* ProcessExtensions.start(options, scopedModels, Deferred.await(made))
      const contributors = yield* Hooks
      const hooks = added === undefined ? contributors : [...contributors, added.contributor]
      const hosts = yield* HostSessions.make({
        cwd: options.cwd,
        scopedModels,
        plan: options.plan ?? ((yield* Sandbox) === undefined ? standard : sandboxed),
        ...(yield* instructions(options)),
        first: SessionStart.openLog(options.session),
        start: start(options, added !== undefined)
      }).pipe(Effect.provideService(Hooks, hooks), Effect.provideServiceEffect(Subagents, LocalSubagents.make(options)))
      const sessions = Context.get(hosts, Sessions)
      yield* Delegation.sweep(options)
      yield* Deferred.succeed(made, sessions)
      yield* ProcessExtensions.judge(options, sessions, added)
      const exported = yield* HtmlExport.make(options)
      return Context.add(hosts, SessionExport, exported)
    })
  )

/** Everything, as in the graph in docs/architecture.md. */
export const layer = (options: AgentOptions) =>
  agent(options).pipe(
    Layer.provideMerge(Layer.mergeAll(tools(options), store(options), budget(options), Delegation.verification)),
    Layer.provideMerge(Layer.mergeAll(models(options), shell(options), Delegation.worktrees(options))),
    Layer.provideMerge(credentials(options)),
    Layer.provideMerge(Layer.mergeAll(catalog(options), workspace(options))),
    Layer.provideMerge(base(options))
  )
