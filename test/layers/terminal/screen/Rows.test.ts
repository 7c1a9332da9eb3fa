import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Rows from "../../../../src/layers/terminal/screen/Rows.ts"
import * as Style from "../../../../src/layers/terminal/screen/Style.ts"

describe("rows", () => {
  it("text of others loses everything but characters, line feeds and tabs", () => {
    assert.strictEqual(Rows.clean("a\u001b[31mb\u001b]0;t\u0007c\u0000\u0008\u0085d\u202ee\tf\ng"), "abcde\tf\ng")
    FastCheck.assert(
      FastCheck.property(
        FastCheck.fullUnicodeString(),
        FastCheck.constantFrom("\u001b[", "\u001b]", "\u009b", "\r", ""),
        (one, other) => {
          assert.notMatch(Rows.clean(one + other + one), /(?![\n\t])\p{Cc}/u)
        }
      )
    )
  })

  it("a line that redraws itself is shown as it is left", () => {
    assert.strictEqual(Rows.clean("10%\r50%\r100%\r\ndone\r\n"), "100%\ndone\n")
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
