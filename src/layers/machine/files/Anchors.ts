/**
 * Takes hold of what is at a path, without opening it: the path can be looked at, and what it has led to is then used, whatever is
 * put in its place meanwhile. Linux only; elsewhere links are followed once, right before.
 */
import * as nodeFs from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileError } from "../../../services/machine/Files.ts"
import { attemptSync } from "./FileErrors.ts"

export interface Anchor {
  /** Leads to what was taken hold of, until the scope closes. */
  readonly path: string
  /** Where it is, without links. */
  readonly real: string
}

const isLinux = process.platform === "linux"

/** Neither reads nor writes, and opening a FIFO or a device with it does nothing. Node has no name for it. */
const nameOnly = 0o10000000
const closeOnExec = 0o2000000
const { O_DIRECTORY = 0, O_NOFOLLOW = 0 } = nodeFs.constants

interface Held extends Anchor {
  readonly fd: number | undefined
}

const gone = (path: string) => Object.assign(new Error(`ENOENT: ${path} was removed`), { code: "ENOENT" })

const hold = (path: string, flags = 0): Held => {
  if (!isLinux) return { fd: undefined, path, real: nodeFs.realpathSync(path) }
  const fd = nodeFs.openSync(path, nameOnly | closeOnExec | flags)
  const held = `/proc/self/fd/${fd}`
  try {
    if (nodeFs.fstatSync(fd).nlink === 0) throw gone(path)
    return { fd, path: held, real: nodeFs.readlinkSync(held) }
  } catch (cause) {
    nodeFs.closeSync(fd)
    throw cause
  }
}

const letGo = ({ fd }: Held) => {
  if (fd !== undefined) nodeFs.closeSync(fd)
}

export const at = (path: string): Effect.Effect<Anchor, FileError, Scope.Scope> =>
  Effect.acquireRelease(
    attemptSync(path, () => hold(path)),
    (held) => Effect.sync(() => letGo(held))
  )

/** The next folder on the way down, made if there is none. A link in its place is refused. */
const step = (above: Held, name: string): Held => {
  const path = join(above.path, name)
  try {
    nodeFs.mkdirSync(path)
  } catch (cause) {
    if (!nodeFs.existsSync(path)) throw cause
  }
  return hold(path, O_DIRECTORY | O_NOFOLLOW)
}

/** The folder or the one above it that exists, and the names that lead down from there. */
const nearest = (folder: string, names: ReadonlyArray<string> = []): readonly [Held, ReadonlyArray<string>] => {
  try {
    return [hold(folder), names]
  } catch (cause) {
    const above = dirname(folder)
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT"
    if (above === folder || !isMissing) throw cause
    return nearest(above, [basename(folder), ...names])
  }
}

/** Makes a folder and those above it, if `admit` takes the place where it will be. */
export const makeFolder = <E>(folder: string, admit: (real: string) => Effect.Effect<void, E>) =>
  Effect.acquireUseRelease(
    attemptSync(folder, () => nearest(folder)),
    ([held, names]) =>
      Effect.zipRight(
        admit(join(held.real, ...names)),
        attemptSync(folder, () => {
          let last = held
          for (const name of names) {
            const next = step(last, name)
            if (last !== held) letGo(last)
            last = next
          }
          if (last !== held) letGo(last)
        })
      ),
    ([held]) => Effect.sync(() => letGo(held))
  )
