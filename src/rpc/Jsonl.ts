/**
 * Splits the input into lines (protocol.md 2). A line ends at LF and nowhere else; one CR before the LF and a BOM at the
 * very start are dropped. A line above the limit is skipped while it arrives. Works on bytes, because a chunk may end
 * inside a character, and looks at each byte once.
 */
import * as Either from "effect/Either"

export type Line =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Oversized" }
  | { readonly _tag: "InvalidUtf8" }

const LF = 0x0a
const CR = 0x0d

export interface Splitter {
  readonly push: (chunk: Uint8Array) => void
  /** Emits the unfinished last line, if there is one. */
  readonly end: () => void
}

export const makeSplitter = (maxBytes: number, onLine: (line: Line) => void): Splitter => {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let parts: Array<Uint8Array> = []
  let held = 0
  let skipping = false
  let first = true

  const decode = (bytes: Uint8Array): Line => {
    const end = bytes[bytes.length - 1] === CR ? bytes.length - 1 : bytes.length
    const bom = first && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    first = false
    const text = Either.try(() => utf8.decode(bytes.subarray(bom ? 3 : 0, end)))
    return Either.isRight(text) ? { _tag: "Text", text: text.right } : { _tag: "InvalidUtf8" }
  }

  const hold = (bytes: Uint8Array) => {
    if (skipping || bytes.length === 0) return
    held += bytes.length
    if (held > maxBytes) {
      skipping = true
      parts = []
    } else {
      parts.push(bytes)
    }
  }

  const finish = (last: Uint8Array) => {
    // Most lines lie within one chunk, and need no copy.
    if (held === 0 && last.length <= maxBytes) return onLine(decode(last))
    hold(last)
    const bytes = skipping ? last : join(parts, held)
    // Before the text is made: a line of 64 MiB would be there three times.
    parts = []
    held = 0
    const line: Line = skipping ? { _tag: "Oversized" } : decode(bytes)
    skipping = false
    onLine(line)
  }

  return {
    push: (chunk) => {
      let start = 0
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, start)) {
        finish(chunk.subarray(start, at))
        start = at + 1
      }
      if (start < chunk.length) hold(chunk.subarray(start))
    },
    end: () => {
      if (held > 0) finish(new Uint8Array(0))
    }
  }
}

const join = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const joined = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
