/** The agent of one session in which every service counts its calls, so that a test can let any one of them hang. */
import { Context, Deferred, Effect, Layer, type Mailbox, type Scope } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import * as SessionAgent from "../../../src/layers/agent/SessionAgent.ts"
import * as MemoryBudget from "../../../src/layers/budget/MemoryBudget.ts"
import * as CurrentSession from "../../../src/layers/session/CurrentSession.ts"
import * as MemorySessionStore from "../../../src/layers/session/MemorySessionStore.ts"
import { standard } from "../../../src/layers/session/standard.ts"
import * as HeadlessUi from "../../../src/layers/host/HeadlessUi.ts"
import * as StaticSettings from "../../../src/layers/settings/StaticSettings.ts"
import { toTool } from "../../../src/layers/host/HostTool.ts"
import * as ToolRegistry from "../../../src/layers/tools/ToolRegistry.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Budget } from "../../../src/services/Budget.ts"
import * as HookLayer from "../../../src/layers/hooks/HookLayer.ts"
import type { HostTool } from "../../../src/services/host/HostTools.ts"
import { ModelCatalog } from "../../../src/services/model/ModelCatalog.ts"
import { ModelClient, type ModelFailure, type ModelRequest } from "../../../src/services/model/ModelClient.ts"
import { SessionCore } from "../../../src/services/session/SessionCore.ts"
import { Session } from "../../../src/services/session/Session.ts"
import { type SessionLog, SessionStore } from "../../../src/services/session/SessionStore.ts"
import { type Tool, Tools } from "../../../src/services/Tools.ts"
import type * as AgentHarness from "./AgentHarness.ts"
import * as FixedIds from "./FixedIds.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

export interface HangingOptions extends AgentHarness.HarnessOptions {
  readonly hostTools?: ReadonlyArray<HostTool>
  /** Which of the counted calls hangs; the first one is 1. */
  readonly at: number
  /** There are hooks at every point of a run, and at its events. */
  readonly hooks?: true
  /** Counts only the calls with these names. */
  readonly only?: (name: string) => boolean
}

