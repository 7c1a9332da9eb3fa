import { assert, describe, it } from "@effect/vitest"
import * as Editor from "../../../../../src/layers/modes/terminal/input/Editor.ts"
import * as EditorRows from "../../../../../src/layers/modes/terminal/input/EditorRows.ts"

/** `|` marks the cursor. */
const at = (marked: string): Editor.Editor => ({
  text: marked.replace("|", ""),
  cursor: marked.indexOf("|"),
  killed: ""
})
const shown = ({ cursor, text }: Editor.Editor) => `${text.slice(0, cursor)}|${text.slice(cursor)}`
const press = (marked: string, ...ids: ReadonlyArray<string>) =>
  shown(ids.reduce((editor, id) => Editor.press(editor, id) ?? editor, at(marked)))

describe("the editor", () => {
  const cases: ReadonlyArray<readonly [before: string, ids: ReadonlyArray<string>, after: string]> = [
    ["ab|c", ["left"], "a|bc"],
    ["|abc", ["left"], "|abc"],
    ["a👨‍👩‍👧|b", ["left"], "a|👨‍👩‍👧b"],
    ["a👨‍👩‍👧|b", ["backspace"], "a|b"],
    ["a|\nb", ["right"], "a\n|b"],
    ["ab\ncd|ef", ["ctrl+a"], "ab\n|cdef"],
    ["ab\nc|d\ne", ["ctrl+e"], "ab\ncd|\ne"],
    ["abc\ndef|", ["up"], "abc|\ndef"],
    ["abcdef|\nab", ["down"], "abcdef\nab|"],
    ["one two| three", ["alt+left"], "one |two three"],
    ["one| two three", ["ctrl+right"], "one two| three"],
    ["one/two three|", ["ctrl+w"], "one/two |"],
    ["one two|", ["alt+backspace"], "one |"],
    ["ab|cd\nef", ["ctrl+k"], "ab|\nef"],
    ["ab|\nef", ["ctrl+k"], "ab|ef"],
    ["ab|cd", ["ctrl+u", "ctrl+e", "ctrl+y"], "cdab|"],
    ["ab|cd", ["ctrl+d"], "ab|d"],
    ["abcd|", ["delete"], "abcd|"],
    ["a|b", ["alt+enter"], "a\n|b"],
    ["a|b", ["ctrl+j"], "a\n|b"]
  ]
  for (const [before, ids, after] of cases) {
    it(`${JSON.stringify(before)} ${ids.join(" ")} → ${JSON.stringify(after)}`, () =>
      assert.strictEqual(press(before, ...ids), after))
  }

  it("has no line above the first and none below the last", () => {
    assert.isUndefined(Editor.press(at("ab|c\nd"), "up"))
    assert.isUndefined(Editor.press(at("a\nbc|"), "down"))
  })

  it("takes text without control characters; line ends become line feeds", () => {
    assert.strictEqual(shown(Editor.insert(at("<|>"), "a\r\nb\rc\td\u001b[31me\u0000")), "<a\nb\nc\tde|>")
  })

  it("a backslash before Enter begins a new line", () => {
    const longer = Editor.continued(at("one\\|two"))
    assert.strictEqual(longer === undefined ? "" : shown(longer), "one\n|two")
    assert.isUndefined(Editor.continued(at("one|")))
  })
})

describe("rows of the editor", () => {
  const rows = (marked: string, width: number, mostRows = 10) =>
    EditorRows.render(at(marked), { width, mostRows, prompt: "> " })

  it("breaks long lines, and indents all but the first", () => {
    assert.deepStrictEqual(rows("abcdefgh\nij|", 7), {
      rows: ["> abcde", "  fgh", "  ij"],
      cursor: { row: 2, column: 4 }
    })
  })

  it("a cursor behind a full row stands in the next one", () => {
    assert.deepStrictEqual(rows("abcde|", 7), { rows: ["> abcde", "  "], cursor: { row: 1, column: 2 } })
  })

  it("counts cells, not characters", () => {
    assert.deepStrictEqual(rows("日本|語", 7), { rows: ["> 日本", "  語"], cursor: { row: 1, column: 2 } })
    assert.deepStrictEqual(rows("\t|x", 20).cursor, { row: 0, column: 6 })
  })

  it("shows the rows around the cursor of a long text", () => {
    const lines = Array.from({ length: 1000 }, (_, n) => `line ${n}`)
    const marked = [...lines.slice(0, 500), "|here", ...lines.slice(500)].join("\n")
    assert.deepStrictEqual(rows(marked, 40, 3), {
      rows: ["  line 499", "  here", "  line 500"],
      cursor: { row: 1, column: 2 }
    })
  })

  it("shows the part of a very long line that the cursor is in", () => {
    const { cursor, rows: shown } = rows(`${"a".repeat(500_000)}b|c${"d".repeat(500_000)}`, 40, 3)
    assert.strictEqual(shown.length, 3)
    const before = shown.slice(0, cursor.row).join("") + (shown[cursor.row] ?? "").slice(0, cursor.column)
    assert.match(before.trimEnd(), /a+b$/)
  })
})
