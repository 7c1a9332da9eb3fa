import { assert, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as Match from "../../../../src/layers/tools/edit/Match.ts"

/** The text after the edits, or the reason against them. */
const edited = (text: string, ...edits: ReadonlyArray<readonly [string, string]>) =>
  Either.match(
    Match.find(
      text,
      edits.map(([oldText, newText]) => ({ oldText, newText }))
    ),
    {
      onLeft: (why) => why,
      onRight: (found) =>
        found.reduceRight(
          (result, { end, newText, start }) => result.slice(0, start) + newText + result.slice(end),
          text
        )
    }
  )

it("finds the one place, in the text as it was", () => {
  assert.strictEqual(edited("one two three", ["two", "2"]), "one 2 three")
  assert.strictEqual(edited("one two three", ["three", "one"], ["one", "three"]), "three two one")
  assert.strictEqual(edited("ab", ["a", "x"], ["b", "y"]), "xy")
  assert.strictEqual(edited("a\nb\n", ["a\r\nb", "c"]), "c\n")
})

it("says what is wrong, and with which edit", () => {
  const found = "It must be the text of the file, spaces and line breaks included."
  const unique = "and must match exactly one. Include more of the lines around it."
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<readonly [string, string]>, string]> = [
    ["abc", [["x", ""]], `oldText was not found. ${found}`],
    [
      "abc",
      [
        ["a", ""],
        ["  ", ""]
      ],
      `edits[1].oldText was not found. ${found}`
    ],
    [
      "if\n    go()\nend",
      [["go()\nstop", ""]],
      `oldText was not found. ${found} Line 2 is like the first line of it, but the rest or the indentation differs.`
    ],
    ["a\nb\na\n", [["a", ""]], `oldText matches 2 places (lines 1, 3) ${unique}`],
    ["aaa", [["aa", ""]], `oldText matches 2 places (lines 1, 1) ${unique}`],
    ["x\n".repeat(7), [["x", ""]], `oldText matches 7 places (lines 1, 2, 3, 4, 5, …) ${unique}`],
    ["x".repeat(5000), [["x", ""]], `oldText matches at least 1000 places (lines 1, 1, 1, 1, 1, …) ${unique}`],
    [
      "abcd",
      [
        ["cd", ""],
        ["abc", ""]
      ],
      "edits[1].oldText and edits[0].oldText overlap. Join them into one edit."
    ],
    [
      "abcd",
      [
        ["bc", ""],
        ["bc", ""]
      ],
      "edits[0].oldText and edits[1].oldText overlap. Join them into one edit."
    ]
  ]
  for (const [text, edits, expected] of cases) assert.strictEqual(edited(text, ...edits), expected)
})

it("takes typographic variants and spaces at line ends for the same when nothing matches exactly", () => {
  const cases = [
    ["say(‘hi’)", "say('hi')", "x", "x"],
    ["a “b” c", 'a "b" c', "x", "x"],
    ["1–2 — 3", "1-2 - 3", "x", "x"],
    ["a\u00A0b", "a b", "x", "x"],
    ["a  \nb\t\nc", "a\nb\nc", "x", "x"],
    ["a\nb", "a  \nb", "x", "x"],
    ["a\nb\n", "a   ", "x", "x\nb\n"],
    ["a  \n“b”  \nc", '"b"', "x", "a  \nx  \nc"],
    ["z  \n“b”\nc", '\n"b"', "\nx", "z  \nx\nc"],
    ["“a” b", '"a" ', "x", "xb"]
  ] as const
  for (const [text, oldText, newText, expected] of cases) {
    assert.strictEqual(edited(text, [oldText, newText]), expected, JSON.stringify(text))
  }
  assert.strictEqual(edited(`'a' ‘a’`, ["'a'", "x"]), "x ‘a’")
  assert.match(edited("‘a’ ‘a’", ["'a'", "x"]), /matches 2 places/)
  assert.match(edited("ab", ["a ", "x"]), /was not found/)
  assert.match(edited("a\n\n\nb", [" \n ", "x"]), /was not found/)
})

it("property: an edit and its reverse give the text back", () => {
  const line = fc.constantFrom("a", "bb", "  c", "“d” ", "", "e–f")
  const lines = fc.array(line, { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(lines, fc.nat(), fc.nat(), fc.string(), (all, x, y, extra) => {
      const text = all.join("\n")
      const [start = 0, end = 0] = [x % text.length || 0, y % (text.length + 1) || 0].toSorted((a, b) => a - b)
      const oldText = text.slice(start, end)
      const newText = `<${extra}>`
      fc.pre(oldText !== "" && text.split(oldText).length === 2 && text.indexOf(oldText) === text.lastIndexOf(oldText))
      const after = edited(text, [oldText, newText])
      assert.strictEqual(after, text.slice(0, start) + newText + text.slice(end))
      assert.strictEqual(edited(after, [newText, oldText]), text)
    })
  )
})
