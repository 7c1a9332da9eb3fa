/** Which program to start, with which arguments and environment. */
import { existsSync } from "node:fs"
import { devNull } from "node:os"
import { fileURLToPath } from "node:url"
import { StartFailed } from "./Errors.ts"

export interface LaunchOptions {
  /** A program that speaks the protocol, with its first arguments: `"pi"`, `["npx", "heddle"]`. */
  readonly command?: string | ReadonlyArray<string> | undefined
  /** A JavaScript file to run in place of this package's heddle. Ignored if there is a `command`. */
  readonly cliPath?: string | undefined
  /** The folder to work in; default: the one of this process. */
  readonly cwd?: string | undefined
  /** Added to the environment of this process; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly sessionDir?: string | undefined
  /** More options of the program, after those above. */
  readonly args?: ReadonlyArray<string> | undefined
}

export interface Launch {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string | undefined
  readonly env: NodeJS.ProcessEnv
}

/** bun would read settings of the working folder, which may be a stranger's, before heddle runs: see docs/hosts.md. */
const bunOptions = ["--no-env-file", `--config=${devNull}`, `--tsconfig-override=${devNull}`]

const runtime = (): ReadonlyArray<string> => {
  if (process.versions["bun"] !== undefined) return [process.execPath, ...bunOptions]
  return [process.versions["electron"] === undefined ? process.execPath : "node"]
}

/** The same from src/client and from the built lib/client. */
const ownHeddle = () => {
  const path = fileURLToPath(new URL("../../bin/heddle.js", import.meta.url))
  // A bundler may have moved this module.
  if (!existsSync(path)) throw new StartFailed(`heddle is not at ${path}: give its path as cliPath or command`, "")
  return path
}

const commandOf = ({ cliPath, command }: LaunchOptions): ReadonlyArray<string> => {
  if (typeof command === "string") return [command]
  return command ?? [...runtime(), cliPath ?? ownHeddle()]
}

const option = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value])

export const launchOf = (options: LaunchOptions): Launch => {
  const [program = "", ...first] = commandOf(options)
  return {
    program,
    args: [
      ...first,
      "--mode",
      "rpc",
      ...option("--provider", options.provider),
      ...option("--model", options.model),
      ...option("--session-dir", options.sessionDir),
      ...(options.args ?? [])
    ],
    cwd: options.cwd,
    env: { ...process.env, ...options.env }
  }
}
