#!/usr/bin/env node
// The one entry of heddle. Under bun it loads the program into this process: the bundle if nothing it was made
// from has changed, else the source. Under node it becomes the bun that npm installed, and starts over there.
import { readFileSync, statSync } from "node:fs"

const underBun = process.versions.bun !== undefined
// Every millisecond here is one of every start, so nothing is loaded that bun has at hand.
const self = underBun ? import.meta.path : (await import("node:url")).fileURLToPath(import.meta.url)
const root = self.slice(0, -"bin/heddle.js".length)
// Most of our code runs a few times per prompt: compiling it costs more than it saves, and so does looking for garbage every
// second (docs/decisions/0015-jit-options.md).
// The engine reads this when a process starts, so the script `cli` sets the same.
const engine = { BUN_GC_TIMER_INTERVAL: "10000", BUN_JSC_useDFGJIT: "0", BUN_JSC_thresholdForJITAfterWarmUp: "4000" }
const stat = (path) => statSync(path, { throwIfNoEntry: false })

const readManifest = () => {
  try {
    return JSON.parse(readFileSync(`${root}dist/manifest.json`, "utf8"))
  } catch {
    return undefined
  }
}

// npm and git rewrite times without touching contents, so only a differing time makes us look inside.
const unchanged = ([path, size, mtime, hash]) => {
  const now = stat(root + path)
  if (now === undefined) return !path.startsWith("src/") && path !== "package.json"
  return now.size === size && (now.mtimeMs === mtime || String(Bun.hash(readFileSync(root + path))) === hash)
}

/** @returns the file to load; a package published without sources has nothing the bundle could lag behind. */
const program = () => {
  const bundle = `${root}dist/heddle.js`
  const source = `${root}src/cli.ts`
  if (stat(source) === undefined) return bundle
  const manifest = readManifest()
  if (manifest?.bun !== Bun.version || stat(bundle)?.size !== manifest.size) return source
  return manifest.inputs.every(unchanged) ? bundle : source
}

// Without its install script the `bun` package holds a text stub, and the binary is still in the platform's package.
const isBinary = (path) => (stat(path)?.size ?? 0) > 1_000_000

const findBun = async () => {
  const { createRequire } = await import("node:module")
  const folderOf = (from, name) => {
    try {
      return createRequire(from).resolve(`${name}/package.json`).slice(0, -"package.json".length)
    } catch {
      return undefined
    }
  }
  const main = folderOf(self, "bun")
  if (main === undefined) return undefined
  if (isBinary(`${main}bin/bun.exe`)) return `${main}bin/bun.exe`
  const system = { win32: "windows", android: "linux" }[process.platform] ?? process.platform
  const arch = process.arch === "arm64" ? "aarch64" : process.arch
  const musl = stat("/etc/alpine-release") !== undefined
  const libc = process.platform === "android" ? "-android" : system === "linux" && musl ? "-musl" : ""
  for (const suffix of [libc, `${libc}-baseline`]) {
    const folder = folderOf(`${main}package.json`, `@oven/bun-${system}-${arch}${suffix}`)
    const binary = `${folder}bin/bun${system === "windows" ? ".exe" : ""}`
    if (folder !== undefined && isBinary(binary)) return binary
  }
  return undefined
}

const becomeBun = async () => {
  const bun = await findBun()
  if (bun === undefined) {
    console.error(
      `heddle: the bun that comes with it is not installed for ${process.platform}-${process.arch}.\n` +
        "Run `npm install` in its folder, or, if install scripts were skipped, `node node_modules/bun/install.js`."
    )
    process.exit(1)
  }
  const { constants, devNull } = await import("node:os")
  // The working folder is the user's project: its bunfig.toml, which can preload code, and its .env are not for us.
  const args = ["--no-install", "--no-env-file", `--config=${devNull}`, self, ...process.argv.slice(2)]
  const env = { ...engine, ...process.env }
  if (typeof process.execve === "function" && process.platform !== "win32") process.execve(bun, [bun, ...args], env)
  const { spawn } = await import("node:child_process")
  const { isatty } = await import("node:tty")
  const child = spawn(bun, args, { stdio: "inherit", env })
  // A terminal sends Ctrl-C to the child as well; passed on, it would count as a second one.
  const typed = [0, 1, 2].some((fd) => isatty(fd))
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"])
    process.on(signal, () => (signal === "SIGINT" && typed ? undefined : child.kill(signal)))
  child.on("error", (error) => {
    console.error(`heddle: cannot start ${bun}: ${error.message}`)
    process.exit(1)
  })
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

// Once this file has run, bun collects garbage. That takes 10 ms with the program in memory and 1 ms without.
const load = () => {
  // It is in force, and not meant for the programs that we start.
  for (const name of Object.keys(engine)) delete process.env[name]
  import.meta.require(program())
}
if (underBun) setImmediate(load)
else await becomeBun()
