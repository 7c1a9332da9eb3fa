/** An agent whose store can be watched, stopped and made to fail, and which has folders. */
import { Effect, Layer, Option, Ref } from "effect"
import type { AgentEvent } from "../../src/domain/AgentEvent.ts"
import type { Model } from "../../src/domain/Model.ts"
import * as SessionAgent from "../../src/layers/agent/SessionAgent.ts"
import * as MemoryBudget from "../../src/layers/budget/MemoryBudget.ts"
import * as CurrentSession from "../../src/layers/session/CurrentSession.ts"
import * as MemorySessionStore from "../../src/layers/session/MemorySessionStore.ts"
import * as StaticSettings from "../../src/layers/settings/StaticSettings.ts"
import { Agent } from "../../src/services/Agent.ts"
import { ModelCatalog } from "../../src/services/ModelCatalog.ts"
import { Session } from "../../src/services/Session.ts"
import type { SessionChanges } from "../../src/services/SessionChanges.ts"
import { type SessionFolder, type SessionLog, SessionStore, StoreFailure } from "../../src/services/SessionStore.ts"
import { type Tool, Tools } from "../../src/services/Tools.ts"
import * as FixedIds from "./FixedIds.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

export interface Options {
  readonly turns?: ReadonlyArray<ScriptedModel.ScriptedTurn>
  readonly tools?: ReadonlyArray<Tool>
  readonly budget?: MemoryBudget.BudgetLimits
  /** Further models beside the scripted one; `available` says which can be used. */
  readonly models?: ReadonlyArray<Model>
  readonly available?: (model: Model) => boolean
  readonly folders?: ReadonlyArray<string>
}

export interface Harness {
  readonly agent: typeof Agent.Service
  readonly sessions: SessionChanges
  readonly session: typeof Session.Service
  readonly events: ReadonlyArray<AgentEvent>
  /** What was done to logs, with the id of their session. */
  readonly log: Array<string>
  /** Runs before a session is made; may fail or wait. */
  readonly beforeCreate: Ref.Ref<Effect.Effect<void, StoreFailure>>
}

export const full = new StoreFailure({ operation: "create", reference: "new", detail: "no space left" })

const watched = (folder: SessionFolder, log: Array<string>, before: Harness["beforeCreate"]): SessionFolder => {
  const note = (what: string, session: SessionLog) => Effect.sync(() => void log.push(`${what} ${session.header.id}`))
  const watch = (session: SessionLog) =>
    Effect.as(
      Effect.acquireRelease(note("open", session), () => note("close", session)),
      {
        ...session,
        append: (entries) => Effect.zipRight(note("append", session), session.append(entries)),
        sync: note("sync", session)
      } satisfies SessionLog
    )
  return {
    create: (options) =>
      Effect.zipRight(Effect.flatten(Ref.get(before)), Effect.flatMap(folder.create(options), watch)),
    open: (reference) => Effect.flatMap(folder.open(reference), watch),
    read: folder.read,
    latest: folder.latest,
    list: folder.list
  }
}

const storeLayer = (folders: ReadonlyArray<string>, log: Array<string>, before: Harness["beforeCreate"]) =>
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const own = watched(yield* MemorySessionStore.make({ cwd: "/" }), log, before)
      const others = new Map<string, SessionFolder>()
      for (const cwd of folders) others.set(cwd, watched(yield* MemorySessionStore.make({ cwd }), log, before))
      return { ...own, folder: (path) => Option.fromNullable(others.get(path)) }
    })
  )

const catalog = ({ available = () => true, models = [] }: Options) => {
  const all = [ScriptedModel.model, ...models]
  return Layer.succeed(ModelCatalog, {
    all: Effect.succeed(all),
    available: Effect.succeed(all.filter(available)),
    isAvailable: (model) => Effect.sync(() => available(model)),
    find: (provider, id) =>
      Effect.succeed(Option.fromNullable(all.find((model) => model.provider === provider && model.id === id)))
  })
}

export const run = <A, E>(options: Options, body: (harness: Harness) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const script = yield* ScriptedModel.make(options.turns ?? [])
    const beforeCreate = yield* Ref.make<Effect.Effect<void, StoreFailure>>(Effect.void)
    const log: Array<string> = []
    const all = options.tools ?? []
    const tools = Layer.succeed(Tools, {
      active: Effect.succeed(all),
      find: (name) => Effect.succeed(Option.fromNullable(all.find(({ definition }) => definition.name === name))),
      forget: Effect.sync(() => void log.push("forget"))
    })
    const layer = SessionAgent.layer({ cwd: "/", model: ScriptedModel.model, scopedModels: [] }).pipe(
      Layer.provide([tools, MemoryBudget.layer(options.budget ?? {}), StaticSettings.layer()]),
      Layer.provide(Layer.merge(script.layer, catalog(options))),
      Layer.provideMerge(CurrentSession.layer),
      Layer.provideMerge(storeLayer(options.folders ?? [], log, beforeCreate)),
      Layer.provide(FixedIds.layer)
    )
    return yield* Effect.gen(function* () {
      const agent = yield* Agent
      const session = yield* Session
      const events: Array<AgentEvent> = []
      yield* agent.attach({ offer: (event) => events.push(event), ready: Effect.void })
      return yield* body({ agent, sessions: yield* agent.sessions, session, events, log, beforeCreate })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
