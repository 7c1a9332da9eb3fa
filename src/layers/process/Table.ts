/** Columns of text, as wide as their widest cell. Pure. */

export const render = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths: Array<number> = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  }
  const line = (row: ReadonlyArray<string>) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
  return rows.map((row) => line(row).trimEnd()).join("\n")
}
