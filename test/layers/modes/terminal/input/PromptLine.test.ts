import { assert, describe, it } from "@effect/vitest"
import * as History from "../../../../../src/layers/modes/terminal/input/History.ts"
import * as PromptLine from "../../../../../src/layers/modes/terminal/input/PromptLine.ts"
import * as Style from "../../../../../src/layers/modes/terminal/screen/Style.ts"

const style = Style.make({ colors: false, plain: false })
const open = (...entries: ReadonlyArray<string>) => {
  const line = PromptLine.make(entries, style)
  return {
    ...line,
    type: (text: string) => line.press({ _tag: "Text", text }),
    key: (id: string) => line.press({ _tag: "Key", id }),
    rows: () => line.live({ width: 40, mostRows: 5, prompt: "> " }).rows
  }
}

describe("the prompt", () => {
  it("Enter sends the text and empties the line; an empty line sends nothing", () => {
    const line = open()
    line.type("hello")
    assert.deepStrictEqual(line.key("enter"), { _tag: "Submit", text: "hello" })
    assert.strictEqual(line.editor().text, "")
    line.type("  ")
    assert.isUndefined(line.key("enter"))
  })

  it("Up and Down go through the history, and come back to what was being typed", () => {
    const line = open("one", "two")
    line.type("dra")
    const seen = ["up", "up", "up", "down", "down", "down"].map((id) => {
      line.key(id)
      return line.editor().text
    })
    assert.deepStrictEqual(seen, ["two", "one", "one", "two", "dra", "dra"])
  })

  it("Ctrl-R finds older and older entries; Escape keeps the one that was found", () => {
    const line = open("make tea", "read", "make coffee")
    line.key("ctrl+r")
    line.type("make")
    assert.deepStrictEqual(line.rows(), ["> make coffee", "search: make"])
    line.key("ctrl+r")
    assert.deepStrictEqual(line.rows(), ["> make tea", "search: make"])
    line.type("x")
    assert.deepStrictEqual(line.rows(), ["> make tea", "search: makex (nothing found)"])
    line.key("escape")
    assert.deepStrictEqual(line.rows(), ["> make tea"])
  })

  it("Tab puts in what all candidates share, then one after the other", () => {
    const line = open()
    line.type("/re")
    assert.deepStrictEqual(line.key("tab"), { _tag: "Complete" })
    const items = [
      { value: "/resume ", label: "/resume", description: "Open" },
      { value: "/reset ", label: "/reset" }
    ]
    line.offer({ from: 0, to: 3, items })
    assert.deepStrictEqual(line.rows(), ["> /res", "    /resume  Open", "    /reset"])
    assert.isUndefined(line.key("tab"))
    assert.deepStrictEqual(line.rows(), ["> /resume ", "  ❯ /resume  Open", "    /reset"])
    line.key("shift+tab")
    assert.deepStrictEqual(line.rows(), ["> /reset ", "    /resume  Open", "  ❯ /reset"])
    line.type("x")
    assert.deepStrictEqual(line.rows(), ["> /reset x"])
  })

  it("Ctrl-D leaves only an empty line", () => {
    const line = open()
    line.type("ab")
    line.key("left")
    assert.isUndefined(line.key("ctrl+d"))
    assert.strictEqual(line.editor().text, "a")
    line.key("backspace")
    assert.deepStrictEqual(line.key("ctrl+d"), { _tag: "Leave" })
  })
})

describe("history", () => {
  it("keeps repetitions once", () => {
    assert.deepStrictEqual(History.add(History.make(["a"]), "a").entries, ["a"])
    assert.deepStrictEqual(History.add(History.make(["a", "b"]), "a").entries, ["a", "b", "a"])
  })
})
