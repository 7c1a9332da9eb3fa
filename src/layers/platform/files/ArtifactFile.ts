/** Files that only we can read, written from the beginning to the end. */
import { mkdtemp, mkdir, open as openFile, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export class ArtifactFailed extends Data.TaggedError("ArtifactFailed")<{
  readonly message: string
  /** Somebody else has made a file of that name. */
  readonly exists: boolean
}> {}

export interface ArtifactFile {
  readonly path: string
  /** Returns when the system has taken all of it. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, ArtifactFailed>
  readonly close: Effect.Effect<void>
  /** Closes it, too. */
  readonly remove: Effect.Effect<void>
}

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new ArtifactFailed({
        message: cause instanceof Error ? cause.message : String(cause),
        exists: cause instanceof Error && "code" in cause && cause.code === "EEXIST"
      })
  })

export const temporaryFolder: Effect.Effect<string, ArtifactFailed> = attempt(() => mkdtemp(join(tmpdir(), "heddle-")))

export const removeFolder = (path: string): Effect.Effect<void> =>
  Effect.ignore(attempt(() => rm(path, { recursive: true, force: true })))

/** The names in a folder, which is made if there is none. */
export const names = (folder: string): Effect.Effect<ReadonlyArray<string>, ArtifactFailed> =>
  attempt(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return readdir(folder)
  })

/** Fails where the file exists. */
export const create = (folder: string, name: string): Effect.Effect<ArtifactFile, ArtifactFailed> =>
  attempt(async () => {
    const path = join(folder, name)
    const handle = await openFile(path, "wx", 0o600)
    const close = Effect.ignore(attempt(() => handle.close()))
    return {
      path,
      write: (bytes) =>
        attempt(async () => {
          for (let from = 0; from < bytes.length;) {
            const { bytesWritten } = await handle.write(bytes, from)
            from += bytesWritten
          }
        }),
      close,
      remove: Effect.zipRight(close, Effect.ignore(attempt(() => rm(path, { force: true }))))
    }
  })
