/** The rows below the scrollback, from top to bottom: what runs, what waits, the prompt or a question, the status. Pure. */
import { defined } from "../../../domain/Values.ts"
import type { Live } from "../screen/Painter.ts"

export interface Parts {
  /** The answer that streams in, or the tools that run. */
  readonly running: ReadonlyArray<string>
  readonly above: ReadonlyArray<string>
  readonly field: Live
  readonly below: ReadonlyArray<string>
}

/**
 * The beginning of what runs gives way: its end is what changes. A window that gets narrower breaks rows, and what it then
 * pushes into the scrollback cannot be replaced any more, so what runs has half of the screen.
 */
export const compose = ({ above, below, field, running }: Parts, height: number): Live => {
  const fixed = [...above, ...field.rows, ...below]
  const room = Math.max(0, Math.min(Math.floor(height / 2), height - 1 - fixed.length))
  const shown = running.length <= room ? running : running.slice(running.length - room)
  const before = [...shown, ...above]
  return {
    rows: [...before, ...field.rows, ...below],
    cursor: { row: before.length + field.cursor.row, column: field.cursor.column },
    ...defined({ invitation: field.invitation })
  }
}
