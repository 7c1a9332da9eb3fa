/**
 * Replaces files as a whole: the bytes go into a file beside the target, which is then renamed onto it, so that
 * no reader ever sees a part. An interrupt before the rename leaves the target and its folder as they were.
 */
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import { basename, dirname, join, resolve as resolvePath } from "node:path"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { FileError, type Target } from "../../../services/machine/Files.ts"
import { attempt, refusal, versionOf } from "./FileErrors.ts"

interface Temporary {
  readonly path: string
  readonly handle: fs.FileHandle
  open: boolean
  renamed: boolean
}

/** An interrupt takes effect after the current piece. */
const pieceBytes = 1024 * 1024
const mostLinks = 40

const isMissing = (cause: unknown) => Predicate.hasProperty(cause, "code") && cause.code === "ENOENT"
const orUndefinedIfMissing = (cause: unknown) => {
  if (isMissing(cause)) return undefined
  throw cause
}

/** Also works for paths, and for targets of links, that do not exist yet. */
const realTarget = async (path: string, links = mostLinks): Promise<string> => {
  const real = await fs.realpath(path).catch(orUndefinedIfMissing)
  if (real !== undefined) return real
  const folder = dirname(path)
  if (folder === path) return path
  const realFolder = await realTarget(folder, links)
  const link = await fs.readlink(path).catch(() => undefined)
  if (link === undefined) return join(realFolder, basename(path))
  if (links === 0) throw new Error("too many links")
  return realTarget(resolvePath(realFolder, link), links - 1)
}

export const resolve = (path: string): Effect.Effect<string, FileError> => attempt(path, () => realTarget(path))

export const inspect: (path: string) => Effect.Effect<Target, FileError> = Effect.fnUntraced(function* (path: string) {
  const stats = yield* attempt(path, () => fs.stat(path).catch(orUndefinedIfMissing))
  if (stats === undefined) return { path, version: undefined, owner: undefined }
  const refused = refusal(path, stats)
  if (refused !== undefined) return yield* refused
  // A rename would not ask whether the file itself is writable.
  yield* attempt(path, () => fs.access(path, constants.W_OK))
  const { gid, mode, uid } = stats
  return { path, version: versionOf(stats), owner: { gid, mode, uid } }
})

export const makeParents = (path: string): Effect.Effect<void, FileError> =>
  Effect.asVoid(attempt(path, () => fs.mkdir(dirname(path), { recursive: true })))

const create = async ({ owner, path }: Target): Promise<Temporary> => {
  const temporary = join(dirname(path), `.heddle-${crypto.randomUUID()}.tmp`)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  // For the owner alone until it gets the mode of the file it replaces; a new file gets what the umask leaves.
  const handle = await fs.open(temporary, flags, owner === undefined ? 0o666 : 0o600)
  return { path: temporary, handle, open: true, renamed: false }
}

/** Only root may change the owner of a file. When the owner is not kept, set-user-ID and set-group-ID are dropped. */
const takeOver = async (handle: fs.FileHandle, { gid, mode, uid }: NonNullable<Target["owner"]>) => {
  const own = await handle.stat()
  const kept =
    (own.uid === uid && own.gid === gid) ||
    (await handle.chown(uid, gid).then(
      () => true,
      () => false
    ))
  await handle.chmod(mode & (kept ? 0o7777 : 0o777))
}

const close = async (temporary: Temporary) => {
  if (!temporary.open) return
  temporary.open = false
  await temporary.handle.close()
}

const writePiece = async (handle: fs.FileHandle, bytes: Uint8Array, from: number) => {
  const { bytesWritten } = await handle.write(bytes, from, Math.min(pieceBytes, bytes.length - from), from)
  return from + bytesWritten
}

const currentVersion = async (path: string) => {
  const stats = await fs.stat(path).catch(orUndefinedIfMissing)
  return stats === undefined ? undefined : versionOf(stats)
}

const commit = async (target: Target, temporary: Temporary) => {
  await close(temporary)
  if ((await currentVersion(target.path)) !== target.version) return undefined
  await fs.rename(temporary.path, target.path)
  temporary.renamed = true
  return versionOf(await fs.stat(target.path))
}

const discard = async (temporary: Temporary) => {
  await close(temporary)
  if (!temporary.renamed) await fs.unlink(temporary.path)
}

export const replace = (
  target: Target,
  bytes: Uint8Array,
  onReplaced: (version: string) => void
): Effect.Effect<void, FileError> => {
  // A promise carries on after an interrupt, so each step is uninterruptible: none may run during the clean-up.
  const step = <A>(run: () => Promise<A>) => Effect.uninterruptible(attempt(target.path, run))
  const changed = new FileError({ path: target.path, reason: "changed", description: "changed meanwhile" })
  const { owner } = target
  return Effect.acquireUseRelease(
    step(() => create(target)),
    Effect.fnUntraced(function* (temporary) {
      let written = 0
      while (written < bytes.length) written = yield* step(() => writePiece(temporary.handle, bytes, written))
      if (owner !== undefined) yield* step(() => takeOver(temporary.handle, owner))
      yield* Effect.uninterruptible(
        Effect.flatMap(
          step(() => commit(target, temporary)),
          (version) => (version === undefined ? changed : Effect.sync(() => onReplaced(version)))
        )
      )
    }),
    (temporary) => Effect.ignore(attempt(target.path, () => discard(temporary)))
  )
}
