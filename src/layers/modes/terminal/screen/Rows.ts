/** Text as rows that are no wider than the screen. Pure. */
import * as Text from "../../../../domain/Text.ts"
import * as TerminalText from "../../../machine/foreign/modules/TerminalText.ts"

/** How a program that redraws its line with carriage returns leaves it. */
const lastState = (line: string): string => {
  const ended = line.endsWith("\r") ? line.slice(0, -1) : line
  return ended.slice(ended.lastIndexOf("\r") + 1)
}

/** Output of a program, as a terminal would show it in the end. */
export const settled = (text: string): string =>
  Text.printable(text.includes("\r") ? text.split("\n").map(lastState).join("\n") : text)

const expandTabs = (text: string): string => text.replaceAll("\t", "    ")

/** Breaks lines at spaces. Rows of an indented line are indented, too. */
export const wrap = (text: string, width: number): ReadonlyArray<string> =>
  expandTabs(text)
    .split("\n")
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(width / 2)) ?? ""
      const rows = TerminalText.wrap(line.slice(indent.length), Math.max(1, width - indent.length)).split("\n")
      return rows.map((row) => indent + row)
    })

/** Breaks lines where they are full, for code and output. */
export const chop = (text: string, width: number): ReadonlyArray<string> =>
  expandTabs(text)
    .split("\n")
    .flatMap((line) =>
      TerminalText.cells(line) <= width ? [line] : TerminalText.chop(line, Math.max(1, width)).split("\n")
    )

/** One row; a text that is too long ends with a mark. */
export const fit = (text: string, width: number): string => TerminalText.cut(text, Math.max(1, width))

/** Puts `first` before the first row, and as many spaces before the others. */
export const hang = (first: string, rows: ReadonlyArray<string>): ReadonlyArray<string> => {
  const indent = " ".repeat(TerminalText.cells(first))
  return rows.map((row, at) => (at === 0 ? first : indent) + row)
}
