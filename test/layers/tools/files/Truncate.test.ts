import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Truncate from "../../../../src/layers/tools/files/Truncate.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text).length
const linesOf = (text: string) => (text === "" ? [] : text.match(/[^\n]*\n|[^\n]+$/g)?.map(String)) ?? []

// Few letters and many line feeds: short lines of one to four bytes a letter, and halves of pairs.
const unit = fc.constantFrom("a", "b", "é", "€", "🧵", "\ud83e", "\uddf5", "\n", "\n", "\r\n", "")
const text = fc.array(unit, { maxLength: 60 }).map((parts) => parts.join(""))
const limits = fc.record({ maxLines: fc.integer({ min: 1, max: 12 }), maxBytes: fc.integer({ min: 4, max: 60 }) })

const numbersHold = (source: string, result: Truncate.TruncationResult, limit: Truncate.Limits) => {
  assert.strictEqual(result.totalBytes, bytesOf(source))
  assert.strictEqual(result.totalLines, linesOf(source).length)
  assert.strictEqual(result.outputBytes, bytesOf(result.content))
  assert.strictEqual(result.outputLines, linesOf(result.content).length)
  assert.isAtMost(result.outputBytes, limit.maxBytes)
  assert.isAtMost(result.outputLines, limit.maxLines)
  assert.strictEqual(result.truncated, result.content !== source)
  assert.strictEqual(result.truncated, result.truncatedBy !== null)
}

describe("truncateHead", () => {
  it.prop("counts right and never exceeds a limit", [text, limits], ([source, limit]) =>
    numbersHold(source, Truncate.truncateHead(source, limit), limit)
  )

  it.prop("keeps as many whole lines from the beginning as fit", [text, limits], ([source, limit]) => {
    const result = Truncate.truncateHead(source, limit)
    const lines = linesOf(source)
    assert.strictEqual(result.content, lines.slice(0, result.outputLines).join(""))
    const next = lines[result.outputLines]
    if (next === undefined) return
    const reason = result.outputLines === limit.maxLines ? "lines" : "bytes"
    assert.strictEqual(result.truncatedBy, reason)
    if (reason === "bytes") assert.isAbove(bytesOf(result.content + next), limit.maxBytes)
    assert.strictEqual(result.firstLineExceedsLimit, result.outputLines === 0)
  })

  it.prop("read on from where it stopped, the pieces make up the text", [text, limits], ([source, limit]) => {
    let joined = ""
    while (joined.length < source.length) {
      const rest = source.slice(joined.length)
      const result = Truncate.truncateHead(rest, limit)
      joined += result.firstLineExceedsLimit ? linesOf(rest)[0] : result.content
    }
    assert.strictEqual(joined, source)
  })

  it("cuts at 2000 lines", () => {
    const line = "x\n"
    assert.strictEqual(Truncate.truncateHead(line.repeat(2000)).truncated, false)
    const { content, ...numbers } = Truncate.truncateHead(line.repeat(2001))
    assert.strictEqual(content, line.repeat(2000))
    assert.deepStrictEqual(numbers, {
      truncated: true,
      truncatedBy: "lines",
      totalLines: 2001,
      totalBytes: 4002,
      outputLines: 2000,
      outputBytes: 4000,
      lastLinePartial: false,
      firstLineExceedsLimit: false,
      maxLines: 2000,
      maxBytes: 51200
    })
  })

  it("cuts at 50 KiB of UTF-8", () => {
    const line = `${"é".repeat(511)}x\n`
    assert.strictEqual(bytesOf(line), 1024)
    assert.strictEqual(Truncate.truncateHead(line.repeat(50)).truncated, false)
    const result = Truncate.truncateHead(line.repeat(50) + "y")
    assert.deepStrictEqual([result.truncatedBy, result.outputLines, result.outputBytes], ["bytes", 50, 51200])
  })

  it("keeps nothing when the first line alone is too long", () => {
    const { content, firstLineExceedsLimit, outputLines } = Truncate.truncateHead("x".repeat(51201) + "\ny\n")
    assert.deepStrictEqual([content, firstLineExceedsLimit, outputLines], ["", true, 0])
  })

  it("has no lines in an empty text", () => {
    const result = Truncate.truncateHead("")
    assert.deepStrictEqual([result.content, result.totalLines, result.truncated], ["", 0, false])
  })
})

describe("truncateTail", () => {
  it.prop("counts right and never exceeds a limit", [text, limits], ([source, limit]) =>
    numbersHold(source, Truncate.truncateTail(source, limit), limit)
  )

  it.prop("keeps as many whole lines from the end as fit", [text, limits], ([source, limit]) => {
    const result = Truncate.truncateTail(source, limit)
    const lines = linesOf(source)
    if (result.lastLinePartial) {
      const last = lines[lines.length - 1] ?? ""
      assert.isTrue(last.endsWith(result.content) && last !== result.content)
      assert.isAbove(bytesOf(last), limit.maxBytes)
      assert.isAbove(result.outputBytes, limit.maxBytes - 4)
      return
    }
    assert.strictEqual(result.content, lines.slice(lines.length - result.outputLines).join(""))
    const next = lines[lines.length - result.outputLines - 1]
    if (next === undefined) return
    const reason = result.outputLines === limit.maxLines ? "lines" : "bytes"
    assert.strictEqual(result.truncatedBy, reason)
    if (reason === "bytes") assert.isAbove(bytesOf(next + result.content), limit.maxBytes)
  })

  it.prop("never cuts a pair in two", [fc.integer({ min: 4, max: 40 })], ([maxBytes]) => {
    const result = Truncate.truncateTail("🧵".repeat(20), { maxLines: 5, maxBytes })
    assert.isTrue(result.content.isWellFormed())
  })

  it("cuts at 2000 lines and keeps the last ones", () => {
    const lines = Array.from({ length: 2003 }, (_, i) => `${i + 1}\n`)
    const result = Truncate.truncateTail(lines.join(""))
    assert.strictEqual(result.content, lines.slice(3).join(""))
    assert.deepStrictEqual([result.truncatedBy, result.outputLines, result.totalLines], ["lines", 2000, 2003])
  })

  it("keeps the end of a last line that is too long", () => {
    const { content, ...numbers } = Truncate.truncateTail(`first\n${"x".repeat(60_000)}end`)
    assert.strictEqual(content, "x".repeat(51_197) + "end")
    assert.deepStrictEqual(numbers, {
      truncated: true,
      truncatedBy: "bytes",
      totalLines: 2,
      totalBytes: 60_009,
      outputLines: 1,
      outputBytes: 51_200,
      lastLinePartial: true,
      firstLineExceedsLimit: false,
      maxLines: 2000,
      maxBytes: 51_200
    })
  })
})

it("ten megabytes are cut long before the test times out: nothing is quadratic", () => {
  const long = "some line of a log file\n".repeat(400_000)
  assert.strictEqual(Truncate.truncateHead(long).outputLines, 2000)
  assert.strictEqual(Truncate.truncateTail(long).outputLines, 2000)
})

it("details leave the text out", () => {
  const details = Truncate.toDetails(Truncate.truncateHead("a\nb\n", { maxLines: 1, maxBytes: 10 }))
  assert.notProperty(details, "content")
  assert.strictEqual(details.outputLines, 1)
})

it("formatBytes", () => {
  assert.deepStrictEqual([0, 1023, 51200, 1024 * 1024 * 1.25].map(Truncate.formatBytes), [
    "0 bytes",
    "1023 bytes",
    "50 KiB",
    "1.3 MiB"
  ])
})
