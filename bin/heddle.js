#!/usr/bin/env node
// Starts heddle. Under bun it loads the program into this process: the bundle if no file that it was built from has
// changed, else the source. Under node it replaces itself with the bun that npm installed, which runs this file again.
import { readFileSync, statSync } from "node:fs"

const underBun = process.versions.bun !== undefined
// Every start pays for each millisecond here, so the path under bun loads no module beyond `node:fs`.
const self = underBun ? import.meta.path : (await import("node:url")).fileURLToPath(import.meta.url)
const root = self.slice(0, -"bin/heddle.js".length)
const stat = (path) => statSync(path, { throwIfNoEntry: false })

const readManifest = () => {
  try {
    return JSON.parse(readFileSync(`${root}dist/manifest.json`, "utf8"))
  } catch {
    return undefined
  }
}

// npm and git change the time of a file without changing its contents: where the time differs, compare the contents.
const unchanged = ([path, size, mtime, hash]) => {
  const now = stat(root + path)
  if (now === undefined) return !path.startsWith("src/") && path !== "package.json"
  return now.size === size && (now.mtimeMs === mtime || String(Bun.hash(readFileSync(root + path))) === hash)
}

const bundle = `${root}dist/heddle.js`
const source = `${root}src/cli.ts`

const isCheckout = () => stat(`${root}scripts/build.ts`) !== undefined && stat(source) !== undefined

/** @returns why the bundle cannot be used. That of an installed package is never stale: it comes with its sources. */
const staleness = () => {
  if (!isCheckout()) return stat(bundle) === undefined ? "dist/heddle.js is missing" : undefined
  const manifest = readManifest()
  if (manifest?.bun === undefined || stat(bundle)?.size !== manifest.size) return "there is no complete bundle in dist/"
  if (manifest.bun !== Bun.version) return `the bundle was made for bun ${manifest.bun}, and this is ${Bun.version}`
  const changed = manifest.inputs.find((input) => !unchanged(input))
  return changed === undefined ? undefined : `${changed[0]} has changed since the bundle was made`
}

const refuse = (text) => {
  console.error(`heddle: ${text}`)
  process.exit(1)
}

/** The source needs packages that the bundle holds. Only a checkout with its development dependencies has them. */
const checkSource = (reason) => {
  if (!isCheckout()) refuse(`${reason} in ${root}. Install heddle again: npm install -g heddle`)
  // Not by resolving it: where nothing is installed, bun would fetch a package from the registry.
  const folders = root.split("/").slice(0, -1)
  while (folders.length > 0 && stat(`${folders.join("/")}/node_modules/effect/package.json`) === undefined)
    folders.pop()
  if (folders.length > 0) return
  refuse(`${reason}, and the source cannot start without the package effect. Run \`npm install\` in ${root}`)
}

const program = () => {
  const reason = staleness()
  if (reason === undefined) return bundle
  checkSource(reason)
  if (process.argv.includes("--verbose")) {
    console.error(
      `heddle debug: started from source, which takes longer: ${reason}. \`npm run build\` makes a new bundle.`
    )
  }
  return source
}

// The package of the platform has the binary. Where the package `bun` is installed, too, its install script moves it there;
// if npm skipped that script, it holds a text stub.
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
  if (main !== undefined && isBinary(`${main}bin/bun.exe`)) return `${main}bin/bun.exe`
  const system = { win32: "windows", android: "linux" }[process.platform] ?? process.platform
  const arch = process.arch === "arm64" ? "aarch64" : process.arch
  const musl = stat("/etc/alpine-release") !== undefined
  const libc = process.platform === "android" ? "-android" : system === "linux" && musl ? "-musl" : ""
  for (const suffix of [libc, `${libc}-baseline`]) {
    const name = `@oven/bun-${system}-${arch}${suffix}`
    const folder = folderOf(self, name) ?? (main === undefined ? undefined : folderOf(`${main}package.json`, name))
    const binary = `${folder}bin/bun${system === "windows" ? ".exe" : ""}`
    if (folder !== undefined && isBinary(binary)) return binary
  }
  return undefined
}

