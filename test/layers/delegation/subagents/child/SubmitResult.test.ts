import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either } from "effect"
import * as OutputSchema from "../../../../../src/layers/delegation/subagents/child/OutputSchema.ts"
import * as SubmitResult from "../../../../../src/layers/delegation/subagents/child/SubmitResult.ts"
import { context } from "../../../../support/agent/ToolCall.ts"

type Json = Readonly<Record<string, unknown>>
const start = Effect.fnUntraced(function* (schema?: Json) {
  const submitted = yield* Deferred.make<SubmitResult.Submitted>()
  const output = schema === undefined ? {} : { schema: Either.getOrThrow(OutputSchema.make(schema)) }
  const tool = SubmitResult.make({ submitted, ...output })
  return {
    tool,
    submit: (args: Json) => tool.run(args, context),
    refused: (args: Json) => Effect.flip(tool.run(args, context)),
    isDone: Deferred.isDone(submitted),
    outcome: Deferred.await(submitted)
  }
})

describe("submit_result", () => {
  it.effect("a text ends the run, once", () =>
    Effect.gen(function* () {
      const { outcome, refused, submit } = yield* start()
      assert.strictEqual((yield* submit({ result: "Done." })).terminate, true)
      const again = yield* refused({ result: "Other." })
      assert.include(again.message, "submitted before")
      assert.strictEqual(again.terminate, true)
      assert.deepStrictEqual(yield* outcome, { _tag: "Result", value: "Done." })
    })
  )

  it.effect("an error is a result, too", () =>
    Effect.gen(function* () {
      const { outcome, submit } = yield* start({ type: "object" })
      assert.strictEqual((yield* submit({ error: "No.", result: null })).terminate, true)
      assert.deepStrictEqual(yield* outcome, { _tag: "Failed", error: "No." })
    })
  )

  it.effect("neither, both, or no text", () =>
    Effect.gen(function* () {
      const { isDone, refused } = yield* start()
      assert.include((yield* refused({})).message, "give result, or error")
      assert.include((yield* refused({ result: "a", error: "b" })).message, "not both")
      assert.include((yield* refused({ error: 3 })).message, "error must be a text")
      assert.isFalse(yield* isDone)
    })
  )

  it.effect("data has to fit its schema, and can be corrected", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
      const { isDone, outcome, refused, submit, tool } = yield* start(schema)
      assert.deepNestedInclude(tool.definition.parameters, { "properties.result": schema })
      const failure = yield* refused({ result: { n: "x" } })
      assert.include(failure.message, "result.n: ")
      assert.isUndefined(failure.terminate)
      assert.isFalse(yield* isDone)
      yield* submit({ result: { n: 1 } })
      assert.deepStrictEqual(yield* outcome, { _tag: "Result", value: { n: 1 } })
    })
  )

  it.effect("data as a text of JSON, and null", () =>
    Effect.gen(function* () {
      const text = yield* start({ type: "array" })
      yield* text.submit({ result: "[1]" })
      assert.deepStrictEqual(yield* text.outcome, { _tag: "Result", value: [1] })
      const nothing = yield* start({ type: "null" })
      yield* nothing.submit({ result: null })
      assert.deepStrictEqual(yield* nothing.outcome, { _tag: "Result", value: null })
    })
  )
})
