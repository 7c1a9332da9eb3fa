import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Tool from "../../../src/layers/tools/Tool.ts"
import { ToolFailure } from "../../../src/services/Tools.ts"
import { context } from "../../support/agent/ToolCall.ts"

const parameters = Schema.Struct({
  path: Tool.required(Tool.NonEmptyText, "Where to look."),
  limit: Tool.optional(Tool.PositiveInt, "How much."),
  tags: Tool.optional(Schema.Array(Schema.String), "Which.")
})

const echo = Tool.make({
  name: "echo",
  description: "Says what it was given.",
  parameters,
  run: (args) => Effect.succeed(Tool.textOutput(JSON.stringify(args)))
})

it("derives the JSON Schema once, on first sight", () => {
  assert.deepStrictEqual(echo.definition, {
    name: "echo",
    description: "Says what it was given.",
    parameters: {
      type: "object",
      required: ["path"],
      properties: {
        path: { type: "string", title: "nonEmptyString", description: "Where to look.", minLength: 1 },
        limit: { type: "integer", title: "positive", description: "How much.", exclusiveMinimum: 0 },
        tags: { type: "array", items: { type: "string" }, description: "Which." }
      },
      additionalProperties: false
    }
  })
  assert.strictEqual(echo.definition, echo.definition)
})

it("is shared and says that the operation was aborted, unless told otherwise", () => {
  assert.deepStrictEqual([echo.concurrency, echo.abortedText], ["shared", "Operation aborted"])
  const other = Tool.make({
    name: "other",
    description: "",
    parameters,
    concurrency: "exclusive",
    abortedText: "Command aborted",
    run: () => Effect.succeed(Tool.textOutput(""))
  })
  assert.deepStrictEqual([other.concurrency, other.abortedText], ["exclusive", "Command aborted"])
})

it.effect("runs with decoded arguments; fields it does not know are dropped", () =>
  Effect.gen(function* () {
    const output = yield* echo.run({ path: "a", limit: 3, mood: "good" }, context)
    assert.deepStrictEqual(output, { content: [{ type: "text", text: '{"path":"a","limit":3}' }] })
  })
)

it.effect("names every bad field and runs nothing", () =>
  Effect.gen(function* () {
    const never = Tool.make({ name: "never", description: "", parameters, run: () => Effect.die("was run") })
    const failures = yield* Effect.forEach(
      [
        {},
        { limit: -1 },
        { path: "", limit: 1.5 },
        { path: 7, limit: "2", tags: ["a", 1, null] },
        { path: "a", limit: 0 }
      ],
      (args) => Effect.flip(never.run(args, context))
    )
    assert.deepStrictEqual(
      failures.map(({ message }) => message),
      [
        "Invalid arguments for never: path: is missing",
        "Invalid arguments for never: path: is missing; limit: Expected a positive number, actual -1",
        'Invalid arguments for never: path: Expected a non empty string, actual ""; limit: Expected an integer, actual 1.5',
        'Invalid arguments for never: path: Expected string, actual 7; limit: Expected number, actual "2"; tags.1: Expected string, actual 1; tags.2: Expected string, actual null',
        "Invalid arguments for never: limit: Expected a positive number, actual 0"
      ]
    )
  })
)

it.effect("passes a failure of the tool on, with its details", () =>
  Effect.gen(function* () {
    const failure = new ToolFailure({ message: "no", details: { code: 1 } })
    const tool = Tool.make({ name: "no", description: "", parameters, run: () => failure })
    const { details, message } = yield* Effect.flip(tool.run({ path: "a" }, context))
    assert.deepStrictEqual({ message, details }, { message: "no", details: { code: 1 } })
  })
)

it("leaves empty details out", () => {
  assert.deepStrictEqual(Tool.textOutput("a"), { content: [{ type: "text", text: "a" }] })
  assert.deepStrictEqual(Tool.textOutput("a", {}), { content: [{ type: "text", text: "a" }] })
  assert.deepStrictEqual(Tool.textOutput("a", { n: 1 }), { content: [{ type: "text", text: "a" }], details: { n: 1 } })
})

it.effect("brings other spellings into form before they are checked", () =>
  Effect.gen(function* () {
    const tool = Tool.make({
      name: "echo",
      description: "",
      parameters,
      prepare: ({ file, ...rest }) => (file === undefined ? rest : { path: file, ...rest }),
      run: (args) => Effect.succeed(Tool.textOutput(JSON.stringify(args)))
    })
    assert.deepStrictEqual(yield* tool.run({ file: "a" }, context), Tool.textOutput('{"path":"a"}'))
    const { message } = yield* Effect.flip(tool.run({ file: 1 }, context))
    assert.strictEqual(message, "Invalid arguments for echo: path: Expected string, actual 1")
    assert.notInclude(JSON.stringify(tool.definition), "file")
  })
)
