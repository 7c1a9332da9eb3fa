/** What a part of the torture suite counts, and the table that all of them end in. */

export interface Violation {
  readonly what: string
  /** The options of `npm run torture --` that show it again. */
  readonly again: string
}

export interface Figures {
  cases: number
  /** The process ended, or ended in another way than promised. */
  deaths: number
  /** Acknowledged messages, responses and events that did not come, or came twice. */
  lost: number
  /** Waits that took longer than promised. */
  hangs: number
  /** Processes that outlived the agent or the run that started them. */
  left: number
  /** Peak resident memory over that of the idle process, in MB; the highest of all cases. */
  peakMb: number
  /** Round trips of `get_state` in ms, while the attack goes on. */
  readonly stateMs: Array<number>
  readonly violations: Array<Violation>
  /** Further figures of the part, for people. */
  readonly notes: Array<string>
}

export const empty = (): Figures => ({
  cases: 0,
  deaths: 0,
  lost: 0,
  hangs: 0,
  left: 0,
  peakMb: 0,
  stateMs: [],
  violations: [],
  notes: []
})

export type Count = "deaths" | "lost" | "hangs" | "left"

export const p99 = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))]
}

const columns = ["part", "cases", "deaths", "lost", "hangs", "left over", "peak MB", "get_state p99", "violations", "s"]

export const row = (name: string, figures: Figures, seconds: number): ReadonlyArray<string> => {
  const latency = p99(figures.stateMs)
  return [
    name,
    figures.cases.toLocaleString("en"),
    `${figures.deaths}`,
    `${figures.lost}`,
    `${figures.hangs}`,
    `${figures.left}`,
    figures.peakMb.toFixed(0),
    latency === undefined ? "" : `${latency.toFixed(1)} ms`,
    `${figures.violations.length}`,
    seconds.toFixed(0)
  ]
}

/** As Markdown, so that it can be pasted into docs/reliability.md. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [columns, ...rows]
  const widths = columns.map((_, at) => Math.max(...all.map((cells) => cells[at]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`
  const rule = `| ${widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`
  return [line(columns), rule, ...rows.map(line)].join("\n")
}
