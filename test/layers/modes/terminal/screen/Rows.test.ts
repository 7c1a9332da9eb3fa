import { assert, describe, it } from "@effect/vitest"
import * as Rows from "../../../../../src/layers/modes/terminal/screen/Rows.ts"
import * as Style from "../../../../../src/layers/modes/terminal/screen/Style.ts"

describe("rows", () => {
  it("a line that redraws itself is shown as it is left", () => {
    assert.strictEqual(Rows.settled("10%\r50%\r100%\r\ndone\r\n"), "100%\ndone\n")
  })

  it("breaks at spaces and keeps the indentation; long words are broken", () => {
    assert.deepStrictEqual(Rows.wrap("  one two three", 9), ["  one two", "  three"])
    assert.deepStrictEqual(Rows.wrap("abcdefghij", 4), ["abcd", "efgh", "ij"])
  })

  it("code is broken where a row is full", () => {
    assert.deepStrictEqual(Rows.chop("a  b  c\n\tx", 4), ["a  b", "  c", "    ", "x"])
  })

  it("colours are off with NO_COLOR and on dumb terminals", () => {
    assert.deepStrictEqual(Style.lookOf({ noColor: undefined, term: "xterm" }), { plain: false, colors: true })
    assert.deepStrictEqual(Style.lookOf({ noColor: "1", term: "xterm" }), { plain: false, colors: false })
    assert.deepStrictEqual(Style.lookOf({ noColor: undefined, term: "dumb" }), { plain: true, colors: false })
    assert.deepStrictEqual(Style.lookOf({ noColor: undefined, term: undefined }), { plain: true, colors: false })
  })
})
