import { assert, describe, it } from "@effect/vitest"
import * as Overflow from "../../../../../src/layers/pi/modules/ai/Overflow.ts"
import * as PiAi from "../../../../../src/layers/pi/modules/ai/PiAi.ts"
import type { AssistantEvent, ModelBindings } from "../../../../../src/layers/pi/modules/HostBindings.ts"
import { call, get } from "../../../../support/extensions/Calling.ts"
import { holding, model, other, plain } from "../../../../support/extensions/PlainBindings.ts"

const message = { role: "assistant", content: [], stopReason: "stop" }

const playing = async function* (events: ReadonlyArray<AssistantEvent>) {
  for (const event of events) yield event
}

const withStream = (stream: ModelBindings["stream"]) => PiAi.make(holding({ models: { ...plain.models, stream } }))

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value

const eventsOf = async (stream: unknown) => {
  const events: Array<unknown> = []
  if (isStream(stream)) for await (const event of stream) events.push(event)
  return events
}

const ai = PiAi.make(holding())

describe("small functions", () => {
  it("StringEnum is a plain JSON Schema", () => {
    assert.deepStrictEqual(call(ai, "StringEnum", ["a", "b"], { description: "which", default: "a" }), {
      type: "string",
      enum: ["a", "b"],
      description: "which",
      default: "a"
    })
    assert.deepStrictEqual(call(ai, "StringEnum", ["a"]), { type: "string", enum: ["a"] })
  })

  it("uuidv7 sorts by time and keeps a given one", () => {
    assert.isBelow(Number(`0x${String(call(ai, "uuidv7", 1000)).slice(0, 8)}`), 10)
    assert.match(String(call(ai, "uuidv7")), /^[\da-f]{8}-[\da-f]{4}-7/)
  })

  it("calculateCost writes into the usage", () => {
    const usage = { input: 1_000_000, output: 500_000, cacheRead: 0, cacheWrite: 0 }
    const cost = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 }
    assert.deepStrictEqual([call(ai, "calculateCost", model, usage), get(usage, "cost")], [cost, cost])
  })

  it("knows levels, models and providers", () => {
    assert.deepStrictEqual(call(ai, "getSupportedThinkingLevels", other), ["off"])
    assert.deepStrictEqual(call(ai, "clampThinkingLevel", model, "xhigh"), "high")
    assert.isFalse(call(ai, "supportsXhigh", model))
    assert.deepStrictEqual(call(ai, "getModels", "weaver"), [model])
    assert.deepStrictEqual(call(ai, "getModel", "spinner", "plain"), other)
    assert.isUndefined(call(ai, "getModel", "weaver", "plain"))
    assert.deepStrictEqual(call(ai, "getProviders"), ["weaver", "spinner"])
    assert.isTrue(call(ai, "modelsAreEqual", model, { ...model }))
    assert.isFalse(call(ai, "modelsAreEqual", undefined, undefined))
    assert.isTrue(call(ai, "hasApi", other, "anthropic-messages"))
    assert.strictEqual(get(ai, "PI_AI_VERSION"), "9.8.7")
  })

  it("reads texts and keys", () => {
    assert.strictEqual(
      call(ai, "contentText", [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }]),
      "a\nb"
    )
    assert.strictEqual(call(ai, "contentText", "x"), "x")
    assert.deepStrictEqual([call(ai, "getEnvApiKey", "weaver"), call(ai, "getEnvApiKey", "x")], ["k-1", undefined])
  })

  it("there is nobody to sign in with", () => {
    assert.deepStrictEqual(call(ai, "getOAuthProviders"), [])
    assert.isUndefined(call(ai, "getOAuthProvider", "anthropic"))
  })
})

describe("isContextOverflow", () => {
  it.each([
    [{ stopReason: "error", errorMessage: "prompt is too long: 9 tokens > 8 maximum" }, 0, true],
    [{ stopReason: "error", errorMessage: "This exceeds the context window" }, 0, true],
    [{ stopReason: "error", errorMessage: "maximum context length is 8 tokens" }, 0, true],
    [{ stopReason: "error", errorMessage: "overloaded" }, 0, false],
    [{ stopReason: "stop", usage: { input: 11, output: 1, cacheRead: 0 } }, 10, true],
    [{ stopReason: "length", usage: { input: 10, output: 0, cacheRead: 0 } }, 10, true],
    [{ stopReason: "stop", usage: { input: 9, output: 1, cacheRead: 0 } }, 10, false],
    [{ stopReason: "stop" }, 10, false]
  ])("%j in a window of %d: %s", (answer, window, expected) =>
    assert.strictEqual(Overflow.isContextOverflow(answer, window), expected)
  )

  it("the patterns are a copy", () => {
    Overflow.getOverflowPatterns().length = 0
    assert.isAbove(Overflow.getOverflowPatterns().length, 5)
  })
})

describe("model calls", () => {
  it("go through the host with model, context and options", async () => {
    const calls: Array<ReadonlyArray<unknown>> = []
    const events = [{ type: "start" }, { type: "done", message }]
    const module = withStream((...asked) => {
      calls.push(asked)
      return playing(events)
    })
    const options = { maxTokens: 5 }
    assert.deepStrictEqual(await call(module, "completeSimple", model, { messages: [] }, options), message)
    assert.deepStrictEqual(await call(module, "complete", model, { messages: [] }, options), message)
    assert.deepStrictEqual(await eventsOf(call(module, "streamSimple", model, {}, options)), events)
    assert.deepStrictEqual(await eventsOf(call(module, "streamAnthropic", model, {})), events)
    const api = call(module, "anthropicMessagesApi")
    assert.deepStrictEqual(await eventsOf(call(api, "streamSimple", model, {})), events)
    assert.deepStrictEqual(calls[0], [model, { messages: [] }, options])
    assert.strictEqual(calls.length, 5)
  })

  it("a host that fails is an answer that failed", async () => {
    const module = withStream(async function* () {
      yield { type: "start" }
      throw new Error("the line is dead")
    })
    const answer = await call(module, "complete", model, {})
    assert.deepStrictEqual(
      [get(answer, "stopReason"), get(answer, "errorMessage"), get(answer, "model")],
      ["error", "the line is dead", "loom-1"]
    )
  })

  it("an api that an extension registered goes first, until it is unregistered", async () => {
    const module = withStream(() => playing([{ type: "done", message: "host" }]))
    const own = () => playing([{ type: "done", message: "own" }])
    call(module, "registerApiProvider", { api: model.api, stream: own, streamSimple: own }, "my-extension")
    assert.strictEqual(await call(module, "complete", model, {}), "own")
    assert.strictEqual(await call(module, "completeSimple", other, {}), "host")
    assert.strictEqual(get(call(module, "getApiProvider", model.api), "stream"), own)
    assert.deepStrictEqual(
      Array.from(Object(call(module, "getApiProviders")), (api) => get(api, "api")),
      [model.api, other.api]
    )
    call(module, "unregisterApiProviders", "my-extension")
    assert.strictEqual(await call(module, "complete", model, {}), "host")
  })
})
