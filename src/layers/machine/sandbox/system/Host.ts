/** What a sandbox has to know about this machine. */
import * as nodeFs from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"

export const { arch, execPath, platform } = process

/** Without links; undefined where there is nothing, or nothing that this process may reach. */
export const real = (path: string): string | undefined => {
  try {
    return nodeFs.realpathSync(path)
  } catch {
    return undefined
  }
}

export const isFolder = (path: string): boolean => {
  try {
    return nodeFs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}

/** The entries that are no links, as paths; none of a folder that cannot be read. */
export const entries = (folder: string): ReadonlyArray<string> => {
  try {
    return nodeFs
      .readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isSymbolicLink())
      .map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

export const exists = (path: string): boolean => nodeFs.existsSync(path)

/** Of a path at which there is nothing, the first part at which there is nothing. */
export const firstMissing = (path: string): string => {
  const above = dirname(path)
  return above === path || nodeFs.existsSync(above) ? path : firstMissing(above)
}

/** What a path leads to, or will lead to: the part that exists without links, and the rest as it is. */
export const leadsTo = (path: string): string => {
  const found = real(path)
  const above = dirname(path)
  return found ?? (above === path ? path : join(leadsTo(above), path.slice(above.length)))
}

/** Removes folders that are empty, and leaves all others. */
export const removeEmpty = (paths: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const path of paths) {
      try {
        nodeFs.rmdirSync(path)
      } catch {
        // It is gone, or it is no longer empty and belongs to whoever has put something into it.
      }
    }
  })
