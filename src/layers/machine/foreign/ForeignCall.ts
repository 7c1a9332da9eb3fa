/** Calls a function of others from an effect. It may return a value, return a promise, or throw. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { EnginePromise } from "../engine/Primordials.ts"
import * as ForeignValue from "./ForeignValue.ts"
import * as ImportPosition from "./ImportPosition.ts"

/** The function threw, or its promise was rejected. */
export class ForeignFailure extends Data.TaggedError("ForeignFailure")<{
  readonly message: string
  /** The stack of what was thrown. */
  readonly trace?: string
}> {}

export type Outcome =
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Failed"; readonly failure: ForeignFailure }
  | { readonly _tag: "Pending"; readonly effect: Effect.Effect<unknown, ForeignFailure> }

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "then" in value &&
  typeof value.then === "function"

export const failureOf = (thrown: unknown): ForeignFailure => {
  const trace = ImportPosition.of(thrown) ?? ForeignValue.stackOf(thrown)
  return new ForeignFailure({ message: ForeignValue.textOf(thrown), ...(trace === "" ? {} : { trace }) })
}

/** The same with the place below the folder where it was thrown, as `file:line:column`. */
export const located = ({ message, trace = "" }: ForeignFailure, folder: string) => {
  const location = ForeignValue.locationIn(trace, folder)
  return location === undefined ? { message } : { message, location }
}

/** An interrupt does not wait for the promise: what it still does is not listened to any more. */
const settled = (promise: PromiseLike<unknown>, abort: () => void) =>
  Effect.async<unknown, ForeignFailure>((resume) => {
    // Not `Promise.resolve`, which asks a promise for its constructor.
    new EnginePromise<unknown>((resolve) => resolve(promise)).then(
      (value) => resume(Effect.succeed(value)),
      (thrown: unknown) => resume(Effect.fail(failureOf(thrown)))
    )
    return Effect.sync(abort)
  })

/** Calls at once. Only a promise needs an effect, so functions that answer at once cost next to nothing. */
export const attempt = (call: () => unknown, abort: () => void = () => {}): Outcome => {
  try {
    const value = call()
    return isThenable(value) ? { _tag: "Pending", effect: settled(value, abort) } : { _tag: "Value", value }
  } catch (thrown) {
    return { _tag: "Failed", failure: failureOf(thrown) }
  }
}

/** Reads a value of others. Its members may be code that throws. */
export const read = <A>(look: () => A): Either.Either<A, ForeignFailure> => {
  try {
    return Either.right(look())
  } catch (thrown) {
    return Either.left(failureOf(thrown))
  }
}

/** A call to a listener without an answer. It must not fail: what it throws ends the fiber, as an error of our own. */
export const notify = (call: () => unknown): Effect.Effect<void> =>
  Effect.suspend(() =>
    Either.match(read(call), { onLeft: ({ message }) => Effect.die(new Error(message)), onRight: () => Effect.void })
  )

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
