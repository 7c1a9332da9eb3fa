/** The programs that the checks can be run against: heddle, and pi, which proves the checks themselves. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Npm from "../install/Npm.ts"
import * as Place from "./Place.ts"
import type { Launch } from "../../support/torture/Agent.ts"

export type Target = (place: Place.Place, options: ReadonlyArray<string>) => Launch

const heddle = join(import.meta.dirname, "../../../bin/heddle.js")
const peers = resolve(process.env["PEERS_DIR"] ?? join(tmpdir(), "agent-peers"))
const piVersion = "1.5.0"

export const piSpec = `@earendil-works/pi-coding-agent@${piVersion}`

const started =
  (...command: ReadonlyArray<string>): Target =>
  (place, options) => ({
    command: [...command, "--mode", "rpc", "--offline", ...Place.modelOptions, ...options],
    cwd: place.work,
    env: Place.environment(place)
  })

/** The oldest Node that pi takes is 22.19. */
const isRecent = (version: string) => {
  const [major = 0, minor = 0] = version.replace("v", "").split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}

const nodeForPi = async () => {
  if (isRecent(execFileSync("node", ["--version"], { encoding: "utf8" }))) return "node"
  const name = `node-${process.platform}-${process.arch}`
  const node = join(peers, "node24/node_modules", name, "bin/node")
  if (!existsSync(node)) await Npm.install(`${name}@24.21.0`, join(peers, "node24"))
  return node
}

/** Not all packages that pi depends on are published, but its bundle needs none of them but jiti. */
const pi = async (): Promise<Target> => {
  const into = join(peers, `pi-${piVersion}`)
  const cli = join(into, "node_modules", Npm.nameOf(piSpec), "dist/bundle/cli.js")
  mkdirSync(into, { recursive: true })
  if (!existsSync(cli)) {
    await Npm.install("jiti@2.7.0", into)
    await Npm.unpack(piSpec, into)
  }
  return started(await nodeForPi(), cli)
}

export const targets = { heddle: async () => started("node", heddle), pi }
export type TargetName = keyof typeof targets
export const isTarget = (name: string): name is TargetName => Object.hasOwn(targets, name)
