/**
 * Writes one session file. The first message creates, migrates or opens the file; entries before it wait in memory. The
 * scope of `make` owns the file and the lease.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { SessionEntry } from "../../domain/session/SessionEntry.ts"
import { type SessionLog, StoreFailure } from "../../services/session/SessionStore.ts"
import type { FileRefused, GrowingFile } from "../platform/files/OwnFiles.ts"
import * as SessionText from "./SessionText.ts"

export interface LogOptions {
  readonly path: string
  /** Its entries may be read lazily. */
  readonly session: Pick<SessionLog, "header" | "entries" | "glance">
  /** Prepares the file for appending and writes the text, in one write. */
  readonly begin: (text: string) => Effect.Effect<GrowingFile, StoreFailure>
  /** Whether the file exists, so that entries without a message are written, too. */
  readonly hasFile: boolean
}

export const isWorthAFile = (entries: ReadonlyArray<SessionEntry>): boolean =>
  entries.some(({ type }) => type === "message" || type === "custom_message")

export const failure = (operation: StoreFailure["operation"], reference: string) => (refused: FileRefused) =>
  new StoreFailure({ operation, reference, detail: refused.message })

export const make = Effect.fnUntraced(function* (
  options: LogOptions
): Effect.fn.Return<SessionLog, never, Scope.Scope> {
  const { begin, path, session } = options
  let file: GrowingFile | undefined
  let waiting: ReadonlyArray<SessionEntry> = []
  let isDirty = false

  const sync = Effect.suspend(() => {
    if (file === undefined || !isDirty) return Effect.void
    isDirty = false
    return Effect.mapError(file.sync, failure("sync", path))
  })

  yield* Effect.addFinalizer(() =>
    Effect.zipRight(
      Effect.catchAll(sync, ({ message }) => Effect.logError(message)),
      Effect.suspend(() => file?.close ?? Effect.void)
    )
  )

  /** Keeps entries in memory until the first message. */
  const begun = (added: ReadonlyArray<SessionEntry>) => {
    waiting = [...waiting, ...added]
    if (!options.hasFile && !isWorthAFile(waiting)) return Effect.void
    return Effect.map(begin(SessionText.encode(waiting)), (made) => {
      file = made
      waiting = []
      isDirty = true
    })
  }

  const appendFailure = failure("append", path)
  const write = (added: ReadonlyArray<SessionEntry>): Effect.Effect<void, StoreFailure> => {
    if (file === undefined) return begun(added)
    isDirty = true
    return Effect.mapError(file.append(SessionText.encode(added)), appendFailure)
  }

  return {
    header: session.header,
    file: Option.some(path),
    get entries() {
      return session.entries
    },
    get glance() {
      return session.glance
    },
    append: (added) => (added.length === 0 ? Effect.void : Effect.uninterruptible(Effect.suspend(() => write(added)))),
    sync
  }
})
