/** An agent on a scripted model, put together without layers: a run of the tests makes thousands of them. */
import { Context, Effect, Option } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import * as SessionAgent from "../../../src/layers/agent/SessionAgent.ts"
import * as MemoryBudget from "../../../src/layers/budget/MemoryBudget.ts"
import * as CurrentSession from "../../../src/layers/session/CurrentSession.ts"
import * as MemorySessionStore from "../../../src/layers/session/MemorySessionStore.ts"
import * as Wiring from "../../../src/layers/Wiring.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Budget } from "../../../src/services/Budget.ts"
import { CompactionHooks } from "../../../src/services/Compaction.ts"
import { Ids } from "../../../src/services/Ids.ts"
import { ModelCatalog } from "../../../src/services/model/ModelCatalog.ts"
import { ModelClient } from "../../../src/services/model/ModelClient.ts"
import { Session } from "../../../src/services/session/Session.ts"
import { SessionStore } from "../../../src/services/session/SessionStore.ts"
import { defaults, Settings, type SettingsValues } from "../../../src/services/Settings.ts"
import { type Tool, Tools } from "../../../src/services/Tools.ts"
import * as FixedIds from "./FixedIds.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

export interface AgentOptions extends ScriptedModel.ScriptOptions {
  readonly turns?: ReadonlyArray<ScriptedModel.ScriptedTurn>
  readonly tools?: ReadonlyArray<Tool>
  readonly budget?: MemoryBudget.BudgetLimits
  readonly settings?: Partial<SettingsValues>
  /** No model was chosen. */
  readonly modelless?: boolean
}

/** Parts that a test brings itself; the others live in memory and do nothing else. */
export interface AgentParts {
  readonly catalog?: typeof ModelCatalog.Service
  readonly hooks?: Partial<typeof CompactionHooks.Service>
  readonly store?: Effect.Effect<typeof SessionStore.Service, never, Ids>
  /** Put between the agent and its session. */
  readonly watch?: (session: typeof Session.Service) => typeof Session.Service
  readonly forget?: Effect.Effect<void>
}

const silent: typeof CompactionHooks.Service = {
  before: () => Effect.succeed({ _tag: "Proceed" }),
  after: () => Effect.void
}

const toolsOf = (all: ReadonlyArray<Tool>, forget: Effect.Effect<void>) =>
  Tools.of({
    active: Effect.succeed(all),
    forget,
    find: (name) => Effect.succeed(Option.fromNullable(all.find(({ definition }) => definition.name === name)))
  })

/** It ends with the scope. `events` are all that it has published so far. */
export const make = Effect.fnUntraced(function* (options: AgentOptions, parts: AgentParts = {}) {
  const { budget = {}, modelless = false, settings = {}, tools = [], turns = [] } = options
  const { forget = Effect.void, hooks = {}, watch = (session) => session } = parts
  const script = yield* ScriptedModel.make(turns, options)
  const first = Effect.flatMap(SessionStore, (store) => store.create({}))
  const agent = SessionAgent.make({ cwd: "/", ...(modelless ? {} : { model: ScriptedModel.model }), scopedModels: [] })
  const context = yield* Effect.succeed(Context.make(Settings, { ...defaults, ...settings })).pipe(
    Wiring.add(Ids, FixedIds.make),
    Wiring.add(ModelClient, Effect.succeed(script.client)),
    Wiring.add(ModelCatalog, Effect.succeed(parts.catalog ?? script.catalog)),
    Wiring.add(Budget, MemoryBudget.make(budget)),
    Wiring.add(Tools, Effect.succeed(toolsOf(tools, forget))),
    Wiring.add(SessionStore, parts.store ?? MemorySessionStore.make({ cwd: "/" })),
    Wiring.add(Session, Effect.map(Effect.orDie(CurrentSession.make(first)), watch)),
    Wiring.add(Agent, Effect.provideService(agent, CompactionHooks, { ...silent, ...hooks }))
  )
  const service = Context.get(context, Agent)
  const events: Array<AgentEvent> = []
  yield* service.attach({ offer: (event) => events.push(event), ready: Effect.void })
  return {
    agent: service,
    session: Context.get(context, Session),
    store: Context.get(context, SessionStore),
    script,
    /** In the order in which they were published. */
    events: events satisfies ReadonlyArray<AgentEvent>
  }
})

export type TestAgent = Effect.Effect.Success<ReturnType<typeof make>>
