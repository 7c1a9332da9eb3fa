/** A text file as an editor sees it: a byte order mark apart, LF only, and a way back to every byte left untouched. */
import * as Either from "effect/Either"

export interface TextFile {
  readonly bom: boolean
  readonly raw: string
  /** The same with LF for CRLF. */
  readonly text: string
}

/** A piece of `text` and its replacement. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly newText: string
}

export type Undecodable = "utf-16" | "binary" | "not_utf8"

const bomBytes = [0xef, 0xbb, 0xbf] as const

export const toLineFeeds = (text: string): string => text.replaceAll("\r\n", "\n")

export const decode = (bytes: Uint8Array): Either.Either<TextFile, Undecodable> => {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return Either.left("utf-16")
  const bom = bomBytes.every((byte, at) => bytes[at] === byte)
  return Either.try({
    try: () =>
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bom ? bytes.subarray(bomBytes.length) : bytes),
    catch: (): Undecodable => (bytes.includes(0) ? "binary" : "not_utf8")
  }).pipe(
    Either.filterOrLeft(
      (raw) => !raw.includes("\0"),
      (): Undecodable => "binary"
    ),
    Either.map((raw) => ({ bom, raw, text: toLineFeeds(raw) }))
  )
}

export const encode = (bom: boolean, raw: string): Uint8Array => new TextEncoder().encode(bom ? `\uFEFF${raw}` : raw)

/** Offsets in `text`, in rising order, as offsets in `raw`. The CR of a CRLF goes with its LF. */
const toRawOffsets = (raw: string, offsets: ReadonlyArray<number>): ReadonlyArray<number> => {
  let next = raw.indexOf("\r\n")
  let dropped = 0
  return offsets.map((offset) => {
    while (next !== -1 && next - dropped < offset) {
      dropped++
      next = raw.indexOf("\r\n", next + 2)
    }
    return offset + dropped
  })
}

const usesCrLf = (text: string): boolean | undefined => {
  let lines = 0
  let carriageReturns = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines++
    if (text[at - 1] === "\r") carriageReturns++
  }
  return lines === 0 ? undefined : carriageReturns * 2 > lines
}

/** New lines end like those they replace, or else like most lines of the file. Replacements are in order. */
export const apply = ({ raw }: TextFile, replacements: ReadonlyArray<Replacement>): string => {
  const offsets = toRawOffsets(
    raw,
    replacements.flatMap(({ end, start }) => [start, end])
  )
  const fileUsesCrLf = usesCrLf(raw) ?? false
  let result = ""
  let copied = 0
  for (const [index, { newText }] of replacements.entries()) {
    const start = offsets[index * 2] ?? 0
    const end = offsets[index * 2 + 1] ?? start
    const crLf = usesCrLf(raw.slice(start, end)) ?? fileUsesCrLf
    const lineFeeds = toLineFeeds(newText)
    result += raw.slice(copied, start) + (crLf ? lineFeeds.replaceAll("\n", "\r\n") : lineFeeds)
    copied = end
  }
  return result + raw.slice(copied)
}
