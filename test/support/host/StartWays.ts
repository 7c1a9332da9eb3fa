/** Every documented way to start heddle in a folder (docs/hosts.md). */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { entry, type HostOptions, root } from "./HostProcess.ts"

const isExecutable = (path: string) => {
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
  .find((path) => isExecutable(path) && !isBun(path))

export interface StartWay {
  readonly name: string
  /** Nothing of the folder can run code. */
  readonly isSafe: boolean
  readonly options: (folder: string) => Pick<HostOptions, "command" | "cwd" | "args">
}

const inside =
  (...command: ReadonlyArray<string>) =>
  (folder: string) => ({ command: [...command, entry], cwd: folder })

export const startWays: ReadonlyArray<StartWay> = [
  {
    name: "bun run cli",
    isSafe: true,
    options: (folder) => ({ command: ["bun", "run", "cli"], cwd: root, args: ["--cwd", folder] })
  },
  ...(node === undefined ? [] : [{ name: "node bin/heddle.js", isSafe: true, options: inside(node) }]),
  {
    name: "bun --no-env-file --config=/dev/null bin/heddle.js",
    isSafe: true,
    options: inside(process.execPath, "--no-env-file", "--config=/dev/null")
  },
  { name: "bun bin/heddle.js", isSafe: false, options: inside(process.execPath) }
]
