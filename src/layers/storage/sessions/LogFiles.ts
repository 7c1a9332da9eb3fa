/** The files of a log: the first write to each, the lease that goes with it, and a new one where the old one is lost. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type SessionHeader, sessionVersion } from "../../../domain/session/SessionEntry.ts"
import * as IsoTime from "../../machine/engine/IsoTime.ts"
import * as Lease from "../../machine/files/own/Lease.ts"
import { dirname } from "../../machine/files/LocalPaths.ts"
import type { Files, GrowingFile, Mark } from "../../machine/files/own/OwnFiles.ts"
import * as SessionFolders from "./SessionFolders.ts"
import * as SessionText from "./SessionText.ts"

/** The file is not the one that was read or written before. */
export class Displaced extends Data.TaggedError("Displaced")<{ readonly detail: string }> {}

/** A log holds one lease, until the scope closes. Taking that of another file gives the one before back. */
export const makeLease = Effect.gen(function* () {
  let release: Effect.Effect<void> = Effect.void
  yield* Effect.addFinalizer(() => Effect.suspend(() => release))
  const replace = (next: Effect.Effect<void>) =>
    Effect.suspend(() => {
      const before = release
      release = next
      return before
    })
  return (path: string) =>
    Effect.uninterruptible(
      Effect.flatMap(
        Effect.flatMap(IsoTime.now, (now) => Lease.acquire(path, now)),
        replace
      )
    )
})

export type TakeLease = Effect.Effect.Success<typeof makeLease>

const writeFirst = (file: GrowingFile, text: string) =>
  Effect.as(
    Effect.onError(file.append(text), () => file.close),
    file
  )

/** Starts writing to an existing file: replaces a file of an older version, and appends to a current one on a new line. */
export const beginOld = (files: Files, path: string, session: SessionText.SessionText, mark: Mark) =>
  Effect.fnUntraced(function* (text: string) {
    const { endsWithNewline, entries, header, version } = session
    const detail = yield* files.change(path, mark)
    if (detail !== undefined) return yield* new Displaced({ detail })
    if (version < sessionVersion) {
      yield* files.replace(path, SessionText.encodeHeader(header) + SessionText.encode(entries) + text, 0o600)
      return yield* files.open(path)
    }
    return yield* writeFirst(yield* files.open(path, mark), endsWithNewline ? text : `\n${text}`)
  })

/** Writes the header and the first message at once, so that no file lacks a conversation. */
export const beginNew = (files: Files, takeLease: TakeLease, path: string, header: SessionHeader) =>
  Effect.fnUntraced(function* (text: string) {
    yield* files.makeFolder(dirname(path))
    yield* takeLease(path)
    return yield* writeFirst(yield* files.create(path), SessionText.encodeHeader(header) + text)
  })

const mostNames = 100

/** Starts a new file beside one that is lost, with an unused name. */
export const beginAgain = (files: Files, takeLease: TakeLease, lost: string, header: SessionHeader) => {
  let count = 1
  return (text: string) => {
    const begin = Effect.suspend(() => {
      const path = SessionFolders.another(lost, ++count)
      return Effect.map(beginNew(files, takeLease, path, header)(text), (file) => ({ file, path }))
    })
    const isTaken = (error: Effect.Effect.Error<typeof begin>) => error._tag === "LeaseHeld" || error.code === "EEXIST"
    return Effect.retry(begin, { while: isTaken, times: mostNames })
  }
}

export const reasonOf = (error: Lease.LeaseHeld | { readonly _tag: "FileRefused"; readonly message: string }): string =>
  error._tag === "LeaseHeld" ? `process ${error.owner.pid} is writing it` : error.message
