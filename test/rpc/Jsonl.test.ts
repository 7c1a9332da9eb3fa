import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Jsonl from "../../src/rpc/Jsonl.ts"

const split = (chunks: ReadonlyArray<Uint8Array>, maxBytes = 1 << 20) => {
  const lines: Array<Jsonl.Line> = []
  const splitter = Jsonl.makeSplitter(maxBytes, (line) => lines.push(line))
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}
const bytes = (text: string) => new TextEncoder().encode(text)
const texts = (lines: ReadonlyArray<Jsonl.Line>) => lines.map((line) => (line._tag === "Text" ? line.text : line._tag))

/** What the rules of protocol.md 2 say, on the whole input at once. */
const reference = (input: Uint8Array, maxBytes: number): ReadonlyArray<string> => {
  const lines: Array<Array<number>> = [[]]
  for (const byte of input) {
    if (byte === 10) lines.push([])
    else lines.at(-1)?.push(byte)
  }
  if (lines.at(-1)?.length === 0) lines.pop()
  let first = true
  return lines.map((line) => {
    if (line.length > maxBytes) return "Oversized"
    const bom = first && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf
    first = false
    const body = new Uint8Array(line.slice(bom ? 3 : 0, line.at(-1) === 13 ? -1 : undefined))
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
    } catch {
      return "InvalidUtf8"
    }
  })
}

/** Any bytes, rich in the ones that matter. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(10, 13, 0xef, 0xbb, 0xbf, 0xe2, 0x80, 0xa8, 0x7b, 0x7d, 0x22),
      fc.integer({ min: 0, max: 255 })
    ),
    { maxLength: 120 }
  )
  .map((list) => new Uint8Array(list))

const cut = (input: Uint8Array, at: ReadonlyArray<number>) => {
  const points = [...new Set([0, ...at.map((n) => n % (input.length + 1)), input.length])].toSorted((a, b) => a - b)
  return points.slice(1).map((end, i) => input.subarray(points[i], end))
}

describe("Jsonl", () => {
  it("any split of any bytes gives the lines of the whole", () => {
    fc.assert(
      fc.property(
        anyBytes,
        fc.array(fc.nat(200), { maxLength: 20 }),
        fc.integer({ min: 1, max: 40 }),
        (input, at, max) => {
          assert.deepStrictEqual(texts(split(cut(input, at), max)), reference(input, max))
        }
      ),
      { numRuns: 2000 }
    )
  })

  it("U+2028, U+0085 and a lone CR are data; CR before LF is not", () => {
    assert.deepStrictEqual(texts(split([bytes("a\u2028b\u0085c\rd\r\ne")])), ["a\u2028b\u0085c\rd", "e"])
  })

  it("a BOM is dropped once, at the very start", () => {
    assert.deepStrictEqual(texts(split([bytes("\uFEFFa\n\uFEFFb\n")])), ["a", "\uFEFFb"])
  })

  it("a character cut between two chunks is whole again", () => {
    const input = bytes("é€😀\n")
    for (let at = 0; at <= input.length; at++) {
      assert.deepStrictEqual(texts(split([input.subarray(0, at), input.subarray(at)])), ["é€😀"])
    }
  })

  it("an oversized line is dropped while it arrives, and the next line is read", () => {
    const chunks = Array.from({ length: 100 }, () => bytes("x".repeat(100)))
    assert.deepStrictEqual(texts(split([...chunks, bytes("\nok\n")], 1000)), ["Oversized", "ok"])
  })
})
