import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as CanonicalJson from "../../../src/domain/approvals/CanonicalJson.ts"

const double = (hex: string): number => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${hex}`))
  return view.getFloat64(0)
}

/** RFC 8785, appendix B. */
const numbers: ReadonlyArray<[hex: string, text: string]> = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"]
]

describe("CanonicalJson", () => {
  it.each(numbers)("writes the number %s as %s", (hex, text) => {
    assert.strictEqual(CanonicalJson.print(double(hex)), text)
  })

  it("writes the example of RFC 8785, section 3.2.2", () => {
    const value = {
      numbers: JSON.parse("[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]"),
      string: '€$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false]
    }
    assert.strictEqual(
      CanonicalJson.print(value),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
  })

  it("sorts keys by UTF-16 units, as in section 3.2.3", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }
    assert.strictEqual(
      CanonicalJson.print(value),
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}'
    )
  })

  it("writes lone surrogates as escapes, and pairs as they are", () => {
    assert.strictEqual(CanonicalJson.print({ "\ud800": "\udc00x\ud83d\ude00" }), '{"\\ud800":"\\udc00x😀"}')
  })

  it("sorts in nested values, keeps the order of arrays, and leaves out what JSON leaves out", () => {
    assert.strictEqual(
      CanonicalJson.print({ b: [{ d: 1, c: undefined, a: "" }, [], undefined], a: {}, ["__proto__"]: 1, toString: 2 }),
      '{"__proto__":1,"a":{},"b":[{"a":"","d":1},[],null],"toString":2}'
    )
    assert.strictEqual(CanonicalJson.print(undefined), "null")
  })

  it("is the same for equal values, whatever the order of their keys, and gives them back", () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== "object" || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, inner]) => [key, reversed(inner)])
      )
    }
    FastCheck.assert(
      FastCheck.property(FastCheck.jsonValue(), (value) => {
        const text = CanonicalJson.print(value)
        assert.strictEqual(CanonicalJson.print(reversed(value)), text)
        assert.strictEqual(JSON.stringify(JSON.parse(text)).length, text.length)
        assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
      })
    )
  })
})
