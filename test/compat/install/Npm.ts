/** Takes packages from the registry, without running any script of theirs. */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Failure } from "../host/Host.ts"
import { within } from "../../support/torture/Agent.ts"
import { brief } from "../host/Frames.ts"

const patience = 60_000

const run = async (command: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const [program = "", ...args] = command
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
  let [out, errors] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (part: string) => (out += part))
  child.stderr.setEncoding("utf8").on("data", (part: string) => (errors += part))
  const ended = new Promise<number | string | null>((resolve) => {
    child.on("error", (error) => resolve(error.message))
    child.on("close", resolve)
  })
  const code = await within(ended, patience)
  if (code === 0) return out
  child.kill("SIGKILL")
  const said = errors.split("\n").filter((line) => /^npm (error|ERR!)/.test(line) && !line.includes("complete log"))
  const why = code === undefined ? `no end after ${patience / 1000} s` : said.slice(0, 2).join(" ") || errors || code
  throw new Failure(`\`${program} ${args[0]}\` failed, is the registry reachable? ${brief(why, 240)}`)
}

/** Without scripts, and without the host's own packages, which every package names as peers. */
const flags = [
  "--ignore-scripts",
  "--omit=dev",
  "--omit=peer",
  "--legacy-peer-deps",
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
  "--fetch-retries=1"
]

export const nameOf = (spec: string) => spec.replace(/(?<=.)@[^@/]*$/, "")

/** Installs a package with what it depends on; answers its folder. */
export const install = async (spec: string, into: string): Promise<string> => {
  mkdirSync(into, { recursive: true })
  writeFileSync(join(into, "package.json"), '{"private":true}')
  await run(["npm", "install", ...flags, spec], into)
  return join(into, "node_modules", nameOf(spec))
}

/** Packs a package of this machine as it would be published, and installs that as a user would; answers its folder. */
export const installPacked = async (from: string, into: string): Promise<string> => {
  const packed = await run(["npm", "pack", "--silent", `--pack-destination=${into}`], from)
  const tarball = join(into, packed.trim().split("\n").at(-1) ?? "")
  if (!existsSync(tarball)) throw new Failure(`\`npm pack\` answered ${brief(packed)}`)
  writeFileSync(join(into, "package.json"), '{"private":true}')
  await run(["npm", "install", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error", tarball], into)
  return join(into, "node_modules", nameOfTarball(tarball))
}

/** `heddle-0.1.0.tgz` holds `heddle`. */
const nameOfTarball = (tarball: string) => basename(tarball).replace(/-\d.*$/, "")

/** Unpacks the tarball of a package, or a part of it, and nothing that it depends on; answers its folder. */
export const unpack = async (spec: string, into: string, part = ""): Promise<string> => {
  const folder = join(into, "node_modules", nameOf(spec))
  mkdirSync(folder, { recursive: true })
  const packed = await run(["npm", "pack", "--prefer-offline", "--loglevel=error", "--fetch-retries=1", spec], into)
  const tarball = join(into, packed.trim().split("\n").at(-1) ?? "")
  if (!existsSync(tarball)) throw new Failure(`\`npm pack\` answered ${brief(packed)}`)
  await run(
    ["tar", "-xzf", tarball, "-C", folder, "--strip-components=1", ...(part === "" ? [] : [`package/${part}`])],
    into
  )
  return folder
}
