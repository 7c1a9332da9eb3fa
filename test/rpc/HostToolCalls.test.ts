import { assert, it } from "@effect/vitest"
import { Effect, Either, Fiber, Ref } from "effect"
import { text } from "../../src/domain/conversation/Content.ts"
import type { ToolOutput } from "../../src/domain/conversation/Message.ts"
import * as HostToolCalls from "../../src/rpc/HostToolCalls.ts"
import { readDefinitions } from "../../src/rpc/protocol/HostToolFrames.ts"
import { Ids } from "../../src/services/Ids.ts"
import * as FixedIds from "../support/agent/FixedIds.ts"
import { interruptible } from "../support/agent/ToolCall.ts"

const output = (said: string): ToolOutput => ({ content: [text(said)] })
const definition = { name: "echo", description: "Echoes.", parameters: {} }

const setUp = Effect.gen(function* () {
  const sent: Array<object> = []
  const calls = HostToolCalls.make(yield* Ids, (frame) => sent.push(frame))
  const shown = yield* Ref.make<ReadonlyArray<ToolOutput>>([])
  const progress = (partial: ToolOutput) => Ref.update(shown, (all) => [...all, partial])
  const tool = calls.toTool(definition)
  const { answered, call } = interruptible({ progress })
  const begin = (toolCallId: string) =>
    Effect.tap(Effect.fork(Effect.either(tool.call({ of: toolCallId }, { ...call, toolCallId }))), Effect.yieldNow())
  const update = (id: unknown, partialResult: unknown) =>
    calls.receive("host_tool_update", { type: "host_tool_update", id, partialResult })
  const result = (id: unknown, value: unknown, more: object = {}) =>
    calls.receive("host_tool_result", { type: "host_tool_result", id, result: value, ...more })
  const join = <A>(call: Fiber.Fiber<A>) => Fiber.join(call)
  return { sent, calls, tool, answered, shown: Ref.get(shown), begin, update, result, join }
}).pipe(Effect.provide(FixedIds.layer))

const called = (id: string, toolCallId: string) => ({
  type: "host_tool_call",
  id,
  toolCallId,
  toolName: "echo",
  arguments: { of: toolCallId }
})

it.effect("two calls at once are answered in any order, and each answer counts once", () =>
  Effect.gen(function* () {
    const { begin, calls, join, result, sent, shown, update } = yield* setUp
    const [a, b] = [yield* begin("A"), yield* begin("B")]
    assert.deepStrictEqual(sent, [called("host_1", "A"), called("host_2", "B")])
    update("host_2", output("half of B"))
    result("host_2", output("B done"))
    result("host_2", output("B again"))
    update("host_2", output("too late"))
    assert.deepStrictEqual(yield* join(b), Either.right(output("B done")))
    for (const id of ["host_2", "host_3", 1, undefined]) assert.isTrue(result(id, output("ignored")))
    assert.isTrue(calls.receive("host_tool_result", { type: "host_tool_result" }))
    assert.isFalse(calls.receive("prompt", { type: "prompt", id: "host_1" }))
    assert.isNull(a.unsafePoll())
    result("host_1", output("A done"))
    assert.deepStrictEqual(yield* join(a), Either.right(output("A done")))
    assert.deepStrictEqual(yield* shown, [output("half of B")])
    assert.strictEqual(sent.length, 2)
  })
)

const answers: ReadonlyArray<
  readonly [what: string, frame: object, failure: string, content?: unknown, details?: unknown]