/** Lets the call of that number hang. */
export interface Hang {
  readonly gate: <A, E, R>(name: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The name of the call that hangs, once it does. */
  readonly hung: Effect.Effect<string>
  /** The names of the calls so far. */
  readonly calls: ReadonlyArray<string>
  /** Calls that build the agent are not counted. */
  readonly begin: () => void
}

const makeHang = ({ at, only = () => true }: HangingOptions) =>
  Effect.map(Deferred.make<string>(), (hung): Hang => {
    const calls: Array<string> = []
    let begun = false
    return {
      calls,
      begin: () => {
        begun = true
      },
      hung: Deferred.await(hung),
      gate: (name, effect) =>
        Effect.suspend(() => {
          if (!begun || !only(name)) return effect
          calls.push(name)
          return calls.length === at ? Effect.zipRight(Deferred.succeed(hung, name), Effect.never) : effect
        })
    }
  })

const sessionOf = ({ gate }: Hang, session: typeof Session.Service): typeof Session.Service => ({
  ...session,
  info: gate("Session.info", session.info),
  messages: gate("Session.messages", session.messages),
  messageCount: gate("Session.messageCount", session.messageCount),
  entries: gate("Session.entries", session.entries),
  branch: gate("Session.branch", session.branch),
  tail: (fits) => gate("Session.tail", session.tail(fits)),
  branchTo: (entryId) => gate("Session.branchTo", session.branchTo(entryId)),
  settings: gate("Session.settings", session.settings),
  leafId: gate("Session.leafId", session.leafId)
})

const logOf = ({ gate }: Hang, log: SessionLog): SessionLog => ({
  ...log,
  append: (entries) => gate("SessionLog.append", log.append(entries)),
  sync: gate("SessionLog.sync", log.sync)
})

/** As a provider does it that sends a request and gets a response. */
const around = ({ hooks, model, sessionId }: ModelRequest) =>
  Effect.zipRight(
    hooks?.before?.({}, { model, sessionId }) ?? Effect.void,
    hooks?.after?.({ status: 200, headers: {} }, { model, sessionId }) ?? Effect.void
  )

const clientOf = ({ gate }: Hang, client: typeof ModelClient.Service): typeof ModelClient.Service => {
  const boxOf = (box: Mailbox.ReadonlyMailbox<ModelEvent, ModelFailure>) => {
    const takeAll = gate("Mailbox.takeAll", box.takeAll)
    return new Proxy(box, { get: (target, key) => (key === "takeAll" ? takeAll : Reflect.get(target, key, target)) })
  }
  return {
    // Before the call is open, and when it is.
    stream: (request) =>
      gate(
        "ModelClient.stream",
        Effect.flatMap(Effect.zipRight(around(request), client.stream(request)), (box) =>
          gate("ModelClient.open", Effect.succeed(boxOf(box)))
        )
      )
  }
}

const catalogOf = ({ gate }: Hang, catalog: typeof ModelCatalog.Service): typeof ModelCatalog.Service => ({
  all: gate("ModelCatalog.all", catalog.all),
  available: gate("ModelCatalog.available", catalog.available),
  isAvailable: (model) => gate("ModelCatalog.isAvailable", catalog.isAvailable(model)),
  find: (provider, modelId) => gate("ModelCatalog.find", catalog.find(provider, modelId))
})

const toolsOf = ({ gate }: Hang, { open }: typeof Tools.Service): typeof Tools.Service => ({
  open: (contributed, files) =>
    Effect.map(open(contributed, files), (tools) => ({
      ...tools,
      active: gate("Tools.active", tools.active),
      find: (name) => gate("Tools.find", tools.find(name))
    }))
})

const budgetOf = ({ gate }: Hang, { open }: typeof Budget.Service): typeof Budget.Service => ({
  open: (publish) =>
    Effect.map(open(publish), (budget) => ({
      ...budget,
      check: gate("Budget.check", budget.check),
      mayCall: gate("Budget.mayCall", budget.mayCall),
      modelCall: (plan) =>
        Effect.map(gate("Budget.modelCall", budget.modelCall(plan)), (reservation) => ({
          ...reservation,
          settle: (usage, isTurn) => gate("Budget.settle", reservation.settle(usage, isTurn))
        })),
      toolCall: gate("Budget.toolCall", budget.toolCall),
      recordUsage: (usage) => gate("Budget.recordUsage", budget.recordUsage(usage))
    }))
})

const compactionHooks = ({ gate }: Hang): HookLayer.HookSet => ({
  compacting: () => gate("Hooks.compacting", Effect.succeed({ _tag: "Proceed" })),
  compacted: () => gate("Hooks.compacted", Effect.void)
})

/** The points of a run at which hooks are asked, and those at which they watch. */
export const asked = ["input", "runStarting", "context", "messageEnding", "toolCall", "toolResult"] as const
export const watched = [
  "RunStarted",
  "TurnStarted",
  "MessageStarted",
  "MessageUpdated",
  "MessageEnded",
  "ToolStarted",
  "ToolUpdated",
  "ToolEnded",
  "TurnEnded",
  "CompactionStarted",
  "CompactionEnded",
  "RetryScheduled",
  "RetryEnded",
  "QueueChanged"
] as const

const hooksOf = (hang: Hang): HookLayer.HookSet => {
  const own: { [P in (typeof asked)[number] | (typeof watched)[number]]?: () => Effect.Effect<void> } = {}
  for (const point of [...asked, ...watched]) own[point] = () => hang.gate(`Hooks.${point}`, Effect.void)
  return {
    ...compactionHooks(hang),
    ...own,
    providerRequest: () => hang.gate("Hooks.providerRequest", Effect.void),
    providerResponse: () => hang.gate("Hooks.providerResponse", Effect.void)
  }
}

const toolOf = ({ gate }: Hang, tool: Tool): Tool => ({
  ...tool,
  run: (args, context) => gate("Tool.run", tool.run(args, context))
})

const hostToolOf = ({ gate }: Hang, tool: HostTool): Tool =>
  toTool({ ...tool, call: (args, context) => gate("HostTool.call", tool.call(args, context)) })

const replaced = <I, S, E, R>(layer: Layer.Layer<I, E, R>, tag: Context.Tag<I, S>, by: (service: S) => S) =>
  Layer.map(layer, (context) => Context.make(tag, by(Context.get(context, tag))))

const layerOf = (options: HangingOptions, hang: Hang, script: ScriptedModel.Script) => {
  const { budget = {}, hostTools = [], settings, tools = [] } = options
  const ownTools = [...tools.map((tool) => toolOf(hang, tool)), ...hostTools.map((tool) => hostToolOf(hang, tool))]
  const watched = (log: SessionLog) => logOf(hang, log)
  const store = replaced(MemorySessionStore.layer({ cwd: "/" }), SessionStore, (service) => ({
    ...service,
    create: (given) => hang.gate("SessionStore.create", Effect.map(service.create(given), watched))
  }))
  const first = Effect.orDie(Effect.flatMap(SessionStore, ({ create }) => create({})))
  return SessionAgent.layer({ cwd: "/", plan: standard, model: ScriptedModel.model, scopedModels: [] }).pipe(
    Layer.provideMerge(replaced(CurrentSession.layer, Session, (session) => sessionOf(hang, session))),
    Layer.provide(CurrentSession.layerLog(first)),
    Layer.provide([
      store,
      StaticSettings.layer(settings),
      HeadlessUi.layer,
      Layer.succeed(ModelClient, clientOf(hang, script.client)),
      Layer.succeed(ModelCatalog, catalogOf(hang, script.catalog)),
      HookLayer.layer("hanging", options.hooks === true ? hooksOf(hang) : compactionHooks(hang)),
      replaced(MemoryBudget.layer(budget), Budget, (service) => budgetOf(hang, service)),
      replaced(ToolRegistry.layerOf(ownTools), Tools, (service) => toolsOf(hang, service))
    ]),
    Layer.provide(FixedIds.layer)
  )
}

/** It ends with `scope`. `events` are all that it has published so far, to the very end. */
export const make = Effect.fnUntraced(function* (options: HangingOptions, scope: Scope.Scope) {
  const script = yield* ScriptedModel.make(options.turns)
  const hang = yield* makeHang(options)
  const context = yield* Layer.buildWithScope(layerOf(options, hang, script), scope)
  const agent = Context.get(context, Agent)
  const session = Context.get(context, Session)
  const events: Array<AgentEvent> = []
  yield* agent.events.attach({ offer: (event) => events.push(event), ready: Effect.void })
  hang.begin()
  const { supervision } = Context.get(context, SessionCore)
  return { agent, session, supervision, script, events: events satisfies ReadonlyArray<AgentEvent>, ...hang }
})

export type HangingAgent = Effect.Effect.Success<ReturnType<typeof make>>
