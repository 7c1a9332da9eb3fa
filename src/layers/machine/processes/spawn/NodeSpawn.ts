/** Processes by node:child_process, where a program on Node has heddle as a library. */
import { type ChildProcess, execFile, spawn as spawnNow, type StdioOptions } from "node:child_process"
import { accessSync, closeSync, constants, openSync, statSync, unlinkSync } from "node:fs"
import { Socket } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import type { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import { defined } from "../../../../domain/Values.ts"
import type { Environment } from "../../../../services/machine/Processes.ts"
import * as Marks from "../offspring/Marks.ts"
import type { Child, OutputPipe, Source, SpawnOptions } from "./Child.ts"

const fromStream = (stream: Readable): Source => {
  const chunks: AsyncIterator<unknown> = stream[Symbol.asyncIterator]()
  return {
    read: async () => {
      try {
        const { value } = await chunks.next()
        return value instanceof Uint8Array ? value : undefined
      } catch {
        return undefined // it was closed while it was read
      }
    },
    close: () => void stream.destroy()
  }
}

const makeFifo = (path: string) =>
  Effect.async<boolean>((resume) => {
    const env = { PATH: process.env["PATH"] }
    execFile("mkfifo", ["-m", "600", path], { env }, (cause) => resume(Effect.succeed(cause === null)))
  })

const openFifo = (path: string): OutputPipe | undefined => {
  let output: number | undefined
  try {
    output = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const input = openSync(path, constants.O_WRONLY)
    const source = fromStream(new Socket({ fd: output, readable: true, writable: false }))
    return { ...source, input, closeInput: () => closeSync(input) }
  } catch {
    if (output !== undefined) closeSync(output)
    return undefined
  } finally {
    unlinkSync(path)
  }
}

/** The pipes of Node are sockets, too, and it has no function that makes a pipe. A FIFO without a name is one. */
export const openPipe: Effect.Effect<OutputPipe | undefined> = Effect.suspend(() => {
  const path = join(tmpdir(), `heddle-${crypto.randomUUID()}.pipe`)
  return Effect.map(makeFifo(path), (isMade) => (isMade ? openFifo(path) : undefined))
})

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export const which = (name: string, { PATH = "" }: Environment, cwd = "."): string | undefined => {
  const places = name.includes("/") ? [resolve(cwd, name)] : PATH.split(delimiter).map((folder) => join(folder, name))
  return places.find(isProgram)
}

/** dash and ash have another letter for the limit. A shell sets it and then becomes the program. */
const markScript = (mark: string) => `{ ulimit -S -x ${mark} || ulimit -S -w ${mark}; } 2>/dev/null; exec "$0" "$@"`

const marked = ({ command, cwd, env, mark }: SpawnOptions): ReadonlyArray<string> => {
  if (mark === Marks.ofOthers || !Marks.isEffective()) return command
  const [name = "", ...args] = command
  const path = which(name, env, cwd)
  if (path === undefined) throw Object.assign(new Error(`Program not found: ${name}`), { code: "ENOENT" })
  return ["/bin/sh", "-c", markScript(mark), path, ...args]
}

const start = (options: SpawnOptions): ChildProcess => {
  const { cwd, env, files = [], holdsInput = false, stderr = "ignore", stdout = "ignore" } = options
  const [file = "", ...args] = marked(options)
  const stdin = holdsInput ? "pipe" : "ignore"
  const stdio = [stdin, stdout, stderr, ...files] satisfies StdioOptions
  return spawnNow(file, args, { ...defined({ cwd }), env: { ...env }, detached: true, stdio })
}

const toChild = (child: ChildProcess, pid: number): Child => ({
  pid,
  exited: new Promise((settle) => child.once("exit", settle)),
  get exitCode() {
    return child.exitCode
  },
  get signalCode() {
    return child.signalCode
  },
  stdout: child.stdout === null ? undefined : fromStream(child.stdout),
  stderr: child.stderr === null ? undefined : fromStream(child.stderr),
  unref: () => {
    child.unref()
    if (child.stdin instanceof Socket) child.stdin.unref()
  },
  release: () => void child.stdin?.destroy()
})

/** Node throws some failures at once and reports others with an event. */
const started = (child: ChildProcess): Effect.Effect<Child, unknown> => {
  const { pid } = child
  if (pid === undefined) {
    return Effect.async((resume) => void child.once("error", (cause) => resume(Effect.fail(cause))))
  }
  child.on("error", () => undefined)
  return Effect.succeed(toChild(child, pid))
}

export const spawn = (options: SpawnOptions): Effect.Effect<Child, unknown> =>
  Effect.flatMap(Effect.try({ try: () => start(options), catch: (cause) => cause }), started)