> = [
  ["no result", {}, 'Invalid host_tool_result payload: "result" must be an object'],
  ["null", { result: null }, 'Invalid host_tool_result payload: "result" must be an object'],
  [
    "content that is no list",
    { result: { content: "x" } },
    'Invalid host_tool_result payload: "result.content" must be an array'
  ],
  [
    "a block without its text",
    { result: { content: [text("fine"), { type: "text" }] } },
    'Invalid host_tool_result payload: "result.content[1].text" must be a string'
  ],
  [
    "a block of no kind",
    { result: { content: [{ type: "txt", text: "a" }] } },
    'Invalid host_tool_result payload: "result.content[0].type" must be "text" or "image"'
  ],
  [
    "an isError that says neither yes nor no",
    { result: { content: [text("ok?")] }, isError: "false" },
    'Invalid host_tool_result payload: "isError" must be true or false'
  ],
  [
    "more bad blocks than anybody reads about",
    { result: { content: Array.from({ length: 12 }, () => 1) } },
    `Invalid host_tool_result payload: ${Array.from({ length: 10 }, (_, at) => `"result.content[${at}]" must be an object`).join("; ")}; and 2 more`
  ],
  [
    "an error with details",
    { result: { content: [text("no"), text(" way")], details: { code: 3 } }, isError: true },
    "no way",
    [text("no"), text(" way")],
    { code: 3 }
  ],
  [
    "an error that says nothing but shows something",
    { result: { content: [text(" "), { type: "image", data: "AA==", mimeType: "image/png" }] }, isError: true },
    "Host tool execution failed",
    [text("Host tool execution failed"), { type: "image", data: "AA==", mimeType: "image/png" }]
  ],
  [
    "an error without content and odd details",
    { result: { content: [], details: "odd" }, isError: true },
    "Host tool execution failed",
    [text("Host tool execution failed")],
    { value: "odd" }
  ]
]

it.effect.each(answers)("fails the call and does not cancel it: %s", ([, frame, message, content, details]) =>
  Effect.gen(function* () {
    const { begin, calls, join, sent } = yield* setUp
    const call = yield* begin("A")
    calls.receive("host_tool_result", { type: "host_tool_result", id: "host_1", ...frame })
    const failure = Either.getOrThrow(Either.flip(yield* join(call)))
    assert.deepStrictEqual([failure.message, failure.content, failure.details], [message, content, details])
    assert.strictEqual(sent.length, 1)
  })
)

it.effect("null counts as absent, and a warning stays one", () =>
  Effect.gen(function* () {
    const { begin, join, result } = yield* setUp
    const [a, b] = [yield* begin("A"), yield* begin("B")]
    result("host_1", { ...output("fine"), details: null, isWarning: null }, { isError: null })
    result("host_2", { ...output("look at this"), isWarning: true }, { isError: false })
    assert.deepStrictEqual(yield* join(a), Either.right(output("fine")))
    assert.deepStrictEqual(yield* join(b), Either.right({ ...output("look at this"), isWarning: true }))
  })
)

it.effect("progress that cannot be read fails the call, and the host is told to stop", () =>
  Effect.gen(function* () {
    const { begin, join, sent, update } = yield* setUp
    const call = yield* begin("A")
    update("host_1", { content: 1 })
    const failure = Either.getOrThrow(Either.flip(yield* join(call)))
    assert.strictEqual(failure.message, 'Invalid host_tool_update payload: "partialResult.content" must be an array')
    assert.deepStrictEqual(sent[1], { type: "host_tool_cancel", id: "host_cancel_1", targetId: "host_1" })
  })
)

it.effect("an interrupt is passed on exactly once, and not for what the host has answered", () =>
  Effect.gen(function* () {
    const { begin, result, sent } = yield* setUp
    const [a, b] = [yield* begin("A"), yield* begin("B")]
    result("host_2", output("done just now"))
    yield* Fiber.interruptAll([a, b])
    yield* Fiber.interruptAll([a, b])
    result("host_1", output("late"))
    assert.deepStrictEqual(sent.slice(2), [{ type: "host_tool_cancel", id: "host_cancel_1", targetId: "host_1" }])
  })
)

it.effect("an interrupted call answers with the newest update of the host, shown or not", () =>
  Effect.gen(function* () {
    const { answered, begin, shown, update } = yield* setUp
    const [call, silent] = [yield* begin("A"), yield* begin("B")]
    update("host_1", output("half"))
    update("host_1", output("more"))
    yield* Fiber.interrupt(call)
    assert.deepStrictEqual(yield* shown, [])
    assert.deepStrictEqual(answered(), { content: [text("more\n\nStopped")], details: {} })
    yield* Fiber.interrupt(silent)
  })
)

