/** Changes of the session that a host is in (protocol.md 3.7, 9.6). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { plainText } from "../../../domain/conversation/Content.ts"
import { cleanName, type SessionEntry } from "../../../domain/session/SessionEntry.ts"
import type { ModelName } from "../../../domain/session/SessionSettings.ts"
import { copyPath } from "../../../domain/session/SessionTree.ts"
import { defined } from "../../../domain/Values.ts"
import type { ModelCatalog } from "../../../services/model/ModelCatalog.ts"
import { Controls } from "../../../services/session/modules/Controls.ts"
import {
  ChangeCancelled,
  EmptySessionName,
  ModelUnavailable,
  NoSessionFolders,
  NotABranchPoint,
  NothingToClone,
  type OpenOptions,
  type SessionChanges
} from "../../../services/session/Sessions.ts"
import type { NewSession, SessionFolder, SessionLog, SessionStore } from "../../../services/storage/SessionStore.ts"
import type { Leaving } from "../../../services/hooks/HookPoints.ts"
import * as Asking from "../modules/hooks/Asking.ts"
import { storeThenTell } from "../core/StoreThenTell.ts"
import * as Navigation from "./Navigation.ts"
import type { OpenSession } from "../registry/OpenSession.ts"

/** Why a session is left for another one, as hooks see it. */
export interface Reason {
  readonly reason: "new" | "resume" | "fork"
  /** The session that is opened, where it has a file. */
  readonly target?: string | undefined
}

/** The session that the host is in. */
export interface Current {
  readonly get: () => OpenSession
  /**
   * Opens another session, ends the run of the current one, and only then leaves it, so that a failure needs no undo.
   * `arrived` runs for the session that was opened.
   */
  readonly change: <E>(
    why: Reason,
    open: Effect.Effect<SessionLog, E, Scope.Scope>,
    arrived?: (session: OpenSession) => Effect.Effect<void>
  ) => Effect.Effect<void, E>
  /** Leaves the current session and opens it again, around the same log. */
  readonly reopen: (arrived: (session: OpenSession) => Effect.Effect<void>) => Effect.Effect<void>
}

interface Dependencies {
  readonly current: Current
  readonly store: typeof SessionStore.Service
  readonly catalog: typeof ModelCatalog.Service
}

const checkModel = Effect.fnUntraced(function* (
  catalog: typeof ModelCatalog.Service,
  { modelId, provider }: ModelName
) {
  const found = yield* catalog.find(provider, modelId)
  if (Option.isNone(found) || !(yield* catalog.isAvailable(found.value))) {
    return yield* new ModelUnavailable({ provider, modelId })
  }
})

/** Restores the model and level that a session last used; `wanted` replaces the model. */
const resume = (wanted: ModelName | undefined) =>
  Effect.fnUntraced(function* ({ services, session }: OpenSession) {
    const left = yield* session.settings
    const model = wanted ?? left.model
    yield* Context.get(services, Controls).restore({ ...left, ...defined({ model }) })
    if (wanted !== undefined && (wanted.provider !== left.model?.provider || wanted.modelId !== left.model.modelId)) {
      yield* session.append({ type: "model_change", ...wanted })
    }
  })

const isCurrent = ({ session }: OpenSession, reference: string) =>
  Effect.map(
    session.info,
    ({ file, sessionId }) => reference === sessionId || Option.getOrUndefined(file) === reference
  )

/** Hooks may keep the host where it is. They are asked before anything is opened. */
const mayLeave = (current: Current, event: Leaving) =>
  Effect.flatMap(
    Effect.suspend(() => Asking.isCancelled(current.get().control.hooks, "leaving", event)),
    (isCancelled) => (isCancelled ? new ChangeCancelled({}) : Effect.void)
  )

