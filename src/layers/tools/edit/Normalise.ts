/** Undoes what models change when they copy text: typographic quotes, dashes and spaces, spaces at line ends. */

export interface Normalised {
  readonly text: string
  /** Positions in `text` before which characters were removed, in ascending order. */
  readonly cuts: ReadonlyArray<number>
  /** The number of characters removed up to and including the cut of the same index. */
  readonly dropped: ReadonlyArray<number>
}

const singleQuotes = /[\u2018-\u201B\u2032]/g
const doubleQuotes = /[\u201C-\u201F\u2033]/g
const dashes = /[\u2010-\u2015\u2212]/g
const spaces = /[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g

/** Each character becomes one character: offsets stay. */
const plainCharacters = (text: string): string =>
  text.replace(singleQuotes, "'").replace(doubleQuotes, '"').replace(dashes, "-").replace(spaces, " ")

const isBlank = (char: string | undefined) => char === " " || char === "\t"

/** The last line keeps the spaces at its end: in a piece of text they may stand in the middle of a line. */
export const withinLines = (text: string): string => plainCharacters(text).replace(/[ \t]+(?=\n)/g, "")

export const make = (original: string): Normalised => {
  const plain = plainCharacters(original)
  const cuts: Array<number> = []
  const dropped: Array<number> = []
  let text = ""
  let total = 0
  let from = 0
  while (from <= plain.length) {
    const found = plain.indexOf("\n", from)
    const end = found === -1 ? plain.length : found
    let kept = end
    while (kept > from && isBlank(plain[kept - 1])) kept--
    text += plain.slice(from, kept)
    if (kept < end) {
      total += end - kept
      cuts.push(text.length)
      dropped.push(total)
    }
    if (found === -1) break
    text += "\n"
    from = end + 1
  }
  return { text, cuts, dropped }
}

/** The offset in the original of a character of the normalised text. */
export const originalOffset = ({ cuts, dropped }: Normalised, offset: number): number => {
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((cuts[middle] ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return offset + (dropped[low - 1] ?? 0)
}
