/**
 * Selects lines from bytes that arrive in pieces, within the limits of one tool result. Memory is bounded by the limits;
 * lines outside of the selection are only counted.
 */
import type { Limits, TruncationDetails } from "./Truncate.ts"

export interface Selection {
  /** The first line wanted, counted from 1. */
  readonly offset: number
  /** How many lines are wanted; all to the end if absent. */
  readonly limit?: number | undefined
  readonly limits: Limits
  /** The number of bytes that will be pushed, where it is known. */
  readonly totalBytes?: number
}

export interface Selected {
  readonly bytes: Uint8Array
  /** The same numbers as Truncate.truncateHead gives for the wanted lines. */
  readonly truncation: TruncationDetails
  /** Lines of everything that was pushed. */
  readonly totalLines: number
  readonly firstLineBytes: number
}

export interface LineWindow {
  readonly push: (chunk: Uint8Array) => void
  readonly finish: () => Selected
}

const lineFeed = 10

export const make = (selection: Selection): LineWindow => {
  const { limit = Number.POSITIVE_INFINITY, limits, offset, totalBytes = limits.maxBytes } = selection
  const kept = new Uint8Array(Math.min(limits.maxBytes, totalBytes))
  let keptBytes = 0
  let keptLines = 0
  // Bytes of an unfinished line at the end of `kept`.
  let pendingBytes = 0
  let truncatedBy: TruncationDetails["truncatedBy"] = null
  let wantedLines = 0
  let wantedBytes = 0
  let firstLineBytes = 0
  let line = 1
  let lineHasBytes = false

  const isWanted = () => line >= offset && line - offset < limit

  const take = (chunk: Uint8Array, from: number, to: number) => {
    wantedBytes += to - from
    if (line === offset) firstLineBytes += to - from
    if (truncatedBy !== null) return
    if (keptLines === limits.maxLines) truncatedBy = "lines"
    else if (keptBytes + pendingBytes + to - from > limits.maxBytes) truncatedBy = "bytes"
    else {
      kept.set(chunk.subarray(from, to), keptBytes + pendingBytes)
      pendingBytes += to - from
    }
  }

  const endLine = () => {
    if (isWanted()) {
      wantedLines++
      if (truncatedBy === null) {
        keptLines++
        keptBytes += pendingBytes
      }
      pendingBytes = 0
    }
    line++
    lineHasBytes = false
  }

  const push = (chunk: Uint8Array) => {
    let from = 0
    while (from < chunk.length) {
      const found = chunk.indexOf(lineFeed, from)
      const to = found === -1 ? chunk.length : found + 1
      if (isWanted()) take(chunk, from, to)
      if (found === -1) lineHasBytes = true
      else endLine()
      from = to
    }
  }

  const finish = (): Selected => {
    if (lineHasBytes) endLine()
    const truncation = {
      truncated: truncatedBy !== null,
      truncatedBy,
      totalLines: wantedLines,
      totalBytes: wantedBytes,
      outputLines: keptLines,
      outputBytes: keptBytes,
      lastLinePartial: false,
      firstLineExceedsLimit: truncatedBy === "bytes" && keptLines === 0,
      ...limits
    }
    return { bytes: kept.subarray(0, keptBytes), truncation, totalLines: line - 1, firstLineBytes }
  }

  return { push, finish }
}
