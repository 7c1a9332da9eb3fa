/** Starts heddle for a case, in a folder of its own with a home of its own, as its documents say. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { devNull, tmpdir } from "node:os"
import { join } from "node:path"
import * as Agent from "./Agent.ts"

const root = join(import.meta.dirname, "../../..")
export const entry = join(root, "bin/heddle.js")
export const bun = process.execPath

export interface Place {
  readonly root: string
  readonly home: string
  readonly agentDir: string
  readonly work: string
  readonly temp: string
  /** Writes a file below `root` and answers its path. */
  readonly write: (name: string, content: string | object) => string
  readonly remove: () => void
}

export const makePlace = (): Place => {
  const root = mkdtempSync(join(tmpdir(), "heddle-torture-"))
  const [home, work, temp] = [join(root, "home"), join(root, "work"), join(root, "tmp")]
  const agentDir = join(home, ".heddle/agent")
  for (const folder of [agentDir, work, temp]) mkdirSync(folder, { recursive: true })
  return {
    root,
    home,
    agentDir,
    work,
    temp,
    write: (name, content) => {
      const path = join(root, name)
      mkdirSync(join(path, ".."), { recursive: true })
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
      return path
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

export const environment = (place: Place): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: place.home,
  TMPDIR: place.temp,
  HEDDLE_AGENT_DIR: place.agentDir,
  LANG: "C.UTF-8"
})

/** The options of the engine are those of the script `cli`: figures are those of the way that hosts use. */
const engine = (): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(join(root, "package.json"), "utf8").matchAll(/\b(BUN_\w+)=(\S+)/g)].map(([, name, value]) => [
      name ?? "",
      value ?? ""
    ])
  )

export interface Options {
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Real pipes on both sides of the process, where the runtime of this suite would use sockets. */
  readonly pipes?: boolean
}

export const launch = (place: Place, { args = [], env = {}, pipes = false }: Options = {}): Agent.Launch => {
  const program = [
    bun,
    "--no-env-file",
    `--config=${devNull}`,
    `--tsconfig-override=${devNull}`,
    entry,
    "--mode",
    "rpc",
    ...args
  ]
  const piped = ["bash", "-c", 'cat | "$@" | cat; exit ${PIPESTATUS[1]}', "heddle", ...program]
  return {
    command: pipes ? piped : program,
    cwd: place.work,
    env: { ...environment(place), ...engine(), ...env }
  }
}

/** Undefined if it does not come up. */
export const open = async (place: Place, options: Options = {}): Promise<Agent.Agent | undefined> => {
  const agent = Agent.start(launch(place, options))
  const state = await agent.request({ type: "get_state" })
  if (state === undefined) {
    agent.kill("SIGKILL")
    return undefined
  }
  agent.idleMb()
  return agent
}

/** A scenario file for `offline/script` and the options that play it. */
export const script = (place: Place, scenario: object, name = "scenario.json"): ReadonlyArray<string> => [
  "--model",
  "offline/script",
  "--set",
  `offline.scenario=${place.write(name, scenario)}`
]
