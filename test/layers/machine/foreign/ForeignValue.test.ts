import { assert, describe, it } from "@effect/vitest"
import * as ForeignValue from "../../../../src/layers/machine/foreign/ForeignValue.ts"

const { isOf, locationIn, shown, stackOf, textOf } = ForeignValue

let looks = 0
const look = () => {
  looks++
  throw new Error("own code ran")
}
const traps = new Proxy({}, { get: () => look })
const proxy: object = new Proxy(() => undefined, traps)
const { proxy: revoked, revoke } = Proxy.revocable({}, {})
revoke()
const getters = {
  get message() {
    return look()
  },
  get stack() {
    return look()
  },
  toString: look,
  [Symbol.toPrimitive]: look
}
const hostile: ReadonlyArray<unknown> = [
  proxy,
  revoked,
  getters,
  Object.create(proxy),
  new Proxy(new Error("wrapped"), traps),
  Object.defineProperty(new Error("hidden"), "message", { get: look }),
  Object.assign(new AggregateError([proxy, getters]), { errors: new Proxy([], traps) }),
  { errors: [proxy, getters, revoked] }
]

class Computed extends Error {
  override get name() {
    return look()
  }
}

describe("nothing of a value runs", () => {
  it("when it is described, located or classified", () => {
    for (const value of [...hostile, new Computed("said")]) {
      assert.isString(textOf(value))
      assert.isString(shown(value))
      assert.isFalse(isOf(value, Set))
      assert.isObject(ForeignValue.factsOf(value))
    }
    assert.strictEqual(textOf(new Computed("said")), "said")
    assert.strictEqual(looks, 0)
    // The hook of the test runner asks an error for its name: an engine without one does not.
    for (const value of hostile) assert.isString(stackOf(value))
  })

  it("and what it says plainly is told", () => {
    const cyclic = new AggregateError([new Error("one"), "two", 3], "all")
    cyclic.errors.push(cyclic)
    assert.strictEqual(textOf(cyclic), "all; one; two; thrown: 3; all")
    assert.strictEqual(textOf(Object.setPrototypeOf(new Error("own words"), proxy)), "own words")
    assert.strictEqual(textOf(new DOMException("stopped", "AbortError")), "stopped")
    assert.deepStrictEqual(["text", 5, null, new TypeError("bad")].map(shown), ["text", "5", "null", "TypeError: bad"])
    assert.isTrue(isOf(new RangeError("x"), Error))
  })
})

it("what a provider threw keeps what tells why its call has failed", () => {
  const cause = Object.assign(new Error("socket"), { code: "ECONNRESET" })
  const thrown = Object.assign(new Error("429 slow down", { cause }), {
    status: 429,
    headers: new Headers({ "retry-after": "7" }),
    error: { type: "rate_limit_error", message: "slow down" }
  })
  const facts = ForeignValue.factsOf(thrown)
  assert.deepInclude(facts, { status: 429, message: "429 slow down" })
  assert.deepInclude(Reflect.get(Object(facts), "error"), { type: "rate_limit_error", message: "slow down" })
  assert.deepInclude(Reflect.get(Object(facts), "cause"), { code: "ECONNRESET" })
  assert.strictEqual(Reflect.get(Object(facts), "headers").get("retry-after"), "7")
})

it("a location is the first one below the folder of the extension", () => {
  const stack = `Error: x
    at wantText (/opt/heddle/dist/heddle.js:10:3)
    at handler (/home/me/my ext/src/a (1).ts:4:11)
    at /home/me/my ext/index.ts:2:5`
  assert.strictEqual(locationIn(stack, "/home/me/my ext/"), "/home/me/my ext/src/a (1).ts:4:11")
  assert.strictEqual(locationIn("    at /x/index.ts?v=2:3:9", "/x/"), "/x/index.ts:3:9")
  assert.isUndefined(locationIn(stack, "/elsewhere/"))
})
