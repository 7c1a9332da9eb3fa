import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Diff from "../../../../src/layers/tools/edit/Diff.ts"

const numbered = (count: number, change: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, i) => `${change[i + 1] ?? i + 1}\n`).join("")

it("shows changes with three lines around them", () => {
  assert.deepStrictEqual(Diff.make(numbered(9), numbered(9, { 5: "five" })), {
    diff: "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    firstChangedLine: 5,
    added: 1,
    removed: 1
  })
})

it("joins what is near, parts what is far", () => {
  const far = Diff.make(numbered(20), numbered(20, { 2: "two", 10: "ten" }))
  assert.strictEqual(far.diff.match(/^@@.*@@$/gm)?.join(), "@@ -1,5 +1,5 @@,@@ -7,7 +7,7 @@")
  const near = Diff.make(numbered(20), numbered(20, { 2: "two", 9: "nine" }))
  assert.strictEqual(near.diff.match(/^@@.*@@$/gm)?.join(), "@@ -1,12 +1,12 @@")
})

it("files that begin, end, or lack a last newline", () => {
  const cases = [
    ["", "a\n", "@@ -0,0 +1 @@\n+a\n", 1, 1, 0],
    ["a\n", "", "@@ -1 +0,0 @@\n-a\n", 1, 0, 1],
    ["a\nb\n", "a\n", "@@ -1,2 +1 @@\n a\n-b\n", 2, 0, 1],
    ["a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", 1, 1, 1],
    ["a\nb", "x\nb", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n", 1, 1, 1],
    ["same\n", "same\n", "", 1, 0, 0]
  ] as const
  for (const [before, after, diff, firstChangedLine, added, removed] of cases) {
    assert.deepStrictEqual(Diff.make(before, after), { diff, firstChangedLine, added, removed })
  }
})

/** What `patch` does with a diff that has the right line numbers. */
const patch = (before: string, diff: string) => {
  const old = before.split("\n").slice(0, -1)
  const result: Array<string> = []
  let at = 0
  for (const line of diff.split("\n").slice(0, -1)) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$/.exec(line)
    if (header !== null) {
      const start = Number(header[1]) - (header[2] === "0" ? 0 : 1)
      while (at < start) result.push(old[at++] ?? "?")
    } else if (line.startsWith("+")) result.push(line.slice(1))
    else {
      assert.strictEqual(line.slice(1), old[at++])
      if (line.startsWith(" ")) result.push(line.slice(1))
    }
  }
  return [...result, ...old.slice(at)].map((line) => `${line}\n`).join("")
}

const lines = fc
  .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 })
  .map((all) => all.map((line) => `${line}\n`).join(""))

it("property: the diff, applied to the old text, gives the new one, and is the shortest", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const { diff } = Diff.make(before, after)
      assert.strictEqual(patch(before, diff), after)
      const changes = diff.split("\n").filter((line) => /^[+-]/.test(line)).length
      assert.strictEqual(changes, distance(before.split("\n"), after.split("\n")))
    })
  )
})

const distance = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (const [i, left] of a.entries()) {
    const next = [i + 1]
    for (const [j, right] of b.entries()) {
      next.push(left === right ? (row[j] ?? 0) : Math.min(row[j + 1] ?? 0, next[j] ?? 0) + 1)
    }
    row = next
  }
  return row[b.length] ?? 0
}

it("a file that is all different is one block, in time that does not explode", () => {
  const began = performance.now()
  const after = numbered(50_000).replaceAll("\n", "!\n")
  assert.strictEqual(patch(numbered(50_000), Diff.make(numbered(50_000), after).diff), after)
  assert.isBelow(performance.now() - began, 5000)
})