/** `open` and `openNewest`, and the folder in which later sessions are created. */
const makeOpening = ({ catalog, current, store }: Dependencies) => {
  let place: SessionFolder = store

  const open = Effect.fn("Sessions.open")(function* (reference: string, { model }: OpenOptions = {}) {
    if (model !== undefined) yield* checkModel(catalog, model)
    const [reason, target] = ["resume" as const, reference]
    yield* mayLeave(current, { reason, targetSessionFile: target })
    if (yield* isCurrent(current.get(), reference)) return yield* current.reopen(resume(model))
    yield* current.change({ reason, target }, place.open(reference), resume(model))
  })

  const openNewest = Effect.fn("Sessions.openNewest")(function* (path: string, { model }: OpenOptions = {}) {
    const folder = Option.getOrUndefined(store.folder(path))
    if (folder === undefined) return yield* new NoSessionFolders()
    if (model !== undefined) yield* checkModel(catalog, model)
    const newest = (yield* folder.list).find(({ messageCount }) => messageCount > 0)
    const reference = newest === undefined ? undefined : Option.getOrElse(newest.file, () => newest.sessionId)
    if (reference === undefined || !(yield* isCurrent(current.get(), reference))) {
      const why =
        reference === undefined ? { reason: "new" as const } : { reason: "resume" as const, target: reference }
      yield* mayLeave(current, { reason: why.reason, ...defined({ targetSessionFile: reference }) })
      yield* current.change(why, reference === undefined ? folder.create({}) : folder.open(reference), resume(model))
    }
    place = folder
    return { resumed: reference !== undefined }
  })

  return { place: () => place, open, openNewest }
}

export const make = (dependencies: Dependencies): SessionChanges => {
  const { current } = dependencies
  const { open, openNewest, place } = makeOpening(dependencies)

  const copyOf = Effect.fnUntraced(function* (path: ReadonlyArray<SessionEntry>, more: NewSession = {}) {
    const { session } = current.get()
    const { file, sessionId } = yield* session.info
    const parentSession = Option.getOrElse(file, () => sessionId)
    return yield* place().create({ ...more, parentSession, entries: copyPath(path, yield* session.entries) })
  })

  const branch = Effect.fn("Sessions.branch")(function* (entryId: string) {
    const { session } = current.get()
    const entry = yield* Navigation.find(session, entryId)
    if (entry?.type !== "message" || entry.message.role !== "user") return yield* new NotABranchPoint({ entryId })
    // An orphan names a parent that does not exist: it is a root.
    const path = yield* Effect.orElseSucceed(session.branchTo(entry.parentId), () => [])
    const text = plainText(entry.message.content)
    if (yield* Asking.isCancelled(current.get().control.hooks, "branching", { entryId })) {
      return yield* new ChangeCancelled({ text })
    }
    yield* current.change({ reason: "fork" }, copyOf(path))
    return text
  })

  /** The copy has the files of what tools have put out, too. */
  const withArtifacts = Effect.suspend(() =>
    Effect.map(current.get().session.info, ({ file }) => (Option.isSome(file) ? { artifactsOf: file.value } : {}))
  )

  const copyUpTo = Effect.fn("Sessions.copyUpTo")(function* (entryId: string) {
    const { control, session } = current.get()
    const path = yield* session.branchTo(entryId)
    if (yield* Asking.isCancelled(control.hooks, "branching", { entryId })) return yield* new ChangeCancelled({})
    yield* current.change({ reason: "fork" }, copyOf(path, yield* withArtifacts))
  })

  const clone = Effect.gen(function* () {
    const { control, session } = current.get()
    const leafId = yield* session.leafId
    if (leafId === null) return yield* new NothingToClone()
    if (yield* Asking.isCancelled(control.hooks, "branching", { entryId: leafId })) {
      return yield* new ChangeCancelled({})
    }
    const more = yield* withArtifacts
    const copy = Effect.flatMap(session.branch, (path) => copyOf(path, more))
    yield* current.change({ reason: "fork" }, Effect.zipRight(control.settle, copy))
  }).pipe(Effect.withSpan("Sessions.clone"))

  const rename = Effect.fn("Sessions.rename")(function* (wanted: string) {
    const name = cleanName(wanted)
    if (name === undefined) return yield* new EmptySessionName()
    const { control, session } = current.get()
    yield* storeThenTell(
      () => session.append({ type: "session_info", name }),
      () => control.log.publish({ _tag: "SessionNamed", name })
    )
  })

  return {
    create: Effect.fn("Sessions.create")(function* (options) {
      const why = { reason: "new" } as const
      yield* mayLeave(current, why)
      yield* current.change(
        why,
        Effect.suspend(() => place().create(options))
      )
    }),
    open,
    openNewest,
    branch,
    copyUpTo,
    clone,
    navigate: (destination) => Navigation.navigate(current.get(), destination),
    rename,
    list: Effect.suspend(() => place().list)
  }
}
