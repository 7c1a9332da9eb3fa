/** The node of this machine, if it has one. */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

const executable = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
/** `bun --bun` puts a `node` on PATH that is bun, and not always the bun that runs this: all of a user share the folder. */
const isBun = (path: string) =>
  Bun.spawnSync([path, "-p", "process.versions.bun"]).stdout.toString().trim() !== "undefined"
export const node = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .find((path) => executable(path) && !isBun(path))
