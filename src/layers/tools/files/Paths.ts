/** What a path argument means: models write `~`, paths relative to the session, and `@` in front of file names. */
import * as LocalPaths from "../../platform/files/LocalPaths.ts"

export interface Base {
  readonly cwd: string
  readonly home?: string
}

/** The absolute path. Only the first `@` is dropped, so `./@scope` names a folder that begins with one. */
export const resolve = (argument: string, { cwd, home }: Base): string => {
  const path = argument.startsWith("@") ? argument.slice(1) : argument
  const expanded = path === "~" || path.startsWith("~/") ? (home ?? LocalPaths.home()) + path.slice(1) : path
  return LocalPaths.resolve(cwd, expanded)
}

/** How a path is shown: relative to the working directory if it is below, so that it can be given to `read` as it is. */
export const display = (path: string, cwd: string): string => {
  const relative = LocalPaths.relative(cwd, path)
  return relative === "" || /^\.\.(?![^/\\])/.test(relative) ? path : relative
}
