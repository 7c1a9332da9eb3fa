/** This process: its start, folders, printed output, signals and end. */
import { fstatSync, statSync, writeSync } from "node:fs"
import { devNull, homedir } from "node:os"
import { resolve } from "node:path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Text from "../../../domain/Text.ts"
import { setTimeout } from "../engine/Primordials.ts"
import * as ThreadCheck from "./ThreadCheck.ts"

/** The fence is kept with the process, because bundles that are loaded later have a copy of this module. */
const fenceKey = Symbol.for("heddle/layers/machine/processes/Process/fence")

const isFence = (value: unknown): value is () => void => typeof value === "function"

/** Extensions are kept from ending the process. heddle's own end calls `lift` first. There is one fence; undefined takes it away. */
export const setFence = (lift: (() => void) | undefined): void => {
  Reflect.set(process, fenceKey, lift)
}

/** Ends the process at once; extensions cannot keep it. */
export const exit = (code?: number): never => {
  const lift: unknown = Reflect.get(process, fenceKey)
  if (isFence(lift)) lift()
  return process.exit(code)
}

let ours = false

/** This process runs nothing but heddle: all its children and its whole environment are heddle's to deal with. */
export const takeOver: Effect.Effect<void> = Effect.sync(() => {
  ours = true
  ThreadCheck.begin()
})

/** False in a program that has heddle as a library. */
export const isOurs = (): boolean => ours

/** Milliseconds since the process started. */
export const uptime: Effect.Effect<number> = Effect.sync(() => Math.round(performance.now()))

/** The bundler puts `true` in its place (scripts/build.ts); in the source there is no such thing. */
declare const isHeddleBundle: true | undefined

/** What runs here, for reports of problems. */
export const build: Effect.Effect<string> = Effect.sync(() => {
  const origin = typeof isHeddleBundle === "undefined" ? "from source, which starts slowly (npm run build)" : "bundled"
  return `bun ${Bun.version}, ${process.platform}-${process.arch}, ${origin}`
})

/** What a model has to know about the machine to write commands for it. */
export const machine = (): string => `${process.platform} (${process.arch})`

/** Where the user's settings live (protocol.md, conventions). */
export const agentDir: Effect.Effect<string> = Config.nonEmptyString("HEDDLE_AGENT_DIR").pipe(
  Config.orElse(() => Config.nonEmptyString("PI_CODING_AGENT_DIR")),
  Effect.orElseSucceed(() => `${homedir()}/.heddle/agent`)
)

/** The absolute path of a folder; undefined when there is no such folder. */
export const folder = (path: string): Effect.Effect<string | undefined> =>
  Effect.sync(() => {
    const absolute = resolve(path)
    return statSync(absolute, { throwIfNoEntry: false })?.isDirectory() === true ? absolute : undefined
  })

/** Where heddle itself is installed. */
export const packageDir: Effect.Effect<string> = Effect.sync(() => resolve(process.argv[1] ?? ".", "../.."))

export const currentFolder: Effect.Effect<string> = Effect.sync(() => process.cwd())

export const printError = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    writeSync(2, `${Text.printable(text)}\n`)
  })

/** False for pipes, files and /dev/null, which are most common. */
const mayBeTerminal = (fd: number): boolean => {
  try {
    const stats = fstatSync(fd)
    return stats.isCharacterDevice() && stats.rdev !== statSync(devNull).rdev
  } catch {
    return false // closed
  }
}

/** What may be written to a descriptor: a pipe or a file gets data as they are, a terminal what it can show. */
export const writable = (fd: number): ((text: string) => string) =>
  mayBeTerminal(fd) ? Text.printable : (text) => text

/** Returns when the pipe has taken the text. A closed pipe is ignored. */
export const print = (text: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => Bun.write(Bun.stdout, `${writable(1)(text)}\n`)))

/** Columns as wide as their widest cell, for people. */
export const table = (cells: ReadonlyArray<ReadonlyArray<string>>): string => {
  const rows = cells.map((row) => row.map(Text.oneLine))
  const widths: Array<number> = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  }
  const line = (row: ReadonlyArray<string>) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
  return rows.map((row) => line(row).trimEnd()).join("\n")
}

/** How long finalizers may take at the end: a tool that will not die must not keep the process. */
const lastGraceMs = 100

/** The process ends with this code: by itself, or by force when it hangs. */
export const endWith = (code: number): Effect.Effect<void> =>
  Effect.sync(() => {
    process.exitCode = code
    setTimeout(() => exit(code), lastGraceMs).unref()
  })

/**
 * Where the ripgrep program is that comes as an npm package (docs/decisions/0005-search-engine.md); undefined when there is none
 * for this platform.
 */
export const ripgrep: Effect.Effect<string | undefined> = Effect.sync(() => {
  const { arch, platform } = process
  try {
    return require.resolve(`@vscode/ripgrep-${platform}-${arch}/bin/${platform === "win32" ? "rg.exe" : "rg"}`)
  } catch {
    return undefined
  }
})

export interface Terminals {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
}

/** At which ends a person is. `node:tty` takes 10 ms to load, and `process.stdout` as much to look at. */
export const terminals: Effect.Effect<Terminals> = Effect.promise(async () => {
  if (![0, 1, 2].some(mayBeTerminal)) return { stdin: false, stdout: false, stderr: false }
  const { isatty } = await import("node:tty")
  return { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) }
})

/** All of stdin, before any protocol is spoken on it. */
export const readInput: Effect.Effect<string> = Effect.promise(() => Bun.stdin.text())
