/** Text of others as rows for the terminal: without control characters, and no wider than the screen. Pure. */
import * as TextWidth from "../../platform/modules/TextWidth.ts"

/** Control characters but line feed and tab, and marks that reverse the direction of the text behind them. */
const controls = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const style = new RegExp(String.raw`^\u001b\[[\d;:]*m$`)
/** Whole sequences first, so that nothing of them is left as text. */
const escapes = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]|(?!\n)\p{Cc}`, "gu")

/** How a program that redraws its line with carriage returns leaves it. */
const lastState = (line: string): string => {
  const ended = line.endsWith("\r") ? line.slice(0, -1) : line
  return ended.slice(ended.lastIndexOf("\r") + 1)
}

const withoutReturns = (text: string): string =>
  text.includes("\r") ? text.split("\n").map(lastState).join("\n") : text

/** The text without anything that could move the cursor, change colours or hide text. Line feeds and tabs stay. */
export const clean = (text: string): string => withoutReturns(TextWidth.withoutSequences(text)).replaceAll(controls, "")

/** The same on one line. */
export const oneLine = (text: string): string => clean(text).replaceAll(/\s+/g, " ").trim()

/** The last gate before the terminal: of all control sequences only styles pass, and no line feed. */
export const guarded = (row: string): string =>
  row.replaceAll(escapes, (sequence) => (style.test(sequence) ? sequence : "")).replaceAll("\n", " ")

const expandTabs = (text: string): string => text.replaceAll("\t", "    ")

/** Breaks lines at spaces. Rows of an indented line are indented, too. */
export const wrap = (text: string, width: number): ReadonlyArray<string> =>
  expandTabs(text)
    .split("\n")
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(width / 2)) ?? ""
      const rows = TextWidth.wrap(line.slice(indent.length), Math.max(1, width - indent.length)).split("\n")
      return rows.map((row) => indent + row)
    })

/** Breaks lines where they are full, for code and output. */
export const chop = (text: string, width: number): ReadonlyArray<string> =>
  expandTabs(text)
    .split("\n")
    .flatMap((line) => (TextWidth.cells(line) <= width ? [line] : TextWidth.chop(line, Math.max(1, width)).split("\n")))

/** One row; a text that is too long ends with a mark. */
export const fit = (text: string, width: number): string => TextWidth.cut(text, Math.max(1, width))

/** Puts `first` before the first row, and as many spaces before the others. */
export const hang = (first: string, rows: ReadonlyArray<string>): ReadonlyArray<string> => {
  const indent = " ".repeat(TextWidth.cells(first))
  return rows.map((row, at) => (at === 0 ? first : indent) + row)
}
