/** Path arithmetic of this machine, and paths as people and models write them. */
import { homedir } from "node:os"
import { relative as relativePath, resolve as resolvePath } from "node:path"

export { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"

export const home = (): string => homedir()

/** `path` relative to `cwd`; a leading `~/` is the home folder, because shells do not expand it inside `key=~/x`. */
export const absolute = (cwd: string, path: string): string =>
  path.startsWith("~/") ? resolvePath(homedir(), path.slice(2)) : resolvePath(cwd, path)

export interface Base {
  readonly cwd: string
  readonly home?: string
}

/**
 * The absolute path of an argument of a tool: `~` is the home folder, and one `@` in front is dropped. Only the first
 * one, so `./@scope` names a folder that begins with it.
 */
export const ofArgument = (argument: string, { cwd, home = homedir() }: Base): string => {
  const path = argument.startsWith("@") ? argument.slice(1) : argument
  return resolvePath(cwd, path === "~" || path.startsWith("~/") ? home + path.slice(1) : path)
}

/** Relative to the working directory for a path below it, so that `read` takes it as it is shown. */
export const display = (path: string, cwd: string): string => {
  const relative = relativePath(cwd, path)
  return relative === "" || /^\.\.(?![^/\\])/.test(relative) ? path : relative
}
