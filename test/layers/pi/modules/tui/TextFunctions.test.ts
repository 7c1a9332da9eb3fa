import { assert, describe, it } from "@effect/vitest"
import * as TextFunctions from "../../../../../src/layers/pi/modules/tui/TextFunctions.ts"

const { visibleWidth } = TextFunctions

const red = (text: string) => `\u001b[31m${text}\u001b[0m`
const link = (text: string) => `\u001b]8;;http://x\u0007${text}\u001b]8;;\u0007`

describe("visibleWidth", () => {
  it.each([
    ["", 0],
    ["abc", 3],
    ["a\tb", 5],
    [red("日本"), 4],
    ["👨‍👩‍👧", 2],
    ["e\u0301", 1],
    [link("link"), 4],
    ["\u001b_pi:c\u0007x", 1],
    ["\u001b[2K\u001b[1;31mab", 2]
  ])("%j takes %d cells", (text, width) => assert.strictEqual(visibleWidth(text), width))

  it("without sequences the text stays", () =>
    assert.strictEqual(TextFunctions.stripTerminalSequences(`${red("日")} ${link("x")}\u001b_pi:c\u0007y`), "日 xy"))
})

describe("truncateToWidth", () => {
  it.each([
    ["fits", ["hello", 8], "hello"],
    ["is padded if asked", ["hello", 8, "...", true], "hello   "],
    ["is cut before the dots", ["hello world", 8], "hello..."],
    ["is cut without dots", ["hello world", 8, ""], "hello wo"],
    ["is padded after a wide character", ["日本語", 4, "…", true], "日… "],
    ["has no room but for dots", ["hello", 2], ".."],
    ["has no room at all", ["hello", 0], ""],
    ["closes a style", [red("hello world"), 8], "\u001b[31mhello\u001b[39m..."]
  ] as const)("%s", (_, [text, width, ellipsis, pad], expected) =>
    assert.strictEqual(TextFunctions.truncateToWidth(text, width, ellipsis, pad), expected)
  )
})

describe("wrapTextWithAnsi", () => {
  it.each([
    ["words", "the quick brown fox", 10, ["the quick", "brown fox"]],
    [
      "a style goes on",
      `${red("the quick brown")} fox`,
      10,
      ["\u001b[31mthe quick\u001b[39m", "\u001b[31mbrown\u001b[0m fox"]
    ],
    ["long words are cut", "abcdefghijklmnop", 5, ["abcde", "fghij", "klmno", "p"]],
    ["lines stay lines", "a\n\nb", 5, ["a", "", "b"]],
    ["nothing is one line", "", 5, [""]],
    ["wide characters", "日本語テキスト", 5, ["日本", "語テ", "キス", "ト"]],
    ["spaces inside a line stay", "a  b", 80, ["a  b"]],
    ["an indented line", "  ab cd\nef", 4, ["  ab", "cd", "ef"]],
    ["a width below one", "ab", 0, ["a", "b"]]
  ] as const)("%s", (_, text, width, expected) =>
    assert.deepStrictEqual(TextFunctions.wrapTextWithAnsi(text, width), [...expected])
  )

  it("no line is wider than the width, and no letter is lost", () => {
    const text = "Lorem ipsum 日本語 dolor sit amet, consectetur adipiscing elit".repeat(20)
    for (const width of [2, 3, 7, 20, 79]) {
      const lines = TextFunctions.wrapTextWithAnsi(text, width)
      assert.isTrue(lines.every((line) => visibleWidth(line) <= width))
      assert.strictEqual(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""))
    }
  })
})

it("slices by columns", () => {
  assert.strictEqual(TextFunctions.sliceByColumn("hello", 1, 3), "ell")
  assert.strictEqual(TextFunctions.sliceByColumn(red("hello"), 1, 3), "\u001b[31mell\u001b[39m")
  assert.deepStrictEqual(TextFunctions.sliceWithWidth("日本語", 0, 3, true), { text: "日", width: 2 })
  assert.deepStrictEqual(TextFunctions.sliceWithWidth("日本語", 0, 3), { text: "日本", width: 4 })
})

it("paints a whole line and links a text", () => {
  assert.strictEqual(
    TextFunctions.applyBackgroundToLine("ab", 4, (text) => `<${text}>`),
    "<ab  >"
  )
  assert.strictEqual(visibleWidth(TextFunctions.hyperlink("here", "http://x/y")), 4)
})
