import { assert, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as TextFile from "../../../../src/layers/tools/edit/TextFile.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const file = (raw: string) => Either.getOrThrow(TextFile.decode(encode(raw)))
const replace = (raw: string, wanted: string, newText: string) => {
  const opened = file(raw)
  const start = opened.text.indexOf(wanted)
  return TextFile.apply(opened, [{ start, end: start + wanted.length, newText }])
}

it("what can be edited, and what cannot", () => {
  const cases: ReadonlyArray<[ReadonlyArray<number>, TextFile.Undecodable]> = [
    [[0xff, 0xfe, 0x61, 0], "utf-16"],
    [[0xfe, 0xff, 0, 0x61], "utf-16"],
    [[0x61, 0, 0x62], "binary"],
    [[0x89, 0x50, 0, 0], "binary"],
    [[0x61, 0xe9, 0x62], "not_utf8"]
  ]
  for (const [bytes, why] of cases) {
    assert.deepStrictEqual(TextFile.decode(Uint8Array.from(bytes)), Either.left(why))
  }
  assert.deepStrictEqual(file("\uFEFFa\r\nb\rc"), { bom: true, raw: "a\r\nb\rc", text: "a\nb\rc" })
  assert.deepStrictEqual(file(""), { bom: false, raw: "", text: "" })
})

it("new lines end like the ones they replace, or like most of the file", () => {
  const cases = [
    ["a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n"],
    ["a\nb\n", "b", "x\r\ny", "a\nx\ny\n"],
    ["a\r\nb\nc\r\n", "b\n", "x\ny\n", "a\r\nx\ny\nc\r\n"],
    ["a\nb\r\nc\n", "\nb", "\nx\ny", "a\nx\ny\r\nc\n"],
    ["a\nb\r\nc\n", "b\n", "x\ny\n", "a\nx\r\ny\r\nc\n"],
    ["a\r\nb", "a", "", "\r\nb"],
    ["a\r\n\r\nb", "\n\n", "\n", "a\r\nb"],
    ["one", "one", "x\ny", "x\ny"],
    ["a\r\r\nb", "b", "x\ny", "a\r\r\nx\r\ny"]
  ] as const
  for (const [raw, wanted, newText, expected] of cases) assert.strictEqual(replace(raw, wanted, newText), expected, raw)
})

const piece = fc.constantFrom("a", "é", "🧵", "\n", "\r\n", "\r", " ", "bc")
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""))

it("property: every byte outside a replaced piece stays", () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), fc.nat(), fc.nat(), (raw, newText, bom, x, y) => {
      const opened = Either.getOrThrow(TextFile.decode(TextFile.encode(bom, raw)))
      assert.deepStrictEqual([opened.bom, opened.raw], [bom, raw])
      const [start = 0, end = 0] = [x, y].map((n) => n % (opened.text.length + 1)).toSorted((a, b) => a - b)
      const result = TextFile.apply(opened, [{ start, end, newText }])
      const head = opened.text.slice(0, start)
      const tail = opened.text.slice(end)
      assert.strictEqual(
        TextFile.toLineFeeds(result).replaceAll("\r", ""),
        (head + newText + tail).replaceAll("\r", "")
      )
      const rawHead = raw.slice(0, raw.length - TextFile.apply(opened, [{ start: 0, end: start, newText: "" }]).length)
      const rawTail = TextFile.apply(opened, [{ start: 0, end, newText: "" }])
      assert.isTrue(result.startsWith(rawHead) && result.endsWith(rawTail))
    })
  )
})
