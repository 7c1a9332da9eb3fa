import { assert, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { JsonObject } from "../../../../src/domain/conversation/Content.ts"
import { text } from "../../../../src/domain/conversation/Content.ts"
import { zero } from "../../../../src/domain/model/Usage.ts"
import * as ForeignTool from "../../../../src/layers/tools/foreign/ForeignTool.ts"
import { type ToolContext, ToolFailure } from "../../../../src/services/Tools.ts"
import { sourceInfo } from "../../../support/agent/SlashFakes.ts"
import { context } from "../../../support/agent/ToolCall.ts"

const kind = Symbol.for("TypeBox.Kind")

/** As TypeBox makes it: symbols, optional marks, functions. */
const parameters = {
  [kind]: "Object",
  type: "object",
  required: ["count"],
  properties: {
    count: { [kind]: "Integer", type: "integer", minimum: 1, "x-widget": "slider" },
    tags: { [kind]: "Array", type: "array", items: { type: "string" }, check: () => true },
    note: { type: "string", default: undefined }
  }
}
const plain = {
  type: "object",
  required: ["count"],
  properties: {
    count: { type: "integer", minimum: 1, "x-widget": "slider" },
    tags: { type: "array", items: { type: "string" } },
    note: { type: "string" }
  }
}

const base = { name: "todo", description: "Keeps a list", parameters, execute: () => Effect.succeed("done") }
const made = (more: Partial<ForeignTool.ForeignDefinition> = {}) =>
  Effect.orDie(ForeignTool.fromDefinition({ ...base, ...more }))

const call = (more: Partial<ForeignTool.ForeignDefinition>, args: JsonObject = { count: 1 }) =>
  Effect.flatMap(made(more), (tool) => tool.run(args, context))
const returning = (result: unknown) => call({ execute: () => Effect.succeed(result) })

it.effect("a definition becomes a tool with a plain schema", () =>
  Effect.gen(function* () {
    const tool = yield* made({
      label: "To do",
      promptSnippet: " Keeps\n the  list ",
      promptGuidelines: ["Use todo\nfor plans.", 5, "", "x".repeat(2000)],
      concurrency: "exclusive",
      source: sourceInfo
    })
    const { preview: _preview, run: _, ...rest } = tool
    assert.deepStrictEqual(rest, {
      definition: { name: "todo", description: "Keeps a list", parameters: plain },
      label: "To do",
      prompt: { snippet: "Keeps the list", guidelines: ["Use todo for plans.", `${"x".repeat(1000)}…`] },
      source: sourceInfo,
      concurrency: "exclusive",
      origin: "extension",
      abortedText: "Operation aborted"
    })
    assert.deepStrictEqual(Object.getOwnPropertySymbols(tool.definition.parameters), [])
    const bare = yield* made({ description: " ", parameters: undefined })
    assert.deepStrictEqual(bare.definition, { name: "todo", description: "todo", parameters: { type: "object" } })
    assert.deepStrictEqual(Object.keys(bare), ["definition", "concurrency", "origin", "abortedText", "preview", "run"])
  })
)

it("a definition that cannot be used is refused, and the text says why", () => {
  const own: Record<string, unknown> = { type: "object" }
  own["properties"] = { own }
  const cases: ReadonlyArray<readonly [Partial<ForeignTool.ForeignDefinition>, RegExp]> = [
    [{ name: "" }, /^A tool needs a name of 1 to 64 letters/],
    [{ name: "a.b" }, /not a\.b$/],
    [{ name: undefined }, /not undefined$/],
    [{ name: "x".repeat(65) }, /^A tool needs a name/],
    [{ parameters: "text" }, /^Tool "todo" has a JSON Schema that cannot be used: it must be a JSON Schema object$/],
    [{ parameters: { type: "string" } }, /type must be "object"/],
    [{ parameters: { properties: { a: { type: "strnig" } } } }, /properties\.a\.type must be one of/],
    [{ parameters: own }, /nested deeper than/]
  ]
  for (const [more, message] of cases) {
    const refused = Either.flip(ForeignTool.fromDefinition({ ...base, ...more }))
    assert.isTrue(Either.isRight(refused))
    if (Either.isRight(refused)) {
      assert.strictEqual(refused.right.reason, "definition")
      assert.match(refused.right.message, message)
    }
  }
})

it.effect("arguments are prepared, mended and checked, in this order", () =>
  Effect.gen(function* () {
    const given: Array<JsonObject> = []
    const execute = (args: JsonObject) => Effect.sync(() => void given.push(args))
    yield* call({ execute }, { count: "3", tags: "a", note: null })
    const prepareArguments = ({ n, ...rest }: JsonObject) => ({ ...rest, count: n })
    yield* call({ execute, prepareArguments }, { n: "4" })
    assert.deepStrictEqual(given, [{ count: 3, tags: ["a"] }, { count: 4 }])
    const { message } = yield* Effect.flip(call({ execute }, { tags: [1], note: {} }))
    for (const part of [/^Invalid arguments for todo: /, /tags\.0: /, /note: /, /"count"/]) assert.match(message, part)
    const throwing = () => {
      throw new Error("no such form")
    }
    const thrown = yield* Effect.flip(call({ execute, prepareArguments: throwing }))
    assert.strictEqual(thrown.message, "Invalid arguments for todo: no such form")
    const none = yield* Effect.flip(call({ execute, prepareArguments: () => "x" }))
    assert.strictEqual(none.message, "Invalid arguments for todo: the tool could not prepare them")
    assert.strictEqual(given.length, 2)
  })
)

it.effect("results are read in all their forms", () =>
  Effect.gen(function* () {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const
    assert.deepStrictEqual(yield* returning("said"), { content: [text("said")] })
    assert.deepStrictEqual(yield* returning(undefined), { content: [] })
    assert.deepStrictEqual(yield* returning({ content: "said", details: { a: 1 } }), {
      content: [text("said")],
      details: { a: 1 }
    })
    const blocks = [
      { ...text("a"), extra: 1 },
      { ...image, detail: "high" }
    ]
    assert.deepStrictEqual(yield* returning({ content: blocks, details: [1] }), {
      content: [text("a"), image],
      details: { value: [1] }
    })
    assert.deepStrictEqual(yield* returning({ content: [], terminate: true, usage: zero }), {
      content: [],
      terminate: true,
      usage: zero
    })
    assert.deepStrictEqual(yield* returning({ content: [], terminate: "yes", usage: { input: "x" } }), { content: [] })
    const failed = yield* Effect.flip(returning({ content: "bad", details: { a: 1 }, isError: true, terminate: true }))
    assert.deepStrictEqual(
      { ...failed },
      { ...new ToolFailure({ message: "bad", content: [text("bad")], details: { a: 1 }, terminate: true }) }
    )
  })
)

it.effect("a result that cannot be used is an error that the model is told; a huge one is cut", () =>
  Effect.gen(function* () {
    const hostile = {
      get content(): unknown {
        throw new Error("gotcha")
      }
    }
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [5, "content must be an array of text and image blocks"],
      [{ content: {} }, "content must be an array of text and image blocks"],
      [
        { content: [text("a"), { type: "video" }] },
        "content[1] must be a text block {type, text} or an image block {type, data, mimeType}"
      ],
      [{ content: Array.from({ length: 1001 }, () => text("a")) }, "content has more than 1000 blocks"],
      [
        { content: [{ type: "image", data: "x".repeat(20_000_001), mimeType: "image/png" }] },
        "its images have more than 20000000 characters"
      ],
      [hostile, "Error: gotcha"]
    ]
    for (const [result, problem] of cases) {
      const { message } = yield* Effect.flip(returning(result))
      assert.strictEqual(message, `The result of todo cannot be used: ${problem}`)
    }
    const huge = [text("a".repeat(999_999)), text("bcd"), text("e")]
    assert.deepStrictEqual((yield* returning({ content: huge })).content, [
      text("a".repeat(999_999)),
      text("b"),
      text("[Output truncated: the first 1000000 of 1000003 characters]")
    ])
    const { details } = yield* returning({ content: "", details: { text: "x".repeat(4_000_000) } })
    assert.deepStrictEqual(details, { omitted: "The details have 4000011 characters; at most 4000000 are kept" })
  })
)

it.effect("progress is shown where it can be read, and a bug in the tool answers the model", () =>
  Effect.gen(function* () {
    const shown: Array<unknown> = []
    const tool = yield* made({
      execute: (_, { progress, toolCallId }) =>
        Effect.forEach([`${toolCallId}: half`, { content: 5 }, { content: "more", details: { n: 1 } }], progress).pipe(
          Effect.zipRight(Effect.dieMessage("oops"))
        )
    })
    const progress: ToolContext["progress"] = (report) => Effect.sync(() => void shown.push(report))
    const failed = yield* Effect.flip(tool.run({ count: 1 }, { ...context, toolCallId: "c7", progress }))
    assert.deepStrictEqual(shown, [{ content: [text("c7: half")] }, { content: [text("more")], details: { n: 1 } }])
    assert.deepStrictEqual([failed._tag, failed.message], ["ToolFailure", "oops"])
  })
)
