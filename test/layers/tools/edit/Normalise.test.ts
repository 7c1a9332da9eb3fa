import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Normalise from "../../../../src/layers/tools/edit/Normalise.ts"

it("plain quotes, dashes and spaces; nothing at the end of lines", () => {
  const cases = [
    ["‘a’ ‚ “b” „ ′″", `'a' ' "b" " '"`],
    ["a‐b‑c‒d–e—f―g−h", "a-b-c-d-e-f-g-h"],
    ["a\u00A0b\u2009c\u3000d", "a b c d"],
    ["a  \n\tb\t \n  \nc ", "a\n\tb\n\nc"],
    ["a\u00A0\nb", "a\nb"],
    ["", ""],
    ["\n", "\n"]
  ] as const
  for (const [text, expected] of cases) assert.strictEqual(Normalise.make(text).text, expected)
  assert.strictEqual(Normalise.withinLines("a  \nb  "), "a\nb  ")
})

it("property: every character that is left is found in the original, in order", () => {
  const part = fc.constantFrom("a", "b", " ", "  ", "\t", "\n", "“", "–", "🧵")
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const original = parts.join("")
      const normal = Normalise.make(original)
      let last = -1
      for (let i = 0; i < normal.text.length; i++) {
        const at = Normalise.originalOffset(normal, i)
        assert.isAbove(at, last)
        assert.strictEqual(normal.text[i], (original[at] ?? "").replace("“", '"').replace("–", "-"))
        last = at
      }
      assert.strictEqual(Normalise.make(normal.text).text, normal.text)
    })
  )
})
