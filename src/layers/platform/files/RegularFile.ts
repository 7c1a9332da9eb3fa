/** Regular files as a whole: a device may never end, a FIFO may never begin, and a link may lead anywhere. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { refusal } from "./FileErrors.ts"

const check = (path: string, stats: Stats) => {
  const refused = refusal(path, stats)
  if (refused === undefined) return
  const code = refused.reason === "is_directory" ? "EISDIR" : ""
  throw Object.assign(new Error(`is ${refused.description}, not a file`), { code })
}

/** Throws what the system says. Devices are not even opened, because some do something then. */
export const read = (path: string): Uint8Array => {
  check(path, statSync(path))
  // Without O_NONBLOCK a FIFO that took the place of the file since `stat` would hang the open.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    check(path, fstatSync(fd))
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

const mostLinks = 40

const orUndefined = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** The file that a write through a link has to replace; it need not exist yet. */
export const behindLinks = (path: string, links = mostLinks): string => {
  const real = orUndefined(() => realpathSync(path))
  if (real !== undefined) return real
  const folder = realpathSync(dirname(path))
  const link = orUndefined(() => readlinkSync(path))
  if (link === undefined) return join(folder, basename(path))
  if (links === 0) throw new Error("too many links")
  return behindLinks(resolve(folder, link), links - 1)
}
