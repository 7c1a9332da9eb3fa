/** An agent whose store can be watched, stopped and made to fail, and which has folders. */
import { Effect, Layer, Option, Ref } from "effect"
import type { Model } from "../../../src/domain/model/Model.ts"
import * as MemorySessionStore from "../../../src/layers/session/MemorySessionStore.ts"
import { ModelCatalog } from "../../../src/services/model/ModelCatalog.ts"
import type { SessionChanges } from "../../../src/services/session/Sessions.ts"
import {
  type SessionFolder,
  type SessionLog,
  SessionStore,
  StoreFailure
} from "../../../src/services/session/SessionStore.ts"
import * as ScriptedModel from "./ScriptedModel.ts"
import * as TestAgent from "./TestAgent.ts"

export interface Options extends TestAgent.AgentOptions {
  /** Further models beside the scripted one; `available` says which can be used. */
  readonly models?: ReadonlyArray<Model>
  readonly available?: (model: Model) => boolean
  readonly folders?: ReadonlyArray<string>
}

export interface Harness extends Omit<TestAgent.TestAgent, "script" | "sessions" | "registry"> {
  readonly sessions: SessionChanges
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

const storeOf = Effect.fnUntraced(function* (
  folders: ReadonlyArray<string>,
  log: Array<string>,
  before: Harness["beforeCreate"]
) {
  const own = watched(yield* MemorySessionStore.make({ cwd: "/" }), log, before)
  const others = new Map<string, SessionFolder>()
  for (const cwd of folders) others.set(cwd, watched(yield* MemorySessionStore.make({ cwd }), log, before))
  return SessionStore.of({ ...own, folder: (path) => Option.fromNullable(others.get(path)) })
})

const catalogOf = ({ available = () => true, models = [] }: Options) => {
  const all = [ScriptedModel.model, ...models]
  return ModelCatalog.of({
    all: Effect.succeed(all),
    available: Effect.succeed(all.filter(available)),
    isAvailable: (model) => Effect.sync(() => available(model)),
    find: (provider, id) =>
      Effect.succeed(Option.fromNullable(all.find((model) => model.provider === provider && model.id === id)))
  })
}

export const run = <A, E>(options: Options, body: (harness: Harness) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const beforeCreate = yield* Ref.make<Effect.Effect<void, StoreFailure>>(Effect.void)
    const log: Array<string> = []
    const parts = yield* TestAgent.make(options, {
      catalog: catalogOf(options),
      store: Layer.effect(SessionStore, storeOf(options.folders ?? [], log, beforeCreate))
    })
    const sessions = yield* parts.sessions.changes
    const { events, store } = parts
    return yield* body({
      get agent() {
        return parts.agent
      },
      get session() {
        return parts.session
      },
      get controls() {
        return parts.controls
      },
      get instructions() {
        return parts.instructions
      },
      get toolSet() {
        return parts.toolSet
      },
      get slashCommands() {
        return parts.slashCommands
      },
      get allowance() {
        return parts.allowance
      },
      get subagentSet() {
        return parts.subagentSet
      },
      get supervision() {
        return parts.supervision
      },
      get startup() {
        return parts.startup
      },
      get compactions() {
        return parts.compactions
      },
      get inbox() {
        return parts.inbox
      },
      get extensionEntries() {
        return parts.extensionEntries
      },
      get services() {
        return parts.services
      },
      service: parts.service,
      events,
      store,
      sessions,
      log,
      beforeCreate
    })
  }).pipe(Effect.scoped)
