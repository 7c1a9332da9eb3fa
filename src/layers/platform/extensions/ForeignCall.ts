/** Calls a function of others from an effect. It may return a value, return a promise, or throw. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { textOf } from "./Thrown.ts"

/** The function threw, or its promise was rejected. */
export class ForeignFailure extends Data.TaggedError("ForeignFailure")<{ readonly message: string }> {}

export type Outcome =
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Failed"; readonly failure: ForeignFailure }
  | { readonly _tag: "Pending"; readonly effect: Effect.Effect<unknown, ForeignFailure> }

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "then" in value &&
  typeof value.then === "function"

const failure = (thrown: unknown) => new ForeignFailure({ message: textOf(thrown) })

/** An interrupt does not wait for the promise: what it still does is not listened to any more. */
const settled = (promise: PromiseLike<unknown>, abort: () => void) =>
  Effect.async<unknown, ForeignFailure>((resume) => {
    Promise.resolve(promise).then(
      (value) => resume(Effect.succeed(value)),
      (thrown: unknown) => resume(Effect.fail(failure(thrown)))
    )
    return Effect.sync(abort)
  })

/** Calls at once. Only a promise needs an effect, so functions that answer at once cost next to nothing. */
export const attempt = (call: () => unknown, abort: () => void = () => {}): Outcome => {
  try {
    const value = call()
    return isThenable(value) ? { _tag: "Pending", effect: settled(value, abort) } : { _tag: "Value", value }
  } catch (thrown) {
    return { _tag: "Failed", failure: failure(thrown) }
  }
}

/** The same as an effect. */
export const run = (call: () => unknown, abort?: () => void): Effect.Effect<unknown, ForeignFailure> =>
  Effect.suspend(() => {
    const outcome = attempt(call, abort)
    switch (outcome._tag) {
      case "Value":
        return Effect.succeed(outcome.value)
      case "Failed":
        return Effect.fail(outcome.failure)
      case "Pending":
        return outcome.effect
    }
  })