it.effect("a host that goes fails what it has not answered and everything after that, without a frame", () =>
  Effect.gen(function* () {
    const { begin, calls, join, result, sent, tool } = yield* setUp
    const lost = "RPC client disconnected before host tool execution completed"
    const [a, b] = [yield* begin("A"), yield* begin("B")]
    result("host_2", output("in time"))
    assert.strictEqual(tool.abortedText?.(), 'Host tool "echo" was aborted')
    calls.disconnect()
    assert.strictEqual(tool.abortedText?.(), lost)
    assert.strictEqual(Either.getOrThrow(Either.flip(yield* join(a))).message, lost)
    assert.deepStrictEqual(yield* join(b), Either.right(output("in time")))
    assert.strictEqual(Either.getOrThrow(Either.flip(yield* join(yield* begin("C")))).message, lost)
    assert.strictEqual(sent.length, 2)
  })
)

it.effect(
  "a flood of progress stays small: the newest 64 updates that wait are shown, each of which repeats the older ones",
  () =>
    Effect.gen(function* () {
      const { begin, join, result, shown, update } = yield* setUp
      const call = yield* begin("A")
      for (let i = 0; i < 10_000; i++) update("host_1", output(`${i}`))
      result("host_1", output("done"))
      assert.deepStrictEqual(yield* join(call), Either.right(output("done")))
      const seen = yield* shown
      assert.strictEqual(seen.length, 64)
      assert.deepStrictEqual([seen[0], seen.at(-1)], [output("9936"), output("9999")])
    })
)

const good = { name: "a", description: "d", parameters: { type: "object" } }
const definitions: ReadonlyArray<readonly [tools: ReadonlyArray<unknown>, expected: unknown]> = [
  [[], []],
  [[good], [{ ...good, label: "a" }]],
  [[{ ...good, name: " MyTool ", label: " My Tool " }], [{ ...good, name: "MyTool", label: "My Tool" }]],
  [
    [{ ...good, hidden: true, timeoutMs: 1, loadMode: "x", readsSkillUris: 1 }],
    [{ ...good, label: "a", hidden: true, timeoutMs: 1 }]
  ],
  [[{ ...good, hidden: "yes" }], [{ ...good, label: "a" }]],
  [[{ ...good, label: 5, hidden: null }], [{ ...good, label: "a" }]],
  [[{ ...good, label: " " }], [{ ...good, label: "a" }]],
  [[{ ...good, description: " two words " }], [{ ...good, label: "a", description: "two words" }]],
  [[{ ...good, name: " a ", parameters: 1 }], 'Host tool "a" must provide a JSON Schema object'],
  [[{ label: "x", timeoutMs: -1 }], "Host tool at index 0 must provide a non-empty name"],
  [[{ ...good, description: 1, parameters: 1, timeoutMs: -1 }], 'Host tool "a" must provide a non-empty description'],
  [[good, 5], "Host tool at index 1 must provide a non-empty name"],
  [[{ ...good, name: 5 }], "Host tool at index 0 must provide a non-empty name"],
  [[{ ...good, name: "\t" }], "Host tool at index 0 must provide a non-empty name"],
  [[{ ...good, description: " " }], 'Host tool "a" must provide a non-empty description'],
  [[{ name: "a", parameters: {} }], 'Host tool "a" must provide a non-empty description'],
  [[{ ...good, parameters: null }], 'Host tool "a" must provide a JSON Schema object'],
  [[{ ...good, parameters: [] }], 'Host tool "a" must provide a JSON Schema object'],
  [[{ ...good, parameters: "{}" }], 'Host tool "a" must provide a JSON Schema object'],
  ...[0, -1, "5", null].map(
    (timeoutMs) => [[{ ...good, timeoutMs }], 'Host tool "a" must provide a positive timeoutMs'] as const
  )
]

it.each(definitions)("definitions %j", (tools, expected) => {
  assert.deepStrictEqual(Either.merge<unknown, unknown>(readDefinitions(tools)), expected)
})
