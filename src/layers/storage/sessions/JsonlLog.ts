/**
 * Writes one session. The first message, sent or queued, creates, migrates or opens its file; entries before it wait in
 * memory. When another program takes the file away, everything is written again to a new one. The scope of `make` owns the
 * file.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { isQueueEntry } from "../../../domain/session/QueueEntries.ts"
import type { SessionEntry } from "../../../domain/session/SessionEntry.ts"
import { type SessionLog, SessionMoved, StoreFailure } from "../../../services/storage/SessionStore.ts"
import type { FileRefused, GrowingFile } from "../../machine/files/own/OwnFiles.ts"
import type { Displaced } from "./LogFiles.ts"
import * as SessionText from "./SessionText.ts"

export interface LogOptions {
  readonly path: string
  readonly session: Pick<SessionLog, "header" | "entries">
  /** Prepares the file for appending and writes the text, in one write. */
  readonly begin: (text: string) => Effect.Effect<GrowingFile, StoreFailure | Displaced>
  /** Writes the text after a header to a new file beside the lost one. Fails with the reason. */
  readonly beginAgain: (
    text: string
  ) => Effect.Effect<{ readonly file: GrowingFile; readonly path: string }, { readonly message: string }>
  /** Whether the file has the entries of `session`, so that entries without a message are written, too. */
  readonly hasFile: boolean
}

export const isWorthAFile = (entries: ReadonlyArray<SessionEntry>): boolean =>
  entries.some((entry) => entry.type === "message" || entry.type === "custom_message" || isQueueEntry(entry))

export const failure = (operation: StoreFailure["operation"], reference: string) => (refused: FileRefused) =>
  new StoreFailure({ operation, reference, detail: refused.message })

/** Those who want to hear that the session has another file. */
const makeWatchers = () => {
  const watchers = new Set<(moved: SessionMoved) => void>()
  return {
    watch: (watcher: (moved: SessionMoved) => void) =>
      Effect.acquireRelease(
        Effect.sync(() => void watchers.add(watcher)),
        () => Effect.sync(() => watchers.delete(watcher))
      ),
    notify: (moved: SessionMoved) => {
      for (const watcher of watchers) watcher(moved)
      return watchers.size > 0 ? Effect.void : Effect.logWarning(moved.message)
    }
  }
}

/** The file that is written, and its path. */
interface WrittenFile {
  path: string
  file: GrowingFile | undefined
  isDirty: boolean
  /** After a failure nothing more is written: it would leave a gap. */
  isGivenUp: boolean
}

/** Writes everything again where the file has changed; `stored` has all entries that were acknowledged. */
const makeRescue = (options: LogOptions, written: WrittenFile, stored: () => ReadonlyArray<SessionEntry>) => {
  const { notify, watch } = makeWatchers()
  const oneAtATime = Effect.unsafeMakeSemaphore(1)

  const moveAway = (detail: string, added: ReadonlyArray<SessionEntry>) =>
    Effect.gen(function* () {
      const { file: before, path: reference } = written
      const { file, path } = yield* Effect.mapError(
        options.beginAgain(SessionText.encode(stored()) + SessionText.encode(added)),
        ({ message }) =>
          new StoreFailure({
            operation: "append",
            reference,
            detail: `the file ${detail}, and a new one could not be written: ${message}`
          })
      )
      Object.assign(written, { file, path, isDirty: true })
      if (before !== undefined) yield* before.leave
      yield* notify(new SessionMoved({ reference, detail, file: path }))
    })

  /** Does `otherwise` if the file has what it should have. */
  const look = (file: GrowingFile, added: ReadonlyArray<SessionEntry>, otherwise: Effect.Effect<void, StoreFailure>) =>
    Effect.flatMap(file.change, (detail) => (detail === undefined ? otherwise : moveAway(detail, added)))

  /** The same, but a sync and an append that notice at the same time move the session once. */
  const unlessChanged = (
    file: GrowingFile,
    added: ReadonlyArray<SessionEntry>,
    otherwise: Effect.Effect<void, StoreFailure>
  ) =>
    Effect.flatMap(file.change, (detail) => {
      if (detail === undefined) return otherwise
      return oneAtATime.withPermits(1)(Effect.suspend(() => look(written.file ?? file, added, otherwise)))
    })

  return { watch, moveAway, unlessChanged }
}

export const make = Effect.fnUntraced(function* (
  options: LogOptions
): Effect.fn.Return<SessionLog, never, Scope.Scope> {
  const { begin, hasFile, session } = options
  const written: WrittenFile = { path: options.path, file: undefined, isDirty: false, isGivenUp: false }
  const appended: Array<SessionEntry> = []
  let waiting: ReadonlyArray<SessionEntry> = []
  const stored = () => [...(hasFile ? session.entries : []), ...appended]
  const { moveAway, unlessChanged, watch } = makeRescue(options, written, stored)

  const syncing = yield* Effect.makeSemaphore(1)
  /** One that is cut off leaves its work to the next, which waits for it otherwise. */
  const flush = syncing.withPermits(1)(
    Effect.suspend(() => {
      const { file, isDirty, path } = written
      if (file === undefined || !isDirty) return Effect.void
      written.isDirty = false
      return file.sync.pipe(
        Effect.mapError(failure("sync", path)),
        Effect.onInterrupt(() => Effect.sync(() => void (written.isDirty = true)))
      )
    })
  )
  const sync = Effect.suspend(() => {
    const { file, isGivenUp } = written
    if (file === undefined || isGivenUp) return Effect.void
    return Effect.zipRight(unlessChanged(file, [], Effect.void), flush)
  })

  yield* Effect.addFinalizer(() =>
    Effect.zipRight(
      Effect.catchAll(sync, ({ message }) => Effect.logError(message)),
      Effect.suspend(() => written.file?.close ?? Effect.void)
    )
  )

  /** Keeps entries in memory until the first message. */
  const begun = (added: ReadonlyArray<SessionEntry>) => {
    waiting = [...waiting, ...added]
    if (!hasFile && !isWorthAFile(waiting)) return Effect.void
    const all = waiting
    return begin(SessionText.encode(all)).pipe(
      Effect.map((file) => void Object.assign(written, { file, isDirty: true })),
      Effect.catchTag("Displaced", ({ detail }) => moveAway(detail, all)),
      Effect.map(() => {
        waiting = []
        for (const entry of all) appended.push(entry)
      })
    )
  }

  const grown = (file: GrowingFile, added: ReadonlyArray<SessionEntry>) => {
    const append = Effect.suspend(() => {
      written.isDirty = true
      return Effect.mapError((written.file ?? file).append(SessionText.encode(added)), failure("append", written.path))
    })
    return Effect.map(unlessChanged(file, added, append), () => {
      for (const entry of added) appended.push(entry)
    })
  }

  const write = (added: ReadonlyArray<SessionEntry>) =>
    Effect.onError(
      Effect.suspend(() => (written.file === undefined ? begun(added) : grown(written.file, added))),
      () =>
        Effect.sync(() => {
          written.isGivenUp = true
        })
    )

  return {
    header: session.header,
    get file() {
      return Option.some(written.path)
    },
    entries: session.entries,
    append: (added) => (added.length === 0 ? Effect.void : Effect.uninterruptible(write(added))),
    sync,
    watchMoves: watch
  }
})
