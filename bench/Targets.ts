/** The programs to measure, with a clean home folder: heddle started in three ways, and pi 0.87.1 if it is installed. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Launch } from "./Host.ts"

export const repo = resolve(import.meta.dir, "..")
const peers = resolve(process.env["PEERS_DIR"] ?? join(tmpdir(), "agent-peers"))
export const bun = join(repo, "node_modules/.bin/bun")

export interface Place {
  readonly home: string
  readonly work: string
  readonly remove: () => void
}

export const makePlace = (): Place => {
  const root = mkdtempSync(join(tmpdir(), "heddle-bench-"))
  const [home, work] = [join(root, "home"), join(root, "work")]
  mkdirSync(join(home, ".pi/agent"), { recursive: true })
  mkdirSync(work)
  const place = { home, work, remove: () => rmSync(root, { recursive: true, force: true }) }
  mockModel(place, "http://127.0.0.1:9")
  return place
}

/** The model of pi: it needs one before it answers, and most measurements never call it. */
export const mockModel = ({ home }: Place, baseUrl: string): void =>
  writeFileSync(join(home, ".pi/agent/models.json"), JSON.stringify({ providers: { mock: { ...mock, baseUrl } } }))

const mock = {
  api: "anthropic-messages",
  apiKey: "none",
  models: [{ id: "mock", name: "Mock", reasoning: false, input: ["text"], contextWindow: 200_000, maxTokens: 64_000 }]
}

export const env = ({ home }: Place) => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: home,
  HEDDLE_AGENT_DIR: join(home, ".heddle/agent"),
  PI_OFFLINE: "1",
  LANG: "C.UTF-8",
  TERM: "dumb",
  NO_COLOR: "1"
})

const started =
  (...start: ReadonlyArray<string>) =>
  (place: Place, ...options: ReadonlyArray<string>): Launch => ({
    command: [...start, "--cwd", place.work, ...options],
    cwd: repo,
    env: env(place)
  })
const ours = (...start: ReadonlyArray<string>) => started(...start, "--mode", "rpc")

/** The command that hosts start. */
export const cli = ours(bun, "run", "--silent", "cli")

/** The same for people, on a terminal. */
export const terminals: Record<string, (place: Place, ...options: ReadonlyArray<string>) => Launch> = {
  "bun run cli": started(bun, "run", "--silent", "cli"),
  "node bin/heddle.js": started("node", "bin/heddle.js")
}

const node22 = join(peers, "node22/node_modules/.bin/node")
const piHome = join(peers, "pi-0.87.1/node_modules/.bin/pi")
const pi = (place: Place): Launch => ({
  command: [node22, piHome].concat("--mode rpc --offline --provider mock --model mock --no-session".split(" ")),
  cwd: place.work,
  env: env(place)
})

export const piName = "pi 0.87.1"
export const targets: Record<string, (place: Place) => Launch> = {
  ...(existsSync(piHome) ? { [piName]: pi } : {}),
  "bun run cli": cli,
  "bun bin/heddle.js": ours(bun, "bin/heddle.js"),
  "node bin/heddle.js": ours("node", "bin/heddle.js")
}
