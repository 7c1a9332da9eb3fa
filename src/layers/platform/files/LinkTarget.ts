/** Where a write through links has to go: replacing the link itself would leave the file behind it as it was. */
import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

const mostLinks = 40

const orUndefined = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** The file behind the links; it need not exist yet. Throws what the system says. */
export const behindLinks = (path: string, links = mostLinks): string => {
  const real = orUndefined(() => realpathSync(path))
  if (real !== undefined) return real
  const folder = realpathSync(dirname(path))
  const link = orUndefined(() => readlinkSync(path))
  if (link === undefined) return join(folder, basename(path))
  if (links === 0) throw new Error("too many links")
  return behindLinks(resolve(folder, link), links - 1)
}
