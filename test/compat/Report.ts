/** What the run prints: a line for each behaviour, a table, and the closing line. */
import type { Result } from "./Runner.ts"

export const line = ({ ms, number, reason, title }: Result): string =>
  `${reason === undefined ? "pass" : "FAIL"}  ${number}  ${title}  (${(ms / 1000).toFixed(1)} s)${
    reason === undefined ? "" : `\n        ${reason}`
  }`

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [head, ...rows]
  const widths = head.map((_, at) => Math.max(...all.map((cells) => cells[at]?.length ?? 0)))
  const row = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd()
  return all.map(row).join("\n")
}

/** One row a package. */
export const summary = (results: ReadonlyArray<Result>): string => {
  const rows = [...Map.groupBy(results, ({ number }) => number).values()].map((group) => {
    const failed = group.filter(({ reason }) => reason !== undefined).length
    const [first] = group
    return [`${first?.number}`, first?.name ?? "", `${group.length - failed}`, `${failed}`]
  })
  return table(["#", "package", "passed", "failed"], rows)
}

export const closing = (reasons: ReadonlyArray<string | undefined>): string => {
  const failed = reasons.filter((reason) => reason !== undefined).length
  return `${reasons.length - failed} passed, ${failed} failed`
}
