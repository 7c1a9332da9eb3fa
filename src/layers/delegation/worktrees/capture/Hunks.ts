/** Patches without context, and which of their hunks would take uncommitted lines away. */

export interface Line {
  readonly bytes: Uint8Array
  readonly text: string
}

export interface Hunk {
  /** Those below the header. */
  readonly lines: ReadonlyArray<Line>
  /** How many lines of the old file are before the hunk. */
  readonly before: number
  /** The first line behind the hunk's beginning in the new file, from 1. */
  readonly start: number
  readonly removed: ReadonlyArray<string>
  readonly added: ReadonlyArray<string>
}

/** What a patch says about one file. */
export interface Section {
  readonly head: ReadonlyArray<Line>
  readonly hunks: ReadonlyArray<Hunk>
}

const newline = 10

const linesOf = (patch: Uint8Array): ReadonlyArray<Line> => {
  const utf8 = new TextDecoder()
  const lines: Array<Line> = []
  for (let from = 0; from < patch.length;) {
    const end = patch.indexOf(newline, from)
    const bytes = patch.subarray(from, end < 0 ? patch.length : end + 1)
    lines.push({ bytes, text: utf8.decode(bytes) })
    from += bytes.length
  }
  return lines
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

const hunkOf = ([first, ...lines]: ReadonlyArray<Line>): Hunk => {
  const [, from = "0", gone = "1", at = "0", count = "1"] = header.exec(first?.text ?? "") ?? []
  const removed: Array<string> = []
  const added: Array<string> = []
  lines.forEach(({ text }, index) => {
    // A last line without a newline is another one than the same with it.
    const isOpen = lines[index + 1]?.text.startsWith("\\") === true
    const line = isOpen ? text.slice(1).replace(/\n$/, "") : text.slice(1)
    if (text.startsWith("-")) removed.push(line)
    else if (text.startsWith("+")) added.push(line)
  })
  const before = gone === "0" ? Number(from) : Number(from) - 1
  return { lines, before, start: count === "0" ? Number(at) + 1 : Number(at), removed, added }
}

/** The lines from each one that begins so up to the next one. */
const cutAt = (lines: ReadonlyArray<Line>, beginning: string): ReadonlyArray<ReadonlyArray<Line>> => {
  const cuts = lines.flatMap(({ text }, at) => (text.startsWith(beginning) ? [at] : []))
  return cuts.map((cut, n) => lines.slice(cut, cuts[n + 1]))
}

/** Lines of content begin with a sign, and those of binary files have no blank. */
export const sections = (patch: Uint8Array): ReadonlyArray<Section> =>
  cutAt(linesOf(patch), "diff --git ").map((lines) => {
    const first = lines.findIndex(({ text }) => text.startsWith("@@ "))
    if (first < 0) return { head: lines, hunks: [] }
    return { head: lines.slice(0, first), hunks: cutAt(lines.slice(first), "@@ ").map(hunkOf) }
  })

export const isBinary = ({ head }: Section): boolean => head.some(({ text }) => text.startsWith("GIT binary patch"))

const endOf = ({ added, start }: Hunk) => start + added.length

const common = (one: Hunk, other: Hunk) =>
  Math.max(0, Math.min(endOf(one), endOf(other)) - Math.max(one.start, other.start))

const touches = (one: Hunk, other: Hunk) => one.start <= endOf(other) && other.start <= endOf(one)

/** How many lines of the user the change takes away; `restoring` leads from the changed file to that of the user. */
export const taken = (restoring: Hunk, uncommitted: ReadonlyArray<Hunk>): number =>
  uncommitted.reduce((sum, mine) => sum + common(restoring, mine), 0)

const isWord = /[\p{L}\p{N}]/u

/**
 * Whether the change takes uncommitted lines away without as many in their place, or brings lines back that the user has
 * removed. `uncommitted` leads from what is committed or staged to the file of the user.
 */
export const undoes = (restoring: Hunk, uncommitted: ReadonlyArray<Hunk>): boolean => {
  const theirs = restoring.removed
  if (taken(restoring, uncommitted) > theirs.length) return true
  const gone = uncommitted
    .filter((mine) => touches(restoring, mine))
    .flatMap(({ added, removed }) => removed.filter((line) => !added.includes(line)))
  const back = theirs.filter((line) => gone.includes(line))
  return back.some((line) => isWord.test(line)) || (back.length > 0 && back.length === theirs.length)
}

/** The lines of the user that a hunk is about, for people. */
export const label = ({ added, start }: Hunk): string =>
  added.length > 1 ? `${start}-${start + added.length - 1}` : String(start)

/** git puts a hunk without context where its header says, which counts on all hunks before it. */
const placed = (hunks: ReadonlyArray<Hunk>): ReadonlyArray<Line> => {
  let grown = 0
  return hunks.flatMap(({ added, before, lines, removed }) => {
    const start = (count: number, above: number) => `${count === 0 ? above : above + 1},${count}`
    const text = `@@ -${start(removed.length, before)} +${start(added.length, before + grown)} @@\n`
    grown += added.length - removed.length
    return [{ text, bytes: new TextEncoder().encode(text) }, ...lines]
  })
}

const isMode = /^(old|new) mode /

/** A patch of some hunks, with or without the change of the mode. */
export const patchOf = (
  { head }: Section,
  { hunks, withMode }: { readonly hunks: ReadonlyArray<Hunk>; readonly withMode: boolean }
): ReadonlyArray<Line> => {
  if (hunks.length === 0 && !withMode) return []
  // A patch of the mode alone has no names of files.
  const kept = head.filter(({ text }) =>
    hunks.length === 0 ? !/^(index|---|\+\+\+) /.test(text) : withMode || !isMode.test(text)
  )
  return [...kept, ...placed(hunks)]
}
