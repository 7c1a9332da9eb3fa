/**
 * A terminal as far as heddle uses one: it keeps scrollback and screen, breaks and joins rows when its width changes, and
 * writes down every sequence that it does not know, so that a test can say that there was none.
 */
export interface Cell {
  readonly text: string
  /** Parameters of the styles in force, such as `1` or `38;5;215`. */
  readonly style: ReadonlyArray<string>
}

interface Row {
  cells: Array<Cell>
  /** The line goes on in the next row. */
  wraps: boolean
}

export interface VirtualTerminal {
  readonly write: (text: string) => void
  readonly resize: (columns: number, rows: number) => void
  /** Scrollback and screen, without spaces at the ends of rows and empty rows at the end. */
  readonly text: () => string
  /** The rows that are visible. */
  readonly screen: () => ReadonlyArray<string>
  readonly cells: () => ReadonlyArray<ReadonlyArray<Cell>>
  /** In the visible rows, from 0. */
  readonly cursor: () => { readonly row: number; readonly column: number }
  readonly modes: ReadonlySet<string>
  /** Sequences and control characters that heddle has no reason to send. */
  readonly unknown: ReadonlyArray<string>
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const sequence = new RegExp(String.raw`\u001b\[([<-?]?)([\d;:]*)[ -/]*([@-~])`, "y")
const other = new RegExp(String.raw`\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[P^_X][^\u001b]*\u001b\\|.)`, "sy")
const plain = /\P{Cc}+/uy
const knownModes = new Set(["?7", "?25", "?2004", "?2026"])

const empty = (): Row => ({ cells: [], wraps: false })
const blank: Cell = { text: " ", style: [] }

/** The styles after a sequence of them. */
const restyled = (style: ReadonlyArray<string>, parameters: string): ReadonlyArray<string> => {
  if (parameters === "" || parameters === "0") return []
  const off: Readonly<Record<string, RegExp>> = {
    22: /^[12]$/,
    23: /^3$/,
    24: /^4$/,
    29: /^9$/,
    39: /^(?:3[0-7]|38;.*|9\d)$/,
    49: /^(?:4[0-7]|48;.*)$/
  }
  const whole = /^[34]8;/.test(parameters) ? [parameters] : parameters.split(";")
  return whole.reduce<ReadonlyArray<string>>((before, code) => {
    const gone = off[code]
    if (code === "0") return []
    return gone === undefined ? [...before, code] : before.filter((one) => !gone.test(one))
  }, style)
}

export const make = (columns: number, height: number): VirtualTerminal => {
  let [width, visible] = [columns, height]
  let rows: Array<Row> = [empty()]
  /** The first visible row; the cursor is counted in all rows. */
  let top = 0
  let at = { row: 0, column: 0 }
  let style: ReadonlyArray<string> = []
  let rest = ""
  const modes = new Set(["?7"])
  const unknown: Array<string> = []

  const rowAt = (index: number): Row => {
    while (rows.length <= index) rows.push(empty())
    return rows[index] ?? empty()
  }
  const newLine = () => {
    at = { ...at, row: at.row + 1 }
    rowAt(at.row)
    if (at.row >= top + visible) top = at.row - visible + 1
  }
  const put = (text: string) => {
    const cells = Bun.stringWidth(text)
    if (at.column + cells > width && !modes.has("?7")) at = { ...at, column: width - cells }
    if (at.column + cells > width) {
      rowAt(at.row).wraps = true
      newLine()
      at = { ...at, column: 0 }
    }
    const { cells: line } = rowAt(at.row)
    while (line.length < at.column) line.push(blank)
    line[at.column] = { text, style }
    for (let more = 1; more < cells; more++) line[at.column + more] = { text: "", style }
    at = { ...at, column: at.column + cells }
  }

  const erase = (how: string) => {
    if (how === "2") {
      // As most terminals do, keep what was there in the scrollback.
      top = rows.length
      at = { row: top + at.row - Math.max(0, rows.length - visible), column: at.column }
      rowAt(top)
      return
    }
    const line = rowAt(at.row)
    line.cells.length = Math.min(line.cells.length, at.column)
    line.wraps = false
    rows.length = at.row + 1
  }

  const control = (prefix: string, parameters: string, final: string, all: string) => {
    const count = Number(parameters || "1")
    const clamp = (row: number) => Math.max(top, Math.min(top + visible - 1, row))
    switch (final) {
      case "A":
        at = { ...at, row: clamp(at.row - count) }
        break
      case "B":
        at = { ...at, row: clamp(at.row + count) }
        break
      case "C":
        at = { ...at, column: Math.min(width - 1, at.column + count) }
        break
      case "H":
        at = { row: top, column: 0 }
        break
      case "K":
        rowAt(at.row).cells.length = Math.min(rowAt(at.row).cells.length, at.column)
        rowAt(at.row).wraps = false
        break
      case "J":
        erase(parameters)
        break
      case "m":
        if (prefix === "") style = restyled(style, parameters)
        else unknown.push(all)
        break
      case "h":
      case "l":
        if (!knownModes.has(prefix + parameters)) unknown.push(all)
        else if (final === "h") modes.add(prefix + parameters)
        else modes.delete(prefix + parameters)
        break
      default:
        unknown.push(all)
    }
  }

  const write = (chunk: string) => {
    const text = rest + chunk
    rest = ""
    const match = (pattern: RegExp, index: number) => {
      pattern.lastIndex = index
      return pattern.exec(text)
    }
    for (let index = 0; index < text.length;) {
      const run = match(plain, index)
      const found = run ?? match(sequence, index)
      if (run !== null) for (const { segment } of graphemes.segment(run[0])) put(segment)
      else if (found !== null) control(found[1] ?? "", found[2] ?? "", found[3] ?? "", found[0])
      else if (text[index] === "\r") at = { ...at, column: 0 }
      else if (text[index] === "\n") newLine()
      else if (text[index] === "\u001b" && text.length - index < 16 && !/[@-~]$/.test(text.slice(index + 2))) {
        rest = text.slice(index)
        return
      } else unknown.push(match(other, index)?.[0] ?? text[index] ?? "")
      index += found?.[0].length ?? (text[index] === "\u001b" ? (match(other, index)?.[0].length ?? 1) : 1)
    }
  }

  const textOf = ({ cells }: Row) =>
    cells
      .map((cell) => cell.text)
      .join("")
      .trimEnd()

  const resize = (nextWidth: number, nextHeight: number) => {
    const out: Array<Row> = []
    let cursor = at
    let line: Array<Cell> = []
    let cursorIn: number | undefined
    rows.forEach((row, index) => {
      if (index === at.row) cursorIn = line.length + at.column
      line.push(...row.cells)
      if (row.wraps && index < rows.length - 1) return
      const start = out.length
      for (let from = 0; from === 0 || from < line.length; from += nextWidth) {
        out.push({ cells: line.slice(from, from + nextWidth), wraps: from + nextWidth < line.length })
      }
      if (cursorIn !== undefined) {
        cursor = { row: start + Math.floor(cursorIn / nextWidth), column: cursorIn % nextWidth }
      }
      line = []
      cursorIn = undefined
    })
    rows = out
    ;[width, visible] = [nextWidth, nextHeight]
    at = cursor
    rowAt(at.row)
    top = Math.max(0, rows.length - visible)
  }

  return {
    write,
    resize,
    text: () => rows.map(textOf).join("\n").trimEnd(),
    screen: () => rows.slice(top, top + visible).map(textOf),
    cells: () => rows.map(({ cells }) => cells),
    cursor: () => ({ row: at.row - top, column: at.column }),
    modes,
    unknown
  }
}
