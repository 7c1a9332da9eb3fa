/** Finds the escape sequences in a line of a terminal, and the characters between them as a reader counts them. */
import { cells } from "../../../platform/modules/TerminalText.ts"

/** CSI, then OSC, DCS, APC and PM up to their end, then the two-character sequences. */
const sequences = new RegExp(
  [
    String.raw`\u001b\[[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b[\]P_^][^\u0007\u001b]*(?:\u0007|\u001b\\)`,
    String.raw`\u001b[@-Z\\^_]`
  ].join("|"),
  "g"
)

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** As wide as pi draws it. */
const tab = "   "

export interface Piece {
  readonly kind: "code" | "text"
  readonly text: string
  readonly width: number
}

export const strip = (text: string): string => (text.includes("\u001b") ? text.replaceAll(sequences, "") : text)

export const visibleWidth = (text: string): number => cells(strip(text).replaceAll("\t", tab))

/** The codes of a text as they come, and the visible characters one by one. */
export const pieces = function* (text: string): Generator<Piece> {
  let from = 0
  for (const { 0: code, index } of text.matchAll(sequences)) {
    yield* visible(text.slice(from, index))
    yield { kind: "code", text: code, width: 0 }
    from = index + code.length
  }
  yield* visible(text.slice(from))
}

const visible = function* (text: string): Generator<Piece> {
  for (const { segment } of graphemes.segment(text)) {
    const shown = segment === "\t" ? tab : segment
    yield { kind: "text", text: shown, width: cells(shown) }
  }
}

/** After the escape character. */
const style = /^\[([\d;:]*)m$/

/** Keeps the styles that are in force. A reset drops them all. */
export const makeStyles = () => {
  let codes: Array<string> = []
  return {
    add: (code: string) => {
      const parameters = style.exec(code.slice(1))?.[1]
      if (parameters === undefined) return
      if (parameters === "" || parameters === "0") codes = []
      else codes.push(code)
    },
    opening: () => codes.join("")
  }
}

export const reset = "\u001b[0m"
