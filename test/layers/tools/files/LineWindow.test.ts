import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as LineWindow from "../../../../src/layers/tools/files/LineWindow.ts"
import * as Truncate from "../../../../src/layers/tools/files/Truncate.ts"

const text = fc
  .array(fc.constantFrom("a", "bc", "é", "🧵", "\n", "\n", "\r\n"), { maxLength: 60 })
  .map((parts) => parts.join(""))
const selection = fc.record({
  offset: fc.integer({ min: 1, max: 8 }),
  limit: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  limits: fc.record({ maxLines: fc.integer({ min: 1, max: 8 }), maxBytes: fc.integer({ min: 1, max: 40 }) })
})
const chunkSize = fc.integer({ min: 1, max: 20 })

const select = (source: string, options: LineWindow.Selection, size: number) => {
  const window = LineWindow.make(options)
  const bytes = new TextEncoder().encode(source)
  const chunk = new Uint8Array(size)
  for (let at = 0; at < bytes.length; at += size) {
    // One buffer for all chunks, as LocalFiles does it: nothing may be kept by reference.
    const piece = bytes.subarray(at, at + size)
    chunk.set(piece)
    window.push(chunk.subarray(0, piece.length))
  }
  return window.finish()
}

it.prop(
  "however the bytes are cut, it is truncateHead of the wanted lines",
  [text, selection, chunkSize],
  ([source, options, size]) => {
    const selected = select(source, options, size)
    const lines: ReadonlyArray<string> = source.match(/[^\n]*\n|[^\n]+$/g) ?? []
    const from = options.offset - 1
    const wanted = lines.slice(from, options.limit === undefined ? undefined : from + options.limit)
    const expected = Truncate.truncateHead(wanted.join(""), options.limits)
    assert.deepStrictEqual(
      {
        content: new TextDecoder("utf-8", { ignoreBOM: true }).decode(selected.bytes),
        ...selected.truncation
      },
      expected
    )
    assert.strictEqual(selected.totalLines, lines.length)
    assert.strictEqual(selected.firstLineBytes, new TextEncoder().encode(wanted[0] ?? "").length)
  }
)

it("keeps no more than the limit of an endless line", () => {
  const window = LineWindow.make({ offset: 1, limits: { maxLines: 10, maxBytes: 16 } })
  const chunk = new Uint8Array(1024).fill(120)
  for (let i = 0; i < 1000; i++) window.push(chunk)
  const { bytes, firstLineBytes, truncation } = window.finish()
  assert.strictEqual(bytes.buffer.byteLength, 16)
  assert.deepStrictEqual([bytes.length, firstLineBytes, truncation.firstLineExceedsLimit], [0, 1_024_000, true])
})
