/** Reads what ripgrep prints with `--null --line-number --no-heading`: `path NUL line : text LF`, file after file. */
import type { Match } from "./Search.ts"

export interface RipgrepOutput {
  /** False when there are more matches than wanted. */
  readonly push: (chunk: Uint8Array) => boolean
  readonly finish: () => ReadonlyArray<Match>
}

/** Longer lines are cut. */
const keptBytes = 16 * 1024
const lineFeed = 10
/** Ripgrep prints this after the matches of a file that turns out to be binary. */
const binaryRemark = /: WARNING: stopped searching binary file after match \(found /
const record = /^([^\0]*)\0(\d+):([^]*)$/

export const make = (most: number, isWanted: (path: string) => boolean): RipgrepOutput => {
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
  const pending = new Uint8Array(keptBytes)
  let pendingLength = 0
  const matches: Array<Match> = []
  // Matches of the current file, which may still turn out to be binary.
  let current: Array<Match> = []

  const endFile = () => {
    if (current[0] !== undefined && isWanted(current[0].path)) matches.push(...current)
    current = []
  }

  const endLine = () => {
    const line = utf8.decode(pending.subarray(0, pendingLength))
    pendingLength = 0
    const [, path, number, text] = record.exec(line) ?? []
    if (path === undefined || text === undefined) {
      if (binaryRemark.test(line)) current = []
      return
    }
    if (current[0]?.path !== path) endFile()
    current.push({ path, line: Number(number), text: text.replace(/\r$/, "") })
  }

  const keep = (bytes: Uint8Array) => {
    const piece = bytes.subarray(0, keptBytes - pendingLength)
    pending.set(piece, pendingLength)
    pendingLength += piece.length
  }

  return {
    push: (chunk) => {
      let from = 0
      while (from < chunk.length && matches.length <= most) {
        const found = chunk.indexOf(lineFeed, from)
        keep(chunk.subarray(from, found === -1 ? chunk.length : found))
        if (found === -1) break
        endLine()
        from = found + 1
      }
      return matches.length <= most
    },
    finish: () => {
      endFile()
      return matches
    }
  }
}
