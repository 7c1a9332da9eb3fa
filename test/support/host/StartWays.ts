/** Every documented way to start heddle in a folder (docs/hosts/starting.md). */
import { entry, type HostOptions, root } from "./HostProcess.ts"
import { node } from "./RealNode.ts"

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
    name: "bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null bin/heddle.js",
    isSafe: true,
    options: inside(process.execPath, "--no-env-file", "--config=/dev/null", "--tsconfig-override=/dev/null")
  },
  { name: "bun bin/heddle.js", isSafe: false, options: inside(process.execPath) }
]
