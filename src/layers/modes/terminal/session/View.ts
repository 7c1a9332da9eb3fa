/** What the person sees below the scrollback, from the state of the session. Pure. */
import type { MessageQueue } from "../../../../domain/conversation/MessageQueue.ts"
import * as Text from "../../../../domain/Text.ts"
import { defined } from "../../../../domain/Values.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import type { Dialogs } from "../input/Dialogs.ts"
import type { PromptLine } from "../input/PromptLine.ts"
import type { Live } from "../screen/Painter.ts"
import * as Rows from "../screen/Rows.ts"
import { prompt } from "../screen/Screen.ts"
import type { Style } from "../screen/Style.ts"
import * as StatusLine from "../view/StatusLine.ts"
import type { Transcript } from "../view/Transcript.ts"
import type { Figures } from "./Status.ts"
import type { TerminalUi } from "./TerminalUi.ts"

export interface State {
  readonly cwd: string
  readonly style: Style
  readonly width: number
  readonly height: number
  /** The size of the window changes: rows are to fit into the next one, too. */
  readonly isMoving: boolean
  readonly figures: Figures
  readonly queue: MessageQueue | undefined
  /** Undefined while nothing runs. */
  readonly workingMs: number | undefined
  /** The next Ctrl-C leaves. */
  readonly isLeaving: boolean
}

export interface Sources {
  readonly line: PromptLine
  readonly dialogs: Dialogs
  readonly terminalUi: TerminalUi
  readonly transcript: Transcript
}

const mostQueueRows = 3

const queueRows = ({ queue, style, width }: State): ReadonlyArray<string> => {
  if (queue === undefined) return []
  const waiting = [...queue.steering, ...queue.followUp]
  const rows = waiting.slice(0, mostQueueRows).map(({ text }) => `${style.symbols.below} queued: ${Text.oneLine(text)}`)
  const more = waiting.length - rows.length
  return [...rows, ...(more > 0 ? [`  and ${more} more`] : [])].map((row) => style.dim(Rows.fit(row, width)))
}

const workingRows = ({ style, width, workingMs }: State): ReadonlyArray<string> => {
  if (workingMs === undefined) return []
  const time = workingMs < 1000 ? "" : ` ${Math.floor(workingMs / 1000)} s`
  return ["", style.dim(Rows.fit(`${style.symbols.running} working${time} · Ctrl-C aborts · Enter steers`, width))]
}

/** Below the home folder it begins with `~`. */
const shortFolder = (cwd: string): string => {
  const home = LocalPaths.home()
  return cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd
}

const statusRow = ({ cwd, figures, isLeaving, style, width }: State): string =>
  isLeaving
    ? style.warning(Rows.fit("Press Ctrl-C again to leave.", width))
    : style.dim(StatusLine.render({ ...figures, folder: shortFolder(cwd) }, width))

/** What extensions have to say, on one row. */
const stateRows = (states: ReadonlyArray<string>, { style, width }: State): ReadonlyArray<string> =>
  states.length === 0 ? [] : [style.dim(Rows.fit(states.map(Text.oneLine).join(" · "), width))]

/** The rows below the scrollback, from top to bottom: what runs, what waits, the prompt or a question, the status. */
interface RowParts {
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
export const compose = ({ above, below, field, running }: RowParts, height: number): Live => {
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

export const live = (now: State, { dialogs, line, terminalUi, transcript }: Sources): Live => {
  const { height, isMoving, workingMs } = now
  // A row that fits into the next size, too, is not broken.
  const width = isMoving ? Math.floor(now.width / 2) : now.width
  const state = { ...now, width }
  const field = dialogs.live({ width, mostRows: Math.max(4, height - 4) }) ?? {
    ...line.live({ width, mostRows: Math.max(1, Math.floor(height / 2) - 2), prompt }),
    invitation: workingMs === undefined ? ["", prompt] : []
  }
  const widgets = (placement: "aboveEditor" | "belowEditor") =>
    terminalUi.widgets(placement).map((row) => Rows.fit(Text.printable(row), width))
  const live = compose(
    {
      running: isMoving ? [] : transcript.live(),
      above: [...(dialogs.isOpen() ? [] : workingRows(state)), ...queueRows(state), ...widgets("aboveEditor"), ""],
      field,
      below: [...widgets("belowEditor"), statusRow(state), ...stateRows(terminalUi.states(), state)]
    },
    height
  )
  return { ...live, isMoving }
}
