/**
 * Draws below the scrollback, without an alternate screen: rows that are final are written once and scroll away, the
 * live rows below them (running answer, prompt, status) are replaced in place. Pure but for what it remembers of the
 * last frame.
 */
import * as Text from "../../../../domain/Text.ts"
import * as TerminalText from "../../../machine/foreign/modules/TerminalText.ts"
import type { Size } from "../../../machine/stdio/TerminalDevice.ts"

export interface Live {
  readonly rows: ReadonlyArray<string>
  readonly cursor: { readonly row: number; readonly column: number }
  /** The size of the window changes: the cursor is hidden and waits in the first row. */
  readonly isMoving?: boolean
  /** What a terminal gets that cannot move its cursor: the rows before the place to type, if something can be typed. */
  readonly invitation?: ReadonlyArray<string>
}

export interface Painter {
  /** The text that brings the terminal from the last frame to this one; empty where nothing changes. */
  readonly frame: (final: ReadonlyArray<string>, live: Live, size: Size) => string
  /** The terminal has moved our rows: a row that does not fit any more was broken into several. */
  readonly resized: () => void
  /** Writes final rows in the place of the live ones, for the last time. */
  readonly close: (final: ReadonlyArray<string>) => string
}

const [begin, end] = ["\u001b[?2026h\u001b[?25l", "\u001b[?2026l"]
const showCursor = "\u001b[?25h"
/**
 * Live rows are never broken while they are written. A terminal may be narrower than it says (tmux tells programs up to 250
 * ms late), and then the cursor would not find back to the first of them.
 */
const [keepRows, breakRows] = ["\u001b[?7l", "\u001b[?7h"]
/** Not from the first column: tmux would put a screen into the scrollback that is erased from its very beginning. */
const eraseBelow = "\r\u001b[K\u001b[C\u001b[J\r"
const newRow = "\r\n"

const up = (count: number) => (count > 0 ? `\u001b[${count}A` : count < 0 ? `\u001b[${-count}B` : "")
const right = (count: number) => (count > 0 ? `\u001b[${count}C` : "")

interface Shown extends Live {
  readonly isMoving: boolean
}

const top = { row: 0, column: 0 }

/** Only what is on the screen can be replaced, so no more rows are live than the screen has, but for one. */
const clip = ({ cursor, isMoving = false, rows }: Live, size: Size): Shown => {
  const most = Math.max(1, size.rows - 1)
  const dropped = Math.max(0, Math.min(rows.length - most, cursor.row))
  const position = { row: cursor.row - dropped, column: Math.min(cursor.column, size.columns - 1) }
  return { rows: rows.slice(dropped, dropped + most).map(Text.styled), cursor: isMoving ? top : position, isMoving }
}

const nothing: Shown = { rows: [], cursor: top, isMoving: false }

const isAsBefore = (one: Shown, other: Shown, same: number) =>
  same === one.rows.length &&
  same === other.rows.length &&
  one.isMoving === other.isMoving &&
  one.cursor.row === other.cursor.row &&
  one.cursor.column === other.cursor.column

export const make = (): Painter => {
  let shown = nothing
  /** The row of the cursor below the first live row; after a resize not that of `shown`. */
  let at = 0
  let hasMoved = false

  const commonRows = (rows: ReadonlyArray<string>) => {
    let same = 0
    while (same < rows.length && rows[same] === shown.rows[same]) same++
    return same
  }

  /** Terminals that break rows keep the cursor at its character; where it waits in the first row, nothing is to be guessed. */
  const findRows = ({ columns, rows }: Size) => {
    const taken = (row: string) => Math.max(1, Math.ceil(TerminalText.cells(row) / columns))
    const above = shown.rows.slice(0, at).reduce((sum, row) => sum + taken(row), 0)
    at = Math.min(above + Math.floor(shown.cursor.column / columns), rows - 1)
    shown = nothing
    hasMoved = false
  }

  const frame = (final: ReadonlyArray<string>, wanted: Live, size: Size): string => {
    const live = clip(wanted, size)
    if (hasMoved) findRows(size)
    const same = final.length > 0 || live.isMoving ? 0 : commonRows(live.rows)
    if (final.length === 0 && isAsBefore(shown, live, same)) return ""
    // The last row is always written: from there on new rows are begun, to which the cursor could not be moved.
    const from = Math.max(0, Math.min(same, shown.rows.length - 1, live.rows.length - 1))
    const done = final.map((row) => Text.styled(row) + newRow).join("")
    const rows = keepRows + live.rows.slice(from).join(newRow) + breakRows
    const below = live.rows.length - 1 - live.cursor.row
    const text = up(at - from) + eraseBelow + done + rows + up(below) + "\r" + right(live.cursor.column)
    shown = live
    at = live.cursor.row
    return begin + text + (live.isMoving ? "" : showCursor) + end
  }

  return {
    frame,
    resized: () => {
      hasMoved = true
    },
    close: (final) => {
      const rows = final.map((row) => Text.styled(row) + newRow)
      const text = up(at) + eraseBelow + rows.join("")
      shown = nothing
      at = 0
      hasMoved = false
      return text
    }
  }
}
