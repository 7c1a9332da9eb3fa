import { assert, describe, it } from "@effect/vitest"
import { Anthropic } from "@anthropic-ai/sdk"
import { Effect } from "effect"
import OpenAI from "openai"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as AnthropicEvents from "../../../../src/layers/models/protocols/anthropic/AnthropicEvents.ts"
import * as ChatEvents from "../../../../src/layers/models/protocols/openai/ChatEvents.ts"
import type { Machine, Stop } from "../../../../src/layers/models/protocols/stream/Machine.ts"
import * as ResponsesEvents from "../../../../src/layers/models/protocols/openai/ResponsesEvents.ts"
import * as Loopback from "../../../support/LoopbackModel.ts"
import { all, collect, joined, stream } from "./support.ts"

const delta = (text: string): ModelEvent => ({ _tag: "Delta", delta: text })
const usage = (output: number, input = 12, cacheWrite = 340): ModelEvent => ({
  _tag: "UsageReported",
  tokens: { input, output, cacheRead: 5600, cacheWrite }
})
const call = (id: string, args: string): ReadonlyArray<ModelEvent> => [
  { _tag: "ToolCallStarted", id, name: "read" },
  delta(args),
  { _tag: "BlockEnded" }
]
const thinking = (text: string, signature: string): ReadonlyArray<ModelEvent> => [
  { _tag: "ThinkingStarted" },
  delta(text),
  { _tag: "BlockEnded", signature }
]
const reasoningItem =
  '{"id":"rs_01","type":"reasoning","encrypted_content":"gAAAAABo","summary":[{"type":"summary_text","text":"**Looking** 🧵"},{"type":"summary_text","text":"**Deciding**"}]}'

const expected: Record<(typeof all)[number]["name"], ReadonlyArray<ModelEvent>> = {
  anthropic: [
    usage(1),
    ...thinking("Two files: a, then b… 🧵", "EqQBCgIYAhIM"),
    { _tag: "ThinkingStarted" },
    { _tag: "BlockEnded", signature: "EmwKAhgBEgyReDacTed", redacted: true },
    { _tag: "TextStarted" },
    delta("I read both — “größer” 日本."),
    { _tag: "BlockEnded" },
    ...call("toolu_01A", '{"path": "a.txt"}'),
    ...call("toolu_01B", '{"path":"b.txt"}'),
    usage(89),
    { _tag: "Finished", stopReason: "toolUse", responseId: "msg_01Loom" }
  ],
  responses: [
    ...thinking("**Looking** 🧵\n\n**Deciding**", reasoningItem),
    { _tag: "TextStarted" },
    delta("Reading “größer” 日本."),
    { _tag: "BlockEnded", signature: "commentary" },
    ...call("call_A", '{"path":"a.txt"}'),
    ...call("call_B", '{"path":"b.txt"}'),
    usage(89, 400, 0),
    { _tag: "Finished", stopReason: "toolUse", responseId: "resp_01" }
  ],
  chat: [
    ...thinking("Two files 🧵", "reasoning_content"),
    { _tag: "TextStarted" },
    delta("Reading “größer” 日本."),
    { _tag: "BlockEnded" },
    ...call("call_A", '{"path":"a.txt"}'),
    { _tag: "ToolCallStarted", id: "call_B", name: "read" },
    delta('{"path":"b.txt"}'),
    usage(89, 400, 0),
    { _tag: "BlockEnded" },
    { _tag: "Finished", stopReason: "toolUse", responseId: "chatcmpl-01" }
  ]
}

const gather = async <Raw>(machine: Machine<Raw>, items: AsyncIterable<Raw>) => {
  const stops: Array<Stop | undefined> = []
  for await (const item of items) stops.push(machine.take(item))
  assert.deepStrictEqual(
    [...stops, machine.end()].filter((stop) => stop !== undefined),
    []
  )
  return joined(machine.drain())
}

/** The real decoder of the SDK over a body of some pieces, without a network. Thousands of bodies share its client. */
const makeDecode = (name: (typeof all)[number]["name"]) => {
  let body: ReadonlyArray<Uint8Array> = []
  const fetch = () => {
    const pieces = body
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    }
    const headers = { "content-type": "text/event-stream" }
    return Promise.resolve(new Response(new ReadableStream<Uint8Array>({ start }), { headers }))
  }
  const options = { apiKey: "k", maxRetries: 0, fetch } as const
  const anthropic = new Anthropic(options)
  const openai = new OpenAI(options)
  const messages = [{ role: "user" as const, content: "hi" }]
  const decoders = {
    anthropic: async () =>
      gather(
        AnthropicEvents.make(),
        await anthropic.messages.create({ model: "m", max_tokens: 1, messages, stream: true })
      ),
    chat: async () =>
      gather(ChatEvents.make(), await openai.chat.completions.create({ model: "m", messages, stream: true })),
    responses: async () =>
      gather(ResponsesEvents.make(), await openai.responses.create({ model: "m", input: "hi", stream: true }))
  }
  return (...pieces: ReadonlyArray<Uint8Array>) => {
    body = pieces
    return decoders[name]()
  }
}

describe.each(all)("$name", ({ name, protocol }) => {
  const decode = makeDecode(name)

  it.scoped("a recorded stream over HTTP", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(Loopback.sse(stream(name)))
      const { events, failure } = yield* collect(protocol, server.baseUrl)
      assert.deepStrictEqual(failure, undefined)
      assert.deepStrictEqual(joined(events), expected[name])
    })
  )

  it("cut at every byte gives the same events", async () => {
    const bytes = new TextEncoder().encode(stream(name))
    const same = JSON.stringify(expected[name])
    for (let at = 0; at <= bytes.length; at++) {
      const events = await decode(bytes.subarray(0, at), bytes.subarray(at))
      // The deep comparison takes longer than the decoding.
      if (JSON.stringify(events) !== same) assert.deepStrictEqual(events, expected[name], `cut at ${at}`)
    }
  }, 60_000)

  it("a byte at a time, and with CRLF, gives the same events", async () => {
    const bytes = new TextEncoder().encode(stream(name))
    const single = [...bytes].map((byte) => Uint8Array.of(byte))
    assert.deepStrictEqual(await decode(...single), expected[name])
    const crlf = new TextEncoder().encode(stream(name).replaceAll("\n", "\r\n"))
    assert.deepStrictEqual(await decode(crlf), expected[name])
  })

  it.scoped("a stream that ends at any event before its last is a retryable failure", () =>
    Effect.gen(function* () {
      const events = stream(name)
        .split("\n\n")
        .filter((event) => event.trim() !== "")
      // Chat is complete at its finish_reason, two events before the sentinel.
      const complete = name === "chat" ? events.length - 2 : events.length
      const cuts = Array.from({ length: complete - 1 }, (_, at) => at)
      const server = yield* Loopback.make(
        ...cuts.map((at) => Loopback.sse(...events.slice(0, at).map((event) => `${event}\n\n`)))
      )
      for (const at of cuts) {
        const { failure } = yield* collect(protocol, server.baseUrl)
        assert.deepStrictEqual([failure?.reason, failure?.retryable], ["stream_ended", true], `cut at ${at}`)
      }
    })
  )
})
