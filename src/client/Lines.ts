/**
 * Splits what a process writes into lines. A line ends at LF and nowhere else: Node's `readline` would also split at
 * U+2028, which is legal inside a JSON string. A chunk may end inside a character. Looks at each byte once.
 */
export interface LineOptions {
  /** Longer lines are skipped while they arrive. In UTF-16 units. */
  readonly maxLength: number
  readonly onLine: (line: string) => void
  /** Gets the beginning of a line that was skipped. */
  readonly onTooLong: (beginning: string) => void
}

export interface Lines {
  readonly push: (chunk: Uint8Array) => void
  /** The end of the output: the last line need not end with LF. */
  readonly end: () => void
}

const keptBeginning = 512

export const make = ({ maxLength, onLine, onTooLong }: LineOptions): Lines => {
  const utf8 = new TextDecoder()
  let parts: Array<string> = []
  let held = 0
  let skipped: string | undefined

  const hold = (text: string) => {
    if (skipped !== undefined || text === "") return
    parts.push(text)
    held += text.length
    if (held <= maxLength) return
    skipped = parts.reduce((all, part) => (all.length < keptBeginning ? all + part : all), "").slice(0, keptBeginning)
    parts = []
  }

  const finish = (last: string) => {
    // Most lines lie within one chunk.
    if (held === 0 && last.length <= maxLength) return onLine(last)
    hold(last)
    const [line, beginning] = [parts.join(""), skipped]
    parts = []
    held = 0
    skipped = undefined
    if (beginning === undefined) onLine(line)
    else onTooLong(beginning)
  }

  const split = (text: string) => {
    let start = 0
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", start)) {
      finish(text.slice(start, at))
      start = at + 1
    }
    hold(start === 0 ? text : text.slice(start))
  }

  return {
    push: (chunk) => split(utf8.decode(chunk, { stream: true })),
    end: () => {
      split(utf8.decode())
      if (held > 0) finish("")
    }
  }
}
