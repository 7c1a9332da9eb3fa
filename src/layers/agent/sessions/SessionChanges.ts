/** Changes of the session an agent is in (protocol.md 3.7, 9.6). The session itself is owned by the Session service. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import { plainText } from "../../../domain/conversation/Content.ts"
import * as Ledger from "../../../domain/session/Ledger.ts"
import { cleanName, type SessionEntry } from "../../../domain/session/SessionEntry.ts"
import type { ModelName } from "../../../domain/session/SessionSettings.ts"
import { copyPath } from "../../../domain/session/SessionTree.ts"
import type { Budget } from "../../../services/Budget.ts"
import type { ModelCatalog } from "../../../services/model/ModelCatalog.ts"
import type { Session } from "../../../services/session/Session.ts"
import {
  EmptySessionName,
  ModelUnavailable,
  NoSessionFolders,
  NotABranchPoint,
  NothingToClone,
  type OpenOptions,
  type SessionChanges
} from "../../../services/session/SessionChanges.ts"
import type { NewSession, SessionFolder, SessionLog, SessionStore } from "../../../services/session/SessionStore.ts"
import type { Tools } from "../../../services/Tools.ts"
import type * as Controls from "../model/Controls.ts"
import { exclusively } from "../run/Exclusively.ts"
import * as Navigation from "./Navigation.ts"

interface Dependencies {
  readonly session: typeof Session.Service
  readonly store: typeof SessionStore.Service
  readonly catalog: typeof ModelCatalog.Service
  readonly budget: typeof Budget.Service
  readonly tools: typeof Tools.Service
  readonly controls: Controls.Controls
  readonly publish: (event: AgentEvent) => void
  /** Whoever has it keeps prompts from being accepted. */
  readonly gate: Effect.Semaphore
  /** Interrupts the run and returns after its last event. */
  readonly endRun: Effect.Effect<void>
  readonly summarize: Navigation.Summarize
  /** Drops what waited for a run in the conversation that is left. */
  readonly leave: Effect.Effect<void>
}

/** Fails where it is not known or has no key. */
const checkModel = Effect.fnUntraced(function* (
  catalog: typeof ModelCatalog.Service,
  { modelId, provider }: ModelName
) {
  const found = yield* catalog.find(provider, modelId)
  if (Option.isNone(found) || !(yield* catalog.isAvailable(found.value))) {
    return yield* new ModelUnavailable({ provider, modelId })
  }
})

export const make = (dependencies: Dependencies): SessionChanges => {
  const { budget, catalog, controls, endRun, gate, leave, publish, session, store, summarize, tools } = dependencies
  let place: SessionFolder = store

  /** Everything of the old session is said and stored. */
  const settle = endRun.pipe(Effect.zipRight(leave), Effect.zipRight(session.sync))

  const announce = Effect.gen(function* () {
    const { name, sessionId } = yield* session.info
    publish({ _tag: "SessionChanged", sessionId })
    publish({ _tag: "SessionNamed", ...Option.match(name, { onNone: () => ({}), onSome: (name) => ({ name }) }) })
    yield* budget.begin(Ledger.total(yield* session.entries))
  })

  /** The run is ended when the new session is open: from then on nothing can fail. */
  const change = <E>(open: Effect.Effect<SessionLog, E, Scope.Scope>, arrived: Effect.Effect<void> = Effect.void) =>
    Effect.uninterruptibleMask((restore) =>
      session.become(Effect.zipLeft(restore(open), settle)).pipe(Effect.zipRight(announce), Effect.zipRight(arrived))
    ).pipe(exclusively(gate))

  /** Puts in force what a session was left with, or what is wanted in its place. */
  const resume = (wanted: ModelName | undefined) =>
    Effect.gen(function* () {
      yield* tools.forget
      const left = yield* session.settings
      const model = wanted ?? left.model
      yield* controls.restore({ ...left, ...(model === undefined ? {} : { model }) })
      if (wanted !== undefined && (wanted.provider !== left.model?.provider || wanted.modelId !== left.model.modelId)) {
        yield* session.append({ type: "model_change", ...wanted })
      }
    })

  const isCurrent = (reference: string) =>
    Effect.map(
      session.info,
      ({ file, sessionId }) => reference === sessionId || Option.getOrUndefined(file) === reference
    )

  /** As if it had been left and opened again: it stands at its newest entry. */
  const reopen = Effect.fnUntraced(
    function* (model: ModelName | undefined) {
      yield* settle
      const entries = yield* session.entries
      yield* Effect.ignore(session.moveTo(entries.at(-1)?.id ?? null))
      yield* announce
      yield* resume(model)
    },
    Effect.uninterruptible,
    exclusively(gate)
  )

  const open = Effect.fn("Agent.openSession")(function* (reference: string, { model }: OpenOptions = {}) {
    if (model !== undefined) yield* checkModel(catalog, model)
    if (yield* isCurrent(reference)) return yield* reopen(model)
    yield* change(place.open(reference), resume(model))
  })

  const openNewest = Effect.fn("Agent.openNewestSession")(function* (path: string, { model }: OpenOptions = {}) {
    const folder = Option.getOrUndefined(store.folder(path))
    if (folder === undefined) return yield* new NoSessionFolders()
    if (model !== undefined) yield* checkModel(catalog, model)
    const newest = (yield* folder.list).find(({ messageCount }) => messageCount > 0)
    const reference = newest === undefined ? undefined : Option.getOrElse(newest.file, () => newest.sessionId)
    if (reference === undefined || !(yield* isCurrent(reference))) {
      yield* change(reference === undefined ? folder.create({}) : folder.open(reference), resume(model))
    }
    place = folder
    return { resumed: reference !== undefined }
  })

  const copyOf = Effect.fnUntraced(function* (path: ReadonlyArray<SessionEntry>, more: NewSession = {}) {
    const { file, sessionId } = yield* session.info
    const parentSession = Option.getOrElse(file, () => sessionId)
    return yield* place.create({ ...more, parentSession, entries: copyPath(path, yield* session.entries) })
  })

  const branch = Effect.fn("Agent.branchSession")(function* (entryId: string) {
    const entry = yield* Navigation.find(session, entryId)
    if (entry?.type !== "message" || entry.message.role !== "user") return yield* new NotABranchPoint({ entryId })
    // An orphan has a parent that is not there: it is a root.
    const path = yield* Effect.orElseSucceed(session.branchTo(entry.parentId), () => [])
    yield* change(copyOf(path))
    return plainText(entry.message.content)
  })

  const clone = Effect.gen(function* () {
    if ((yield* session.leafId) === null) return yield* new NothingToClone()
    const { file } = yield* session.info
    const more = Option.isSome(file) ? { artifactsOf: file.value } : {}
    yield* change(
      Effect.zipRight(
        settle,
        Effect.flatMap(session.branch, (path) => copyOf(path, more))
      )
    )
  }).pipe(Effect.withSpan("Agent.cloneSession"))

  const rename = Effect.fn("Agent.renameSession")(function* (wanted: string) {
    const name = cleanName(wanted)
    if (name === undefined) return yield* new EmptySessionName()
    yield* session.append({ type: "session_info", name })
    publish({ _tag: "SessionNamed", name })
  }, Effect.uninterruptible)

  return {
    create: Effect.fn("Agent.createSession")((options) => change(place.create(options), tools.forget)),
    open,
    openNewest,
    branch,
    clone,
    navigate: Navigation.make({ gate, session, settle, summarize }),
    rename,
    list: Effect.suspend(() => place.list)
  }
}
