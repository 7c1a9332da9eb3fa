import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as OutputTail from "../../../../src/layers/tools/shell/OutputTail.ts"
import * as Truncate from "../../../../src/layers/tools/files/Truncate.ts"

const feed = (limits: Truncate.Limits, chunks: ReadonlyArray<Uint8Array>) => {
  const tail = OutputTail.make(limits)
  let lineFeeds = 0
  for (const chunk of chunks) {
    lineFeeds += chunk.filter((byte) => byte === 10).length
    tail.push(chunk, lineFeeds)
  }
  return tail
}

/** What a screen would show: the last form of every line. */
const shown = (text: string) => text.replaceAll(/[^\n\r]*\r/g, "")

it("keeps exactly what cutting the whole output would keep", () => {
  const line = fc.oneof(fc.string({ maxLength: 30 }), fc.string({ unit: "grapheme", maxLength: 30 }), fc.constant(""))
  const limits = fc.record({ maxLines: fc.integer({ min: 1, max: 12 }), maxBytes: fc.integer({ min: 1, max: 60 }) })
  const text = fc
    .tuple(fc.array(line, { maxLength: 60 }), fc.constantFrom("\n", "\n\n", ""))
    .map(([lines, end]) =>
      [...(lines.join("\n") + end)].filter((char) => (char >= " " || char === "\n") && char !== "\ufeff").join("")
    )
  fc.assert(
    fc.property(text, limits, fc.integer({ min: 1, max: 400 }), (text, limits, size) => {
      const bytes = Buffer.from(text)
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size)
      )
      const got = feed(limits, chunks).snapshot()
      assert.deepStrictEqual(got, Truncate.truncateTail(text, limits))
    }),
    { numRuns: 500 }
  )
})

it("shows the last form of a line that is written anew, however it is cut", () => {
  const part = fc.constantFrom("10%", "\r", "\n", "done", "é")
  fc.assert(
    fc.property(fc.array(part), fc.integer({ min: 1, max: 7 }), (parts, size) => {
      // CleanOutput.ts lets a CR through only before text.
      const text = parts.join("").replaceAll(/\r+(?=\n|$)/g, "")
      const bytes = Buffer.from(text)
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size)
      )
      assert.deepStrictEqual(
        feed(Truncate.defaultLimits, chunks).snapshot(),
        Truncate.truncateTail(shown(text), Truncate.defaultLimits)
      )
    })
  )
})

it.each([
  ["one line of 3 MB", Buffer.alloc(3_000_000, "x"), { lines: 1, shown: 1, partial: true }],
  ["a million lines", Buffer.from("y\n".repeat(1_000_000)), { lines: 1_000_000, shown: 2000, partial: false }]
])("%s in chunks of 64 KiB and as one chunk", (_, bytes, expected) => {
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
    bytes.subarray(i * 65_536, (i + 1) * 65_536)
  )
  for (const input of [chunks, [bytes]]) {
    const tail = feed(Truncate.defaultLimits, input)
    const { lastLinePartial, outputLines, totalBytes, totalLines } = tail.snapshot()
    assert.deepStrictEqual({ lines: totalLines, shown: outputLines, partial: lastLinePartial }, expected)
    assert.strictEqual(totalBytes, bytes.length)
    assert.isBelow(tail.kept().length, 256 * 1024)
  }
})

it("bytes that are no text never make the result larger than the limit", () => {
  const noise = Uint8Array.from({ length: 300_000 }, (_, i) => 128 + ((i * 7919) % 128))
  const { content, outputBytes } = feed(Truncate.defaultLimits, [noise]).snapshot()
  assert.isAtMost(Buffer.byteLength(content), 50 * 1024)
  assert.strictEqual(outputBytes, Buffer.byteLength(content))
})
