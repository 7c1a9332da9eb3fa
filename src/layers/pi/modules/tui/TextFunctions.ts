/** Measures, cuts and wraps text with escape sequences in it, as Bun does. Plain text stays plain: no code is added to it. */
import * as TerminalText from "../../../machine/foreign/modules/TerminalText.ts"

/** APC with the end that pi gives it: its mark of the cursor. For Bun it goes on to the end of the text. */
const marks = new RegExp(String.raw`\u001b_[^\u0007\u001b]*\u0007`, "g")

/** Tabs are as wide as pi draws them. */
const prepared = (text: string) => text.replaceAll(marks, "").replaceAll("\t", "   ")

export const visibleWidth = (text: string): number => TerminalText.cells(prepared(text))

export const stripTerminalSequences = (text: string): string => TerminalText.strip(text.replaceAll(marks, ""))

const padTo = (text: string, width: number, isWanted: boolean) =>
  isWanted ? text + " ".repeat(Math.max(0, width - visibleWidth(text))) : text

/** Of a wide character that does not fit into the last column, `strict` leaves all of it out. */
export const sliceByColumn = (line: string, startCol: number, length: number, strict = false): string => {
  const text = TerminalText.slice(prepared(line), startCol, startCol + length)
  return strict && visibleWidth(text) > length ? sliceByColumn(line, startCol, length - 1) : text
}

export const sliceWithWidth = (line: string, startCol: number, length: number, strict = false) => {
  const text = sliceByColumn(line, startCol, length, strict)
  return { text, width: visibleWidth(text) }
}

export const truncateToWidth = (text: string, maxWidth: number, ellipsis = "...", pad = false): string => {
  if (maxWidth <= 0) return ""
  if (visibleWidth(text) <= maxWidth) return padTo(text, maxWidth, pad)
  const end = sliceByColumn(ellipsis, 0, maxWidth, true)
  return padTo(sliceByColumn(text, 0, maxWidth - visibleWidth(end), true) + end, maxWidth, pad)
}

const noBreak = "\u00a0"

/** Breaks at spaces, and inside words that are longer than a line. Lines stay indented; styles go on in the next line. */
export const wrapTextWithAnsi = (text: string, width: number): Array<string> => {
  const indented = prepared(text).replaceAll(/^ +/gm, (spaces) => noBreak.repeat(spaces.length))
  const lines = TerminalText.wrap(indented, Math.max(1, width)).split("\n")
  return lines.map((line) => line.replace(/^\u00a0+/, (spaces) => " ".repeat(spaces.length)))
}

export const applyBackgroundToLine = (line: string, width: number, background: (text: string) => string): string =>
  background(padTo(line, width, true))

export const hyperlink = (text: string, url: string): string => `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`
