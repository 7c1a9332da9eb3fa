/**
 * The end of an output of any length, in bounded memory. Takes the bytes that CleanOutput.ts lets through. A CR restarts
 * the line, as it would on a screen.
 */
import * as Truncate from "../files/Truncate.ts"

export interface OutputTail {
  /** Takes the next bytes and the number of line feeds in the whole output, these bytes included. */
  readonly push: (clean: Uint8Array, lineFeeds: number) => void
  /** As Truncate.truncateTail would cut the whole output. */
  readonly snapshot: () => Truncate.TruncationResult
  /** Everything so far, as long as nothing was dropped. */
  readonly kept: () => Uint8Array
  readonly totalBytes: () => number
  readonly totalLines: () => number
}

const lineFeed = 10
const carriageReturn = 13

/** A byte order mark in the middle of output is text. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

export const make = (limits: Truncate.Limits = Truncate.defaultLimits): OutputTail => {
  // One more byte tells whether a line begins at the limit; a character that is cut there has at most three others.
  const needed = limits.maxBytes + 4
  const capacity = needed * 4
  // Most commands print little.
  let buffer = new Uint8Array(Math.min(capacity, 4096))
  let length = 0
  let dropped = false
  let totalBytes = 0
  let lineFeeds = 0
  /** Bytes of the last line so far, kept or not. */
  let lineBytes = 0

  const reserve = (size: number) => {
    if (size <= buffer.length) return
    const larger = new Uint8Array(Math.min(capacity, Math.max(size, buffer.length * 4)))
    larger.set(buffer.subarray(0, length))
    buffer = larger
  }

  /** Makes room by moving the end to the front: one byte is moved for every three that arrive. */
  const append = (bytes: Uint8Array) => {
    const last = bytes.length > needed ? bytes.subarray(bytes.length - needed) : bytes
    if (length + bytes.length > capacity) {
      const keep = Math.min(length, needed - Math.min(needed, last.length))
      buffer.copyWithin(0, length - keep, length)
      length = keep
      dropped = true
    }
    const fitting = length + bytes.length > capacity ? last : bytes
    reserve(length + fitting.length)
    buffer.set(fitting, length)
    length += fitting.length
    totalBytes += bytes.length
    const newest = bytes.lastIndexOf(lineFeed)
    lineBytes = newest === -1 ? lineBytes + bytes.length : bytes.length - newest - 1
  }

  const restartLine = () => {
    length = Math.max(0, length - lineBytes)
    totalBytes -= lineBytes
    lineBytes = 0
  }

  const withoutRewritten = (clean: Uint8Array): Uint8Array => {
    const out = new Uint8Array(clean.length)
    let end = 0
    let lineStart = 0
    for (let i = 0; i < clean.length; i++) {
      const byte = clean[i] ?? 0
      if (byte === carriageReturn) {
        end = lineStart
        if (lineStart === 0) restartLine()
        continue
      }
      out[end++] = byte
      if (byte === lineFeed) lineStart = end
    }
    return out.subarray(0, end)
  }

  const totalLines = () => lineFeeds + (lineBytes > 0 ? 1 : 0)

  return {
    push: (clean, allLineFeeds) => {
      lineFeeds = allLineFeeds
      append(clean.includes(carriageReturn) ? withoutRewritten(clean) : clean)
    },
    snapshot: () => {
      const cut = Truncate.truncateTail(utf8.decode(buffer.subarray(0, length)), limits)
      if (!dropped) return cut
      const truncatedBy = cut.truncatedBy ?? "bytes"
      return { ...cut, truncated: true, truncatedBy, totalBytes, totalLines: totalLines() }
    },
    kept: () => buffer.slice(0, length),
    totalBytes: () => totalBytes,
    totalLines
  }
}