/** The script `cli` in package.json is the one list of the engine's options (docs/decisions/0015-jit-options.md). */
const engineOptions = () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
  return Object.fromEntries([...`${scripts?.cli}`.matchAll(/\b(BUN_\w+)=(\S+)/g)].map(([, ...option]) => option))
}

// Programs that heddle starts could read the keys in /proc, where the kernel shows what a process was started with.
const forgetSecrets = async () => {
  if (process.platform !== "linux") return
  const { openSync, writeSync } = await import("node:fs")
  const stat = readFileSync("/proc/self/stat", "latin1")
  const [argumentsFrom, , from, to] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(45, 49)
    .map(Number)
  const memory = openSync("/proc/self/mem", "r+")
  const blank = (start, length) => writeSync(memory, Buffer.alloc(length), 0, length, start)
  blank(from, to - from)
  const [before, key] = readFileSync("/proc/self/cmdline", "latin1").match(/^.*?\0--api-key[\0=]([^\0]+)/s) ?? []
  if (key !== undefined) blank(argumentsFrom + before.length - key.length, key.length)
}

const becomeBun = async (inherited) => {
  const bun = underBun ? process.execPath : await findBun()
  if (bun === undefined) {
    refuse(
      `bun is not installed for ${process.platform}-${process.arch}. It is an optional dependency of heddle: install heddle ` +
        "again without --omit=optional. In a checkout run `npm install`, or, if npm skipped install scripts, " +
        "`node node_modules/bun/install.js`."
    )
  }
  const { constants, devNull } = await import("node:os")
  // The working folder is the user's project. Ignore its .env, its bunfig.toml, which can preload code, and its
  // tsconfig.json, which can put other files in the place of any module, also of this one.
  const nothing = ["--no-install", "--no-env-file", `--config=${devNull}`, `--tsconfig-override=${devNull}`]
  const args = [...nothing, self, ...process.argv.slice(2)]
  const env = { ...engineOptions(), ...inherited }
  if (typeof process.execve === "function" && process.platform !== "win32") process.execve(bun, [bun, ...args], env)
  const { spawn } = await import("node:child_process")
  const { isatty } = await import("node:tty")
  const child = spawn(bun, args, { stdio: "inherit", env })
  // A terminal sends Ctrl-C to the child, too. If we passed it on, the child would count two.
  const typed = [0, 1, 2].some((fd) => isatty(fd))
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"])
    process.on(signal, () => (signal === "SIGINT" && typed ? undefined : child.kill(signal)))
  child.on("error", (error) => {
    console.error(`heddle: cannot start ${bun}: ${error.message}`)
    process.exit(1)
  })
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
  await forgetSecrets().catch(() => undefined) // where it is not allowed, heddle works all the same
}

// When this file has run, bun collects garbage. That takes 1 ms before the program is loaded and 10 ms after.
const load = () => {
  // The engine has read its options. Programs that heddle starts must not inherit them.
  for (const name of Object.keys(process.env)) if (/^BUN_(JSC|GC)_/.test(name)) delete process.env[name]
  import.meta.require(program())
}

/** Whether bun itself was started with one of these options. */
const hasOption = (...names) =>
  process.execArgv.some((arg) => names.some((name) => arg === name || arg.startsWith(`${name}=`)))

// Started as `bun <path>/bin/heddle.js`, bun has read the `.env` and the bunfig.toml of the working folder, which may be a
// stranger's. The variables can be dropped; code that the bunfig.toml preloads has run, and nothing here could stop it.
const start = async () => {
  if (!underBun) return becomeBun(process.env)
  if (!hasOption("--config", "-c") && `${process.cwd()}/` !== root && stat("bunfig.toml") !== undefined) {
    console.error(
      "heddle warn: bun has read the bunfig.toml of this folder, which can run code. Start heddle with " +
        "`node bin/heddle.js`, or with `bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null bin/heddle.js`."
    )
  }
  if (!hasOption("--no-env-file", "--env-file")) {
    const { env, taken } = import.meta.require("./environment.js").withoutFolder()
    if (taken.length > 0) {
      console.error(`heddle warn: dropped what bun took from the .env files of this folder: ${taken.join(", ")}`)
      return becomeBun(env)
    }
  }
  setImmediate(load)
}
await start()
