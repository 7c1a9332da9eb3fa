/** An editor as rows of the screen, with the position of the cursor. Pure. */
import * as TerminalText from "../../../machine/foreign/modules/TerminalText.ts"
import type { Live } from "../screen/Painter.ts"
import type { Editor } from "./Editor.ts"

export interface RowOptions {
  readonly width: number
  readonly mostRows: number
  /** Stands before the first row; the others are indented by as much. */
  readonly prompt: string
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const shown = (grapheme: string) => (grapheme === "\t" ? "    " : grapheme)

interface Piece {
  readonly text: string
  readonly from: number
}

/** A line in pieces that fit into a row; the last one may be full, and the cursor then stands in the next row. */
const split = (line: string, width: number): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let [text, from, at, taken] = ["", 0, 0, 0]
  for (const { segment } of graphemes.segment(line)) {
    const cells = TerminalText.cells(shown(segment))
    if (taken + cells > width) {
      pieces.push({ text, from })
      ;[text, from, taken] = ["", at, 0]
    }
    text += shown(segment)
    taken += cells
    at += segment.length
  }
  pieces.push({ text, from })
  if (taken >= width) pieces.push({ text: "", from: line.length })
  return pieces
}

/** Where in a line the cursor is: the last piece that begins at it or before it. */
const pieceAt = (pieces: ReadonlyArray<Piece>, column: number): number => {
  let found = 0
  for (const [index, { from }] of pieces.entries()) if (from <= column) found = index
  return found
}

/** The part of a very long line that can be seen, and where it begins: `column` is in its middle. */
const windowOf = (line: string, column: number, room: number) => {
  if (line.length <= 4 * room) return { line, from: 0 }
  const from = Math.max(0, column - room)
  return { line: line.slice(from, column + room), from }
}

/** Of a long text the rows around the cursor. */
export const render = ({ cursor, text }: Editor, { mostRows, prompt, width }: RowOptions): Live => {
  const indent = " ".repeat(TerminalText.cells(prompt))
  const room = Math.max(4, width - indent.length)
  const lines = text.split("\n")
  const current = text.slice(0, cursor).split("\n").length - 1
  const first = Math.max(0, current - mostRows)
  const column = cursor - (text.lastIndexOf("\n", cursor - 1) + 1)
  const rows: Array<string> = []
  let painted = { row: 0, column: 0 }
  for (let at = first; at < Math.min(lines.length, current + mostRows); at++) {
    const { from, line } = windowOf(lines[at] ?? "", at === current ? column : 0, room * mostRows)
    const pieces = split(line, room)
    if (at === current) {
      const index = pieceAt(pieces, column - from)
      const before = line.slice(pieces[index]?.from ?? 0, column - from).replaceAll("\t", "    ")
      painted = { row: rows.length + index, column: indent.length + TerminalText.cells(before) }
    }
    for (const piece of pieces) rows.push((at === 0 && piece.from === 0 ? prompt : indent) + piece.text)
  }
  const top = Math.max(0, Math.min(painted.row - Math.floor(mostRows / 2), rows.length - mostRows))
  return { rows: rows.slice(top, top + mostRows), cursor: { row: painted.row - top, column: painted.column } }
}
