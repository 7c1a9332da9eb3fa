/** The filter of system calls, on the way to the program that loads it. */
import { closeSync, writeSync } from "node:fs"
import * as LibC from "../processes/offspring/LibC.ts"

/** A new descriptor from which the bytes can be read once; undefined where none can be had. They fit into a pipe. */
export const open = (bytes: Uint8Array): number | undefined => {
  const pipe = LibC.pipe()
  if (pipe === undefined) return undefined
  try {
    writeSync(pipe.input, bytes)
    return pipe.output
  } finally {
    closeSync(pipe.input)
  }
}

export const close = (fd: number): void => closeSync(fd)
