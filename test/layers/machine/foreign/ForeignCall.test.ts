import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Call from "../../../../src/layers/machine/foreign/Call.ts"
import * as ForeignCall from "../../../../src/layers/machine/foreign/ForeignCall.ts"
import { stackOf, textOf } from "../../../../src/layers/machine/foreign/ForeignValue.ts"

it("a value is there at once, a promise later, and a throw is a failure", () => {
  assert.deepStrictEqual(
    ForeignCall.attempt(() => 1),
    { _tag: "Value", value: 1 }
  )
  assert.strictEqual(ForeignCall.attempt(async () => 1)._tag, "Pending")
  const outcome = ForeignCall.attempt(() => {
    throw new Error("no")
  })
  assert.deepStrictEqual(outcome, { _tag: "Failed", failure: new ForeignCall.ForeignFailure({ message: "no" }) })
})

it.effect("run waits for promises, also for those of other libraries", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* ForeignCall.run(() => 1), 1)
    assert.strictEqual(yield* ForeignCall.run(async () => 2), 2)
    const thenable = {}
    Reflect.set(thenable, "then", (resolve: (value: number) => void) => resolve(3))
    assert.strictEqual(yield* ForeignCall.run(() => thenable), 3)
    const { message } = yield* Effect.flip(ForeignCall.run(() => Promise.reject(new Error("later"))))
    assert.strictEqual(message, "later")
    const broken = yield* Effect.flip(
      ForeignCall.run(() => {
        throw new TypeError("now")
      })
    )
    assert.strictEqual(broken.message, "now")
  })
)

it.effect("an interrupt aborts the signal and does not wait for the promise, whose end is not heard", () =>
  Effect.gen(function* () {
    const call = Call.make()
    const { promise, reject } = Promise.withResolvers<void>()
    const signal = call.signal()
    const fiber = yield* Effect.fork(ForeignCall.run(() => promise, call.abort))
    yield* Effect.yieldNow()
    assert.strictEqual(signal.aborted, false)
    yield* Fiber.interrupt(fiber)
    assert.strictEqual(signal.aborted, true)
    // An unhandled rejection would fail the test run.
    reject(new Error("too late"))
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  })
)

it("a signal that is asked for after the abort is aborted", () => {
  const call = Call.make()
  call.abort()
  assert.strictEqual(call.signal().aborted, true)
})

it("two signals are one that the first of them aborts", () => {
  const call = Call.make()
  const controller = new AbortController()
  const both = Call.either(call.signal(), controller.signal)
  assert.strictEqual(Call.either(call.signal(), undefined), call.signal())
  assert.strictEqual(both.aborted, false)
  controller.abort()
  assert.strictEqual(both.aborted, true)
  assert.deepStrictEqual([Call.signalOf(both)?.aborted, Call.signalOf({ aborted: true })], [true, undefined])
})

const hostile = {
  get message(): string {
    throw new Error("not even this")
  }
}

it("every thrown value has a text, which is not longer than a report should be", () => {
  assert.deepStrictEqual(
    [new Error("plain"), new TypeError(""), "text", undefined, { message: 5 }, hostile].map(textOf),
    ["plain", "TypeError", "text", "thrown: undefined", "5", "an object that cannot be shown was thrown"]
  )
  assert.strictEqual(textOf(new Error("x".repeat(10_000_000))).length < 9000, true)
  const several = new AggregateError([new Error("one"), "two"], "both")
  assert.deepStrictEqual([textOf(several), textOf(new AggregateError([]))], ["both; one; two", "AggregateError"])
  assert.strictEqual(stackOf("text"), "")
  assert.match(stackOf(new Error("here")), /ForeignCall\.test/)
})
