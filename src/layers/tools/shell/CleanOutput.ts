/**
 * Removes terminal control from a stream of bytes: escape sequences, NUL and every other control character but tab
 * and line feed. CR LF becomes LF; a CR inside a line stays, because it restarts the line. Works on bytes, so that
 * discarded output is never decoded; a sequence may continue in the next chunk.
 */

type Mode =
  | "text"
  /** After ESC, and after its intermediate bytes. */
  | "escape"
  | "intermediate"
  /** ESC [ … letter */
  | "sequence"
  /** ESC ] … BEL or ESC \ : titles, links, device strings. */
  | "string"
  | "stringEscape"
  /** After 0xC2, which begins the UTF-8 form of the control characters 0x80 to 0x9F. */
  | "extended"

const lineFeed = 10
const carriageReturn = 13
const escape = 27
const extended = 0xc2
/** A control string that has no end within this length is taken for text. */
const longestString = 8192

/** 0: text; 1: line feed; 2: anything that needs a closer look. */
const kinds = new Uint8Array(256)
kinds.fill(2, 0, 32)
kinds[9] = 0
kinds[lineFeed] = 1
kinds[127] = 2
kinds[extended] = 2

export interface CleanOutput {
  /** The chunk without control sequences; the chunk itself when it has none. */
  readonly push: (chunk: Uint8Array) => Uint8Array
  readonly lineFeeds: () => number
}

const isFinal = (byte: number) => byte >= 0x40 && byte <= 0x7e
const isInside = (byte: number) => byte >= 0x20 && byte <= 0x3f

export const make = (): CleanOutput => {
  let mode: Mode = "text"
  let stringLength = 0
  /** A CR was read. The next byte decides whether it ends the line or starts it again. */
  let returned = false
  let lineFeeds = 0

  /** One byte of an escape sequence. False: the byte is no part of it and is to be read as text. */
  const control = (byte: number): boolean => {
    switch (mode) {
      case "escape":
        if (byte === 0x5b) mode = "sequence"
        else if (byte === 0x5d || byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f) {
          mode = "string"
          stringLength = 0
        } else if (byte >= 0x20 && byte <= 0x2f) mode = "intermediate"
        else mode = "text"
        return byte >= 0x20 && byte <= 0x7e
      case "intermediate":
        if (byte < 0x20 || byte > 0x2f) mode = "text"
        return byte >= 0x20 && byte <= 0x7e
      case "sequence":
        if (!isInside(byte)) mode = "text"
        return isInside(byte) || isFinal(byte)
      case "string":
        if (byte === escape) mode = "stringEscape"
        else if (byte === 7) mode = "text"
        else if (byte === lineFeed || ++stringLength > longestString) {
          mode = "text"
          return false
        }
        return true
      case "stringEscape":
        // ESC \ ends the string; any other ESC begins a sequence.
        mode = byte === 0x5c ? "text" : "escape"
        return byte === 0x5c || control(byte)
      default:
        return false
    }
  }

  /** Besides the chunk, the output holds at most a CR and a 0xC2 that were held back. */
  const rewrite = (chunk: Uint8Array, from: number): Uint8Array => {
    const out = new Uint8Array(chunk.length + 2)
    out.set(chunk.subarray(0, from))
    let length = from
    const put = (byte: number) => {
      if (returned && byte !== lineFeed) out[length++] = carriageReturn
      returned = false
      if (byte === lineFeed) lineFeeds++
      out[length++] = byte
    }
    const text = (byte: number) => {
      if (byte === carriageReturn) returned = true
      else if (byte === escape) mode = "escape"
      else if (byte === extended) mode = "extended"
      else if (kinds[byte] !== 2) put(byte)
    }
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0
      if (mode === "text" && !returned && kinds[byte] !== 2) {
        out[length++] = byte
        if (byte === lineFeed) lineFeeds++
      } else if (mode === "text") text(byte)
      else if (mode === "extended") {
        mode = "text"
        if (byte >= 0x80 && byte <= 0x9f) continue
        // A 0xC2 before a removed byte would form a character with the byte after it.
        if (kinds[byte] !== 2) put(extended)
        text(byte)
      } else if (!control(byte)) text(byte)
    }
    return out.subarray(0, length)
  }

  return {
    push: (chunk) => {
      if (mode !== "text" || returned) return rewrite(chunk, 0)
      for (let i = 0; i < chunk.length; i++) {
        const kind = kinds[chunk[i] ?? 0]
        if (kind === 1) lineFeeds++
        else if (kind === 2) return rewrite(chunk, i)
      }
      return chunk
    },
    lineFeeds: () => lineFeeds
  }
}
