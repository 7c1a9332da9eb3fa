import { assert, describe, it } from "@effect/vitest"
import { complete, stub } from "../../../../src/layers/pi/modules/Stubs.ts"
import { call, construct, get } from "../../../support/extensions/Calling.ts"

const message = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    return String(error)
  }
  return "nothing was thrown"
}

describe("a stub", () => {
  const values = { Missing: stub("Missing") }

  it("throws when it is called or constructed", () => {
    const text = "Error: Missing is not available in heddle"
    assert.strictEqual(
      message(() => call(values, "Missing")),
      text
    )
    assert.strictEqual(
      message(() => construct(values, "Missing")),
      text
    )
  })

  it("can be extended; only an object of the class throws", () => {
    const Base = class extends Function {}
    Object.setPrototypeOf(Base, values.Missing)
    assert.strictEqual(
      message(() => Reflect.construct(Base, [])),
      "Error: Missing is not available in heddle"
    )
  })

  it("names the member that was called", () => {
    assert.strictEqual(
      message(() => call(values.Missing, "create")),
      "Error: Missing.create is not available in heddle"
    )
    const inner = get(values.Missing, "inner")
    assert.strictEqual(
      message(() => call(inner, "deep")),
      "Error: Missing.inner.deep is not available in heddle"
    )
  })

  it("is no promise, has its name, and prints", async () => {
    assert.strictEqual(await values.Missing, values.Missing)
    assert.strictEqual(get(values.Missing, "name"), "Missing")
    assert.strictEqual(JSON.stringify({ stub: values.Missing }), "{}")
    assert.isFalse({} instanceof Object(values.Missing))
  })
})

it("complete keeps what is there, undefined values included", () => {
  const all = complete(["a", "b", "c"], { a: 1, b: undefined, extra: 2 })
  assert.deepStrictEqual(Object.keys(all).toSorted(), ["a", "b", "c", "extra"])
  assert.deepStrictEqual([all["a"], all["b"], all["extra"]], [1, undefined, 2])
  assert.strictEqual(
    message(() => call(all, "c")),
    "Error: c is not available in heddle"
  )
})
