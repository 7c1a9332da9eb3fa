/**
 * One kernel pipe for both output streams of a child, so that output is read in the order of writing. The pipes of
 * Bun.spawn are two sockets, and no program can reopen a socket as /dev/stderr.
 */
import { closeSync } from "node:fs"
import { dlopen, ptr } from "bun:ffi"

export interface OutputPipe {
  /** The descriptor for the child. The reader sees the end when every copy of it is closed. */
  readonly input: number
  readonly closeInput: () => void
  /** The next bytes, or undefined after the last ones. */
  readonly read: () => Promise<Uint8Array | undefined>
  readonly close: () => void
}

const libraries = process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", "libc.so"]

const load = () => {
  for (const name of libraries) {
    try {
      return dlopen(name, { pipe: { args: ["ptr"], returns: "i32" } }).symbols.pipe
    } catch {
      continue // another C library, or none that can be called
    }
  }
  return undefined
}

let pipe: ReturnType<typeof load> | null = null

/** Undefined when the C library cannot be called or no descriptor is left. Children do not inherit the descriptors. */
export const open = (): OutputPipe | undefined => {
  if (pipe === null) pipe = process.platform === "win32" ? undefined : load()
  const ends = new Int32Array(2)
  if (pipe === undefined || pipe(ptr(ends)) !== 0) return undefined
  const [output = -1, input = -1] = ends
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

export const fromStream = (stream: ReadableStream<Uint8Array>): Pick<OutputPipe, "close" | "read"> => {
  const reader = stream.getReader()
  return {
    read: async () => (await reader.read()).value,
    close: () => void reader.cancel().catch(() => undefined)
  }
}
