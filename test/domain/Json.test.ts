import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Json from "../../src/domain/Json.ts"
import * as JsonScan from "../../src/domain/JsonScan.ts"

describe("parsePartial", () => {
  const cases: ReadonlyArray<readonly [string, unknown]> = [
    ["", undefined],
    ["{", {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a": tr', {}],
    ['{"a":"b', { a: "b" }],
    ['{"a":"b\\', { a: "b" }],
    ['{"a":"b\\u00', { a: "b" }],
    ['{"a":"b","c', { a: "b" }],
    ['{"a":[1,2', { a: [1] }],
    ['{"a":[{"b":"c', { a: [{ b: "c" }] }],
    ['{"a":{"b":1}', { a: { b: 1 } }],
    ['{"a":"}{"', { a: "}{" }],
    ["nonsense", undefined]
  ]
  for (const [text, expected] of cases) {
    it(`reads ${text === "" ? "nothing" : text}`, () => assert.deepStrictEqual(Json.parsePartial(text), expected))
  }

  it("never throws on a prefix of JSON, and reads the whole exactly", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, n) => {
        const text = JSON.stringify({ value })
        Json.parsePartial(text.slice(0, n % (text.length + 1)))
        assert.deepStrictEqual(Json.parsePartial(text), JSON.parse(text))
      })
    )
  })
})

/** What the scan counts, counted on values. */
const measure = (value: unknown): { readonly depth: number; readonly values: number } => {
  if (typeof value !== "object" || value === null) return { depth: 0, values: 1 }
  const inner = Object.values(value).map(measure)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0)
  }
}

const odd = fc.constantFrom("\\", '"', '\\"', "[{", "}]", ",:", "\u2028", "\ud83d", '\\\\"', "\n", "")
const anyText = fc.oneof(
  fc.string(),
  odd,
  fc.array(odd, { maxLength: 6 }).map((parts) => parts.join(""))
)
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 8, depthSize: "large" },
    fc.constantFrom(null, true, false, 0, -1.5e-7, 12),
    anyText,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(anyText, tie("value"), { maxKeys: 5, noNullPrototype: true })
  )
})).value
const layout = fc.constantFrom(undefined, 1, "\t", "\r\n")
const seeded = { seed: 15, numRuns: 2000 }

describe("bounds", () => {
  it("depth and values are those of the parsed value, however the text is laid out and cut", () => {
    fc.assert(
      fc.property(anyJson, layout, fc.array(fc.nat(), { maxLength: 6 }), (value, space, cuts) => {
        const text = JSON.stringify(value, undefined, space)
        const { depth, values } = measure(JSON.parse(text))
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length]
        const scanned = (bounds: JsonScan.Bounds) => {
          const scan = JsonScan.make(bounds)
          for (const [i, from] of places.entries()) scan.push(text.slice(from, places[i + 1] ?? text.length))
          return scan
        }
        const fits = scanned({ depth, values })
        assert.isUndefined(fits.excess())
        assert.strictEqual(fits.values(), values)
        assert.isTrue(fits.isClosed())
        assert.strictEqual(scanned({ depth, values: values - 1 }).excess(), `more than ${values - 1} values`)
        if (depth > 0) assert.isDefined(scanned({ depth: depth - 1, values: values + 1 }).excess())
        for (const bounds of [
          { depth, values },
          { depth: Math.max(0, depth - 1), values },
          { depth, values: values - 1 }
        ]) {
          assert.strictEqual(
            Json.excessOf(text, bounds) === undefined,
            depth <= bounds.depth && values <= bounds.values
          )
        }
      }),
      seeded
    )
  })

  it("never throws on text that is no JSON, and cuts of it change nothing", () => {
    const noise = fc.array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "1", " ", "u"), { maxLength: 60 })
    fc.assert(
      fc.property(noise, fc.nat(), (parts, cut) => {
        const text = parts.join("")
        const at = cut % (text.length + 1)
        const [whole, halves] = [JsonScan.make(), JsonScan.make()]
        whole.push(text)
        halves.push(text.slice(0, at))
        halves.push(text.slice(at))
        assert.deepStrictEqual(Json.parseScanned(text, halves), Json.parseScanned(text, whole))
        assert.deepStrictEqual(Json.parsePartial(text), Json.parseScanned(text, whole) ?? Json.parsePartial(text))
      }),
      seeded
    )
  })

  it("parseBounded takes 512 levels and a million values, and no more", () => {
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    const wide = (values: number) => `[${"1,".repeat(values - 2)}1]`
    assert.strictEqual(Json.parseBounded(deep(512))._tag, "Right")
    assert.deepInclude(Json.parseBounded(deep(513)), { _tag: "Left", left: "nested deeper than 512 levels" })
    assert.strictEqual(Json.parseBounded(JSON.stringify({ text: deep(5000) }))._tag, "Right")
    assert.strictEqual(Json.parseBounded(wide(1_000_000))._tag, "Right")
    assert.deepInclude(Json.parseBounded(wide(1_000_001)), { _tag: "Left", left: "more than 1000000 values" })
  })

  it("nothing is made of what arrives beyond the bounds", () => {
    assert.isUndefined(Json.parsePartial(`{"a":${"[".repeat(600)}`))
    assert.isUndefined(Json.parsePartial(`{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}`))
    assert.deepStrictEqual(Json.parsePartial(`{"a":"${"[".repeat(40_000)}`), { a: "[".repeat(40_000) })
  })
})
