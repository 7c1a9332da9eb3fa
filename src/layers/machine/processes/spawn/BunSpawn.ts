/** Processes by Bun.spawn, with what it lacks from the C library. */
import { defined } from "../../../../domain/Values.ts"
import { closeSync } from "node:fs"
import * as LibC from "../offspring/LibC.ts"
import * as Marks from "../offspring/Marks.ts"
import type { Child, OutputPipe, Source, SpawnOptions } from "./Child.ts"

const fromStream = (stream: ReadableStream<Uint8Array>): Source => {
  const reader = stream.getReader()
  return {
    read: async () => (await reader.read()).value,
    close: () => void reader.cancel().catch(() => undefined)
  }
}

const sourceOf = (stream: unknown): Source | undefined =>
  stream instanceof ReadableStream ? fromStream(stream) : undefined

/** The pipes of Bun.spawn are sockets, which no program can reopen as /dev/stderr. */
export const openPipe = (): OutputPipe | undefined => {
  const pipe = LibC.pipe()
  if (pipe === undefined) return undefined
  const { input, output } = pipe
  const { close, read } = fromStream(Bun.file(output).stream())
  let open = true
  return {
    input,
    closeInput: () => closeSync(input),
    read,
    close: () => {
      close()
      if (open) closeSync(output)
      open = false
    }
  }
}

/** Closes the end for the child with `started`, and the other with `release`. */
const holdInput = () => {
  const pipe = LibC.pipe()
  if (pipe === undefined) throw new Error("no pipe can be had")
  const { input, output } = pipe
  let open = true
  const release = () => {
    if (open) closeSync(input)
    open = false
  }
  return { output, started: () => closeSync(output), release }
}

const nothing = { output: "ignore", started: () => undefined, release: () => undefined } as const

export const spawn = (options: SpawnOptions): Child => {
  const { command, cwd, env, files = [], holdsInput = false, mark, stderr = "ignore", stdout = "ignore" } = options
  const { output, release, started } = holdsInput ? holdInput() : nothing
  try {
    const child = Marks.put(mark, () =>
      Bun.spawn([...command], { ...defined({ cwd }), env, detached: true, stdio: [output, stdout, stderr, ...files] })
    )
    return {
      pid: child.pid,
      exited: child.exited,
      get exitCode() {
        return child.exitCode
      },
      get signalCode() {
        return child.signalCode
      },
      stdout: sourceOf(child.stdout),
      stderr: sourceOf(child.stderr),
      unref: () => child.unref(),
      release
    }
  } catch (cause) {
    release()
    throw cause
  } finally {
    started()
  }
}
