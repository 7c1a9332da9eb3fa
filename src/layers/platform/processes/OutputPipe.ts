/**
 * One kernel pipe for both output streams of a child, so that output is read in the order of writing. The pipes of
 * Bun.spawn are two sockets, and no program can reopen a socket as /dev/stderr.
 */
import { closeSync } from "node:fs"
import * as LibC from "./offspring/LibC.ts"

export interface OutputPipe {
  /** The descriptor for the child. The reader sees the end when every copy of it is closed. */
  readonly input: number
  readonly closeInput: () => void
  /** The next bytes, or undefined after the last ones. */
  readonly read: () => Promise<Uint8Array | undefined>
  readonly close: () => void
}

/** Undefined when the C library cannot be called or no descriptor is left. Children do not inherit the descriptors. */
export const open = (): OutputPipe | undefined => {
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

export const fromStream = (stream: ReadableStream<Uint8Array>): Pick<OutputPipe, "close" | "read"> => {
  const reader = stream.getReader()
  return {
    read: async () => (await reader.read()).value,
    close: () => void reader.cancel().catch(() => undefined)
  }
}
