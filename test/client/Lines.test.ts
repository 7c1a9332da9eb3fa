/** Framing: the same lines come out wherever the bytes are cut. */
import { assert, describe, it } from "vitest"
import * as Lines from "../../src/client/Lines.ts"

const read = (chunks: ReadonlyArray<Uint8Array>, maxLength = 1000) => {
  const seen: Array<string> = []
  const lines = Lines.make({
    maxLength,
    onLine: (line) => seen.push(line),
    onTooLong: (beginning) => seen.push(`too long: ${beginning}`)
  })
  for (const chunk of chunks) lines.push(chunk)
  lines.end()
  return seen
}

const expected = ['{"a":"\u2028\u2029\u0085\v\f"}', "", "ä€🧵\r", "x".repeat(50), '{"last":1}']
const bytes = Buffer.from(`\ufeff${expected.join("\n")}`)

describe("lines", () => {
  it("are the same for every cut into two", () => {
    for (let at = 0; at <= bytes.length; at++)
      assert.deepStrictEqual(read([bytes.subarray(0, at), bytes.subarray(at)]), expected, `cut at ${at}`)
  })

  it("are the same for every cut into three", () => {
    for (let first = 0; first <= bytes.length; first++)
      for (let second = first; second <= bytes.length; second++)
        assert.deepStrictEqual(
          read([bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]),
          expected
        )
  })

  it("are the same byte by byte", () => {
    assert.deepStrictEqual(read(Array.from(bytes, (byte) => Uint8Array.of(byte))), expected)
  })

  it("above the limit are skipped wherever they are cut, and the others count", () => {
    const long = Buffer.from(`ab\n${"y".repeat(20)}\ncd\n${"z".repeat(11)}\n${"w".repeat(10)}`)
    const wanted = ["ab", `too long: ${"y".repeat(20)}`, "cd", `too long: ${"z".repeat(11)}`, "w".repeat(10)]
    for (let at = 0; at <= long.length; at++) {
      const seen = read([long.subarray(0, at), long.subarray(at)], 10)
      assert.deepStrictEqual(
        seen.map((line) => line.replace(/^(too long: .{5}).*$/, "$1")),
        wanted.map((line) => line.replace(/^(too long: .{5}).*$/, "$1")),
        `cut at ${at}`
      )
    }
  })

  it("end inside a character with the replacement character", () => {
    assert.deepStrictEqual(read([Buffer.from("ok\n"), Buffer.from("ä").subarray(0, 1)]), ["ok", "\ufffd"])
  })
})
