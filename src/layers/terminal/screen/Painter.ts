/**
 * Draws below the scrollback, without an alternate screen: rows that are final are written once and scroll away, the
 * live rows below them (running answer, prompt, status) are replaced in place. Pure but for what it remembers of the
 * last frame.
 */
import * as Text from "../../../domain/Text.ts"
import * as TextWidth from "../../platform/modules/TextWidth.ts"
import type { Size } from "../../platform/stdio/TerminalDevice.ts"

export interface Live {
  readonly rows: ReadonlyArray<string>
  readonly cursor: { readonly row: number; readonly column: number }
  /** What a terminal gets that cannot move its cursor: the rows before the place to type, if something can be typed. */
  readonly invitation?: ReadonlyArray<string>
}

export interface Painter {
  /** The text that brings the terminal from the last frame to this one; empty where nothing changes. */
  readonly frame: (final: ReadonlyArray<string>, live: Live, size: Size) => string
  /** The terminal has moved our rows: a row that does not fit any more was broken into several. */
  readonly resized: (size: Size) => void
  /** Writes final rows in the place of the live ones, for the last time. */
  readonly close: (final: ReadonlyArray<string>) => string
}

const [begin, end] = ["\u001b[?2026h\u001b[?25l", "\u001b[?25h\u001b[?2026l"]
const eraseBelow = "\r\u001b[J"
const newRow = "\r\n"

const up = (count: number) => (count > 0 ? `\u001b[${count}A` : count < 0 ? `\u001b[${-count}B` : "")
const right = (count: number) => (count > 0 ? `\u001b[${count}C` : "")

/** Only what is on the screen can be replaced, so no more rows are live than the screen has, but for one. */
const clip = ({ cursor, rows }: Live, size: Size): Live => {
  const most = Math.max(1, size.rows - 1)
  const dropped = Math.max(0, Math.min(rows.length - most, cursor.row))
  return {
    rows: rows.slice(dropped, dropped + most).map(Text.styled),
    cursor: { row: cursor.row - dropped, column: Math.min(cursor.column, size.columns - 1) }
  }
}

const nothing: Live = { rows: [], cursor: { row: 0, column: 0 } }

const isAsBefore = (one: Live, other: Live, same: number) =>
  same === one.rows.length &&
  same === other.rows.length &&
  one.cursor.row === other.cursor.row &&
  one.cursor.column === other.cursor.column

export const make = (): Painter => {
  let shown = nothing
  /** The row of the cursor below the first live row; after a resize not that of `shown`. */
  let at = 0

  const commonRows = (rows: ReadonlyArray<string>) => {
    let same = 0
    while (same < rows.length && rows[same] === shown.rows[same]) same++
    return same
  }

  const frame = (final: ReadonlyArray<string>, wanted: Live, size: Size): string => {
    const live = clip(wanted, size)
    const same = final.length > 0 ? 0 : commonRows(live.rows)
    if (final.length === 0 && isAsBefore(shown, live, same)) return ""
    // The last row is always written: from there on new rows are begun, to which the cursor could not be moved.
    const from = Math.max(0, Math.min(same, shown.rows.length - 1, live.rows.length - 1))
    const rows = [...final.map(Text.styled), ...live.rows.slice(from)]
    const below = live.rows.length - 1 - live.cursor.row
    const text = up(at - from) + eraseBelow + rows.join(newRow) + up(below) + "\r" + right(live.cursor.column)
    shown = live
    at = live.cursor.row
    return begin + text + end
  }

  return {
    frame,
    resized: ({ columns, rows }) => {
      const taken = (row: string) => Math.max(1, Math.ceil(TextWidth.cells(row) / columns))
      const above = shown.rows.slice(0, at).reduce((sum, row) => sum + taken(row), 0)
      at = Math.min(above + Math.floor(shown.cursor.column / columns), rows - 1)
      shown = nothing
    },
    close: (final) => {
      const rows = final.map((row) => Text.styled(row) + newRow)
      const text = up(at) + eraseBelow + rows.join("")
      shown = nothing
      at = 0
      return text
    }
  }
}
