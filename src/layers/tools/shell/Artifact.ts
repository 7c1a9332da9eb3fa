/** Artifacts: numbered files that hold the full output of commands whose result was cut. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { join } from "../../machine/files/LocalPaths.ts"
import type { OutputFile } from "../../machine/files/own/OutputFile.ts"
import { type FileRefused, OwnFiles } from "../../machine/files/own/OwnFiles.ts"

export interface Artifact {
  readonly id: string
  readonly path: string
  /** Returns an effect to wait for when the buffer is full. After a failure nothing is written. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void> | undefined
  /** Writes the rest of the buffer. Some reason when the file is incomplete; it is removed then. */
  readonly finish: Effect.Effect<Option.Option<string>>
  readonly discard: Effect.Effect<void>
}

export interface Artifacts {
  /** Without a folder: in a temporary one, made when it is first needed and removed with the scope. */
  readonly open: (folder: Option.Option<string>) => Effect.Effect<Artifact, FileRefused>
}

export interface ArtifactOptions {
  /** Keeps a single output from filling the disk. */
  readonly maxBytes?: number
}

/** The buffer: small enough to keep in memory, large enough that 1 GB takes only a few thousand writes. */
const blockBytes = 256 * 1024
const defaultMaxBytes = 2 * 1024 * 1024 * 1024

export const fromFile = (id: string, file: OutputFile, maxBytes: number): Artifact => {
  const block = new Uint8Array(blockBytes)
  let used = 0
  let total = 0
  let failure: string | undefined

  const store = (bytes: Uint8Array) =>
    Effect.suspend(() => (failure === undefined ? file.write(bytes) : Effect.void)).pipe(
      Effect.catchAll(({ message }) => Effect.sync(() => void (failure = message)))
    )
  const flush = Effect.suspend(() => {
    const filled = block.subarray(0, used)
    used = 0
    return store(filled)
  })
  const gather = (bytes: Uint8Array) => {
    block.set(bytes, used)
    used += bytes.length
  }

  return {
    id,
    path: file.path,
    write: (bytes) => {
      total += bytes.length
      if (total > maxBytes) failure ??= `more than ${maxBytes} bytes`
      if (failure !== undefined) return undefined
      if (used + bytes.length <= blockBytes) {
        gather(bytes)
        return undefined
      }
      return Effect.zipRight(
        flush,
        Effect.suspend(() => (bytes.length > blockBytes ? store(bytes) : Effect.sync(() => gather(bytes))))
      )
    },
    finish: Effect.gen(function* () {
      yield* flush
      yield* failure === undefined ? file.close : file.remove
      return Option.fromNullable(failure)
    }),
    discard: file.remove
  }
}

const suffix = ".bash.log"

/** The highest number in a folder, which is made if there is none. */
const highest = (files: typeof OwnFiles.Service, folder: string) =>
  Effect.map(Effect.zipRight(files.makeFolder(folder), files.list(folder)), (found) =>
    Math.max(0, ...found.map(({ name }) => Number.parseInt(name, 10)).filter((id) => !Number.isNaN(id)))
  )

/** Lives as long as its scope; calls of one process may open artifacts at the same time. */
export const make = Effect.fnUntraced(function* ({
  maxBytes = defaultMaxBytes
}: ArtifactOptions = {}): Effect.fn.Return<Artifacts, never, Scope.Scope> {
  const files = yield* OwnFiles
  let temporary: string | undefined
  const lastIn = new Map<string, number>()
  const oneAtATime = yield* Effect.makeSemaphore(1)
  yield* Effect.addFinalizer(() => (temporary === undefined ? Effect.void : files.removeFolder(temporary)))
  const create = Effect.fnUntraced(function* (folder: Option.Option<string>) {
    const home = Option.getOrUndefined(folder) ?? (temporary ??= yield* files.temporaryFolder)
    const last = lastIn.get(home) ?? (yield* highest(files, home))
    lastIn.set(home, last + 1)
    const id = String(last + 1)
    return fromFile(id, yield* files.createOutput(join(home, id + suffix)), maxBytes)
  })
  return {
    // Another process may work in the same folder: its numbers are skipped.
    open: (folder) =>
      oneAtATime.withPermits(1)(
        Effect.retry(create(folder), {
          while: ({ code, path }) => code === "EEXIST" && path.endsWith(suffix),
          times: 100
        })
      )
  }
})
