/** Parses diffs, in the form of `diff -u` or with a line number after each sign. Pure. */

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "hunk"
  readonly before?: number
  readonly after?: number
  readonly text: string
}

const signs: Readonly<Record<string, DiffLine["kind"]>> = { "+": "added", "-": "removed", " ": "same" }
const hunkHeader = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/
const numbered = /^([+\- ])\s*(\d+|\.\.\.)(?: (.*))?$/s

const unified = (lines: ReadonlyArray<string>): ReadonlyArray<DiffLine> => {
  let [before, after] = [1, 1]
  return lines.flatMap((line): ReadonlyArray<DiffLine> => {
    const header = hunkHeader.exec(line)
    if (header !== null) {
      before = Number(header[1])
      after = Number(header[2])
      return [{ kind: "hunk", text: line }]
    }
    const text = line.slice(1)
    switch (signs[line[0] ?? " "]) {
      case "added":
        return [{ kind: "added", after: after++, text }]
      case "removed":
        return [{ kind: "removed", before: before++, text }]
      case "same":
        return [{ kind: "same", before: before++, after: after++, text }]
      default:
        return [{ kind: "hunk", text: line }]
    }
  })
}

const withNumbers = (lines: ReadonlyArray<string>): ReadonlyArray<DiffLine> =>
  lines.map((line) => {
    const [, sign = " ", digits = "", text = ""] = numbered.exec(line) ?? []
    const at = Number(digits)
    if (!Number.isInteger(at) || digits === "") return { kind: "hunk", text: line.trim() }
    if (sign === "+") return { kind: "added", after: at, text }
    return sign === "-" ? { kind: "removed", before: at, text } : { kind: "same", before: at, text }
  })

export const parse = (diff: string): ReadonlyArray<DiffLine> => {
  const lines = diff.replace(/\n$/, "").split("\n")
  // The lines above the first hunk name the files.
  const firstHunk = lines.findIndex((line) => hunkHeader.test(line))
  const isNumbered = firstHunk < 0 && lines.every((line) => numbered.test(line))
  return isNumbered ? withNumbers(lines) : unified(lines.slice(Math.max(0, firstHunk)))
}

/** The diff of an edit that stored none: its old text against its new one. */
export const replacement = (before: string, after: string): ReadonlyArray<DiffLine> => [
  ...before.split("\n").map((text): DiffLine => ({ kind: "removed", text })),
  ...after.split("\n").map((text): DiffLine => ({ kind: "added", text }))
]

export const changes = (lines: ReadonlyArray<DiffLine>): { readonly added: number; readonly removed: number } => ({
  added: lines.filter(({ kind }) => kind === "added").length,
  removed: lines.filter(({ kind }) => kind === "removed").length
})
