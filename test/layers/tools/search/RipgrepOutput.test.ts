import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as RipgrepOutput from "../../../../src/layers/tools/search/RipgrepOutput.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string, most = 100, size = 5) => {
  const output = RipgrepOutput.make(most, (path) => !path.startsWith("no"))
  const all = bytes(text)
  let pushed = 0
  while (pushed < all.length && output.push(all.subarray(pushed, pushed + size))) pushed += size
  return output.finish().map(({ line, path, text }) => `${path}|${line}|${text}`)
}

it("property: records come out whole wherever the pieces are cut", () => {
  const text = "a/é:1.ts\u00001:one\na/é:1.ts\u000012: x:y \r\nno.ts\u00001:skipped\nb\nc\u00003:\n"
  const expected = ["a/é:1.ts|1|one", "a/é:1.ts|12| x:y "]
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 90 }), (size) =>
      assert.deepStrictEqual(read(text, 100, size), [...expected, "c|3|"])
    )
  )
})

it("drops the matches of a file that turns out to be binary", () => {
  const remark = 'bin: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n'
  assert.deepStrictEqual(read(`a\u00001:x\nbin\u00001:x\nbin\u00002:x\n${remark}c\u00001:x\n`), ["a|1|x", "c|1|x"])
})

it("stops when a whole file has brought more than wanted, and keeps the beginning of long lines", () => {
  const output = RipgrepOutput.make(1, () => true)
  assert.isTrue(output.push(bytes("a\u00001:x\na\u00002:x\na\u00003:x\n")))
  assert.isFalse(output.push(bytes("b\u00001:x\nc\u00001:x\n")))
  assert.strictEqual(output.finish().length, 4)
  const [long = ""] = read(`a\u00001:${"x".repeat(1_000_000)}\nb\u00001:y\n`, 10, 65_536)
  assert.strictEqual(long.length, 16 * 1024)
})
