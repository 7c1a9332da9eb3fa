/** A small file that only its owner may read: looked at before it is read, and replaced as a whole. */
import { statSync } from "node:fs"
import * as fs from "node:fs/promises"
import { dirname } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export class SecretFileError extends Data.TaggedError("SecretFileError")<{
  readonly path: string
  readonly reason: string
}> {
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}

export interface FileState {
  /** Changes whenever the file is written or replaced. */
  readonly stamp: string
  /** Permission bits; 0 where the system has none. */
  readonly mode: number
}

/** One system call, so that it can be asked before every request. */
export const stateOf = (path: string): FileState | undefined => {
  try {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
    if (stats === undefined) return undefined
    const mode = process.platform === "win32" ? 0 : Number(stats.mode & 0o777n)
    return { stamp: `${stats.ino}:${stats.size}:${stats.mtimeNs}`, mode }
  } catch {
    return undefined
  }
}

export const exists = (path: string): Effect.Effect<boolean> => Effect.sync(() => stateOf(path) !== undefined)

const code = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "the system refused it"

/** A reader sees the old text or the new one; nobody but the owner sees either. */
export const replace = (path: string, text: string): Effect.Effect<void, SecretFileError> =>
  Effect.tryPromise({
    try: async () => {
      await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.${process.pid}.${crypto.randomUUID().slice(0, 8)}.tmp`
      try {
        const file = await fs.open(draft, "wx", 0o600)
        try {
          await file.writeFile(text)
          await file.sync()
        } finally {
          await file.close()
        }
        await fs.rename(draft, path)
      } catch (cause) {
        await fs.rm(draft, { force: true })
        throw cause
      }
    },
    catch: (cause) => new SecretFileError({ path, reason: `cannot be written (${code(cause)})` })
  }).pipe(Effect.uninterruptible)
