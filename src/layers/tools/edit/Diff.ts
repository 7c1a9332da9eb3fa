/** Line differences for people and hosts, in the form of `diff -u` without its two header lines. */

/** With more differences the change is shown as one block: time and memory of the search grow with their square. */
const mostChanges = 500
const contextLines = 3

interface Change {
  readonly kind: "removed" | "added"
  /** The first line in the old and in the new text, and the number of lines. */
  readonly oldAt: number
  readonly newAt: number
  readonly count: number
}

type Lines = ReadonlyArray<string>

/** Myers: how far each diagonal gets with d changes, for every d up to the answer. Undefined when there is none near. */
const search = (a: Lines, b: Lines): ReadonlyArray<Int32Array> | undefined => {
  const most = Math.min(mostChanges, a.length + b.length)
  const reach = new Int32Array(2 * most + 3)
  const trace: Array<Int32Array> = []
  for (let d = 0; d <= most; d++) {
    trace.push(reach.slice(most - d, most + d + 3))
    for (let k = -d; k <= d; k += 2) {
      const at = k + most + 1
      const down = reach[at + 1] ?? 0
      const right = (reach[at - 1] ?? 0) + 1
      let x = k === -d || (k !== d && right <= down) ? down : right
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      reach[at] = x
      if (x >= a.length && x - k >= b.length) return trace
    }
  }
  return undefined
}

/** Walks back through the trace; the changes come out in reverse. */
const backtrack = (a: Lines, b: Lines, trace: ReadonlyArray<Int32Array>): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  let x = a.length
  let y = b.length
  for (let d = trace.length - 1; d > 0; d--) {
    const reach = (k: number) => trace[d]?.[k + d + 1] ?? 0
    const k = x - y
    const down = k === -d || (k !== d && reach(k - 1) + 1 <= reach(k + 1))
    const startX = down ? reach(k + 1) : reach(k - 1) + 1
    const startY = startX - k
    x = down ? startX : startX - 1
    y = down ? startY - 1 : startY
    changes.push({ kind: down ? "added" : "removed", oldAt: x, newAt: y, count: 1 })
  }
  return changes.toReversed()
}

const block = (a: Lines, b: Lines): ReadonlyArray<Change> => [
  { kind: "removed", oldAt: 0, newAt: 0, count: a.length },
  { kind: "added", oldAt: a.length, newAt: 0, count: b.length }
]

const compare = (a: Lines, b: Lines): ReadonlyArray<Change> => {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const middleA = a.slice(head, a.length - tail)
  const middleB = b.slice(head, b.length - tail)
  const trace = search(middleA, middleB)
  const middle = trace === undefined ? block(middleA, middleB) : backtrack(middleA, middleB, trace)
  return middle.map((change) => ({ ...change, oldAt: change.oldAt + head, newAt: change.newAt + head }))
}

/** The lines; a last line without LF gets the remark of `diff`. */
const split = (text: string): Lines => {
  const lines = text.split("\n")
  const last = lines.pop() ?? ""
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`]
}

/** Changes so near to each other that their context would touch. */
const group = (changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<Change>> => {
  const groups: Array<Array<Change>> = []
  let end = 0
  for (const change of changes) {
    const current = groups.at(-1)
    if (current !== undefined && change.oldAt - end <= 2 * contextLines) current.push(change)
    else groups.push([change])
    end = change.oldAt + (change.kind === "removed" ? change.count : 0)
  }
  return groups
}

const range = (at: number, count: number) => (count === 1 ? String(at + 1) : `${count === 0 ? at : at + 1},${count}`)

const hunk = (a: Lines, b: Lines, changes: ReadonlyArray<Change>): string => {
  const [first] = changes
  if (first === undefined) return ""
  const before = Math.min(contextLines, first.oldAt)
  const lines: Array<string> = []
  let at = first.oldAt - before
  let growth = 0
  const takeOld = (sign: string, end: number) => {
    while (at < end) lines.push(`${sign}${a[at++]}`)
  }
  for (const { count, kind, newAt, oldAt } of changes) {
    takeOld(" ", oldAt)
    if (kind === "removed") takeOld("-", oldAt + count)
    else for (const line of b.slice(newAt, newAt + count)) lines.push(`+${line}`)
    growth += kind === "removed" ? -count : count
  }
  takeOld(" ", Math.min(a.length, at + contextLines))
  const oldCount = at - first.oldAt + before
  const header = `@@ -${range(first.oldAt - before, oldCount)} +${range(first.newAt - before, oldCount + growth)} @@`
  return `${header}\n${lines.join("\n")}\n`
}

export interface Difference {
  readonly diff: string
  /** Counted from 1 in the new text; the line after the end when only the end was removed. */
  readonly firstChangedLine: number
  /** How many lines. */
  readonly added: number
  readonly removed: number
}

/** Both texts with LF only. */
export const make = (before: string, after: string): Difference => {
  const a = split(before)
  const b = split(after)
  const changes = compare(a, b)
  const count = (kind: Change["kind"]) => changes.reduce((sum, one) => sum + (one.kind === kind ? one.count : 0), 0)
  return {
    diff: group(changes)
      .map((near) => hunk(a, b, near))
      .join(""),
    firstChangedLine: (changes[0]?.newAt ?? 0) + 1,
    added: count("added"),
    removed: count("removed")
  }
}
