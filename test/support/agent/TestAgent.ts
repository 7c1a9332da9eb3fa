/** An agent on a scripted model, put together from the Layers of src: a test replaces any of them. */
import { Context, Effect, Layer } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import * as HostSessions from "../../../src/layers/agent/sessions/HostSessions.ts"
import * as HeadlessUi from "../../../src/layers/host/HeadlessUi.ts"
import * as MemoryBudget from "../../../src/layers/budget/MemoryBudget.ts"
import * as MemorySessionStore from "../../../src/layers/session/MemorySessionStore.ts"
import type { AgentPlan } from "../../../src/layers/session/SessionPlan.ts"
import { standard } from "../../../src/layers/session/standard.ts"
import * as StaticSettings from "../../../src/layers/settings/StaticSettings.ts"
import * as ToolRegistry from "../../../src/layers/tools/ToolRegistry.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Allowance, type Budget } from "../../../src/services/Budget.ts"
import * as HookLayer from "../../../src/layers/hooks/HookLayer.ts"
import { HostUi, type Ui } from "../../../src/services/host/HostUi.ts"
import type { Ids } from "../../../src/services/Ids.ts"
import { ModelCatalog } from "../../../src/services/model/ModelCatalog.ts"
import { ModelClient } from "../../../src/services/model/ModelClient.ts"
import { Controls } from "../../../src/services/session/Controls.ts"
import { Commands } from "../../../src/services/Commands.ts"
import { Compactions } from "../../../src/services/Compaction.ts"
import { SubagentSet } from "../../../src/services/delegation/Subagents.ts"
import { ExtensionEntries } from "../../../src/services/Sending.ts"
import { Inbox } from "../../../src/services/session/Inbox.ts"
import { Instructions } from "../../../src/services/session/Instructions.ts"
import { SessionCore } from "../../../src/services/session/SessionCore.ts"
import { Startup } from "../../../src/services/session/Startup.ts"
import { Session } from "../../../src/services/session/Session.ts"
import { SessionRegistry } from "../../../src/services/session/SessionRegistry.ts"
import { Sessions, type SessionServices } from "../../../src/services/session/Sessions.ts"
import { SessionStore } from "../../../src/services/session/SessionStore.ts"
import type { SettingsValues } from "../../../src/services/Settings.ts"
import { type Tool, type Tools, ToolSet } from "../../../src/services/Tools.ts"
import { Workspace } from "../../../src/services/Workspace.ts"
import * as FixedIds from "./FixedIds.ts"
import * as RuleTexts from "./RuleTexts.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

export interface AgentOptions {
  readonly turns?: ReadonlyArray<ScriptedModel.ScriptedTurn>
  readonly tools?: ReadonlyArray<Tool>
  readonly budget?: MemoryBudget.BudgetLimits
  readonly settings?: Partial<SettingsValues>
  /** No model was chosen. */
  readonly modelless?: boolean
}

/** Parts that a test brings itself; the others live in memory and do nothing else. */
export interface AgentParts {
  readonly client?: (client: typeof ModelClient.Service) => typeof ModelClient.Service
  readonly catalog?: typeof ModelCatalog.Service
  readonly hooks?: HookLayer.HookSet
  /** Hooks of several contributors, in place of `hooks`. */
  readonly contributors?: Layer.Layer<never>
  readonly store?: Layer.Layer<SessionStore, never, Ids>
  readonly tools?: Layer.Layer<Tools>
  readonly budget?: Layer.Layer<Budget>
  readonly rules?: RuleTexts.RuleTexts
  readonly plan?: AgentPlan
  readonly ui?: Ui
  readonly workspace?: typeof Workspace.Service
}

const first = Effect.orDie(Effect.flatMap(SessionStore, (store) => store.create({})))

const layerOf = (options: AgentOptions, parts: AgentParts, script: ScriptedModel.Script) => {
  const start = options.modelless === true ? {} : { model: ScriptedModel.model }
  const sessions = HostSessions.layer({
    cwd: "/",
    plan: parts.plan ?? standard,
    scopedModels: [],
    first,
    start: () => Effect.succeed(start)
  })
  const { client = (own) => own } = parts
  return sessions.pipe(
    Layer.provideMerge(parts.store ?? MemorySessionStore.layer({ cwd: "/" })),
    Layer.provide([
      FixedIds.layer,
      Layer.succeed(HostUi, parts.ui ?? HeadlessUi.make()),
      Layer.succeed(Workspace, parts.workspace),
      StaticSettings.layer(options.settings),
      Layer.succeed(ModelClient, client(script.client)),
      Layer.succeed(ModelCatalog, parts.catalog ?? script.catalog),
      parts.contributors ?? (parts.hooks === undefined ? Layer.empty : HookLayer.layer("test", parts.hooks)),
      RuleTexts.layer(parts.rules ?? {}),
      parts.budget ?? MemoryBudget.layer(options.budget ?? {}),
      parts.tools ?? ToolRegistry.layerOf(options.tools ?? [])
    ])
  )
}

/** It ends with the scope. `events` are all that it has published so far. */
export const make = Effect.fnUntraced(function* (options: AgentOptions, parts: AgentParts = {}) {
  const script = yield* ScriptedModel.make(options.turns ?? [])
  const context = yield* Layer.build(layerOf(options, parts, script))
  const sessions = Context.get(context, Sessions)
  const events: Array<AgentEvent> = []
  yield* sessions.attach({ offer: (event) => events.push(event), ready: Effect.void })
  const current = () => Effect.runSync(sessions.current)
  return {
    /** The agent of the session that the host is in now. */
    get agent() {
      return Context.get(current(), Agent)
    },
    get session() {
      return Context.get(current(), Session)
    },
    get controls() {
      return Context.get(current(), Controls)
    },
    get instructions() {
      return Context.get(current(), Instructions)
    },
    get toolSet() {
      return Context.get(current(), ToolSet)
    },
    get slashCommands() {
      return Context.get(current(), Commands)
    },
    get allowance() {
      return Context.get(current(), Allowance)
    },
    get subagentSet() {
      return Context.get(current(), SubagentSet)
    },
    get supervision() {
      return Context.get(current(), SessionCore).supervision
    },
    get startup() {
      return Context.get(current(), Startup)
    },
    get compactions() {
      return Context.get(current(), Compactions)
    },
    get inbox() {
      return Context.get(current(), Inbox)
    },
    get extensionEntries() {
      return Context.get(current(), ExtensionEntries)
    },
    get services() {
      return current()
    },
    /** Of the session that the host is in now. */
    service: <I extends SessionServices, S>(tag: Context.Tag<I, S>) => Context.get(current(), tag),
    sessions,
    registry: Context.get(context, SessionRegistry),
    store: Context.get(context, SessionStore),
    script,
    /** In the order in which they were published. */
    events: events satisfies ReadonlyArray<AgentEvent>
  }
})

export type TestAgent = Effect.Effect.Success<ReturnType<typeof make>>
