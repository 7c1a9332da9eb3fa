import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AssistantDraft from "../../../../src/domain/conversation/AssistantDraft.ts"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as Loopback from "../../../support/LoopbackModel.ts"
import { anthropic, chat, collect, model, responses } from "./support.ts"

interface Event {
  readonly type: string
  readonly [field: string]: unknown
}

const named = (...events: ReadonlyArray<Event>) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
const unnamed = (...chunks: ReadonlyArray<object>) =>
  `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`

const anthropicStream = (stop_reason: string | null, ...blocks: ReadonlyArray<Event>) =>
  named(
    { type: "message_start", message: { id: "r" } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason } },
    { type: "message_stop" }
  )
const responsesStream = (reason: string | undefined, ...items: ReadonlyArray<Event>) => {
  const type = reason === undefined ? "response.completed" : "response.incomplete"
  return named(...items, {
    type,
    response: { id: "r", incomplete_details: reason === undefined ? null : { reason } }
  })
}
const chatStream = (finish_reason: string, delta: object) =>
  unnamed(
    { id: "r", choices: [{ index: 0, delta, finish_reason: null }] },
    { id: "r", choices: [{ delta: {}, finish_reason }] }
  )

const toolUse = {
  type: "content_block_start",
  index: 0,
  content_block: { type: "tool_use", id: "t", name: "write", input: {} }
}
const json = (partial_json: string) => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "input_json_delta", partial_json }
})
const item = {
  type: "response.output_item.added",
  output_index: 0,
  item: { type: "function_call", call_id: "t", name: "write" }
}
const args = (delta: string) => ({ type: "response.function_call_arguments.delta", output_index: 0, delta })
const call = (text: string) => ({ tool_calls: [{ index: 0, id: "t", function: { name: "write", arguments: text } }] })

const draftOf = (events: ReadonlyArray<ModelEvent>) =>
  events.reduce((draft, event) => AssistantDraft.apply(draft, event)[0], AssistantDraft.empty(model(), 0))

describe("how answers end", () => {
  const rows = [
    [anthropic, anthropicStream("end_turn"), "stop"],
    [anthropic, anthropicStream("stop_sequence"), "stop"],
    [anthropic, anthropicStream("pause_turn"), "stop"],
    [anthropic, anthropicStream(null), "stop"],
    [anthropic, anthropicStream("max_tokens"), "length"],
    [anthropic, anthropicStream("model_context_window_exceeded"), "length"],
    [anthropic, anthropicStream("tool_use", toolUse), "toolUse"],
    [responses, responsesStream(undefined), "stop"],
    [responses, responsesStream("max_output_tokens"), "length"],
    [responses, responsesStream(undefined, item), "toolUse"],
    [chat, chatStream("stop", { content: "x" }), "stop"],
    [chat, chatStream("eos", { content: "x" }), "stop"],
    [chat, chatStream("length", { content: "x" }), "length"],
    [chat, chatStream("stop", call("{}")), "toolUse"],
    [chat, chatStream("function_call", call("{}")), "toolUse"]
  ] as const
  for (const [protocol, text, expected] of rows)
    it.scoped(`${protocol.api} ${expected}`, () =>
      Effect.gen(function* () {
        const server = yield* Loopback.make(Loopback.sse(text))
        const { events, failure } = yield* collect(protocol, server.baseUrl)
        assert.deepStrictEqual(failure, undefined)
        assert.deepStrictEqual(events.at(-1), { _tag: "Finished", stopReason: expected, responseId: "r" })
      })
    )

  const cut = '{"path":"a.txt","text":"onc'
  const cutOff = [
    [anthropic, anthropicStream("max_tokens", toolUse, json(cut))],
    [responses, responsesStream("max_output_tokens", item, args(cut))],
    [chat, chatStream("length", call(cut))]
  ] as const
  for (const [protocol, text] of cutOff)
    it.scoped(`${protocol.api}: a call that the limit cut off is not run`, () =>
      Effect.gen(function* () {
        const server = yield* Loopback.make(Loopback.sse(text))
        const { events } = yield* collect(protocol, server.baseUrl)
        assert.deepStrictEqual(AssistantDraft.requestedCalls(draftOf(events)), [
          {
            call: { type: "toolCall", id: "t", name: "write", arguments: { path: "a.txt", text: "onc" } },
            state: "unfinished"
          }
        ])
      })
    )

  const pieces = Array.from({ length: 5000 }, (_, n) => `piece ${n} of the text;`)
  const long = [
    [anthropic, anthropicStream("tool_use", toolUse, json('{"text":"'), ...pieces.map(json), json('"}'))],
    [responses, responsesStream(undefined, item, args('{"text":"'), ...pieces.map(args), args('"}'))],
    [
      chat,
      unnamed(...['{"text":"', ...pieces, '"}'].map((text) => ({ id: "r", choices: [{ delta: call(text) }] })), {
        choices: [{ finish_reason: "stop" }]
      })
    ]
  ] as const
  for (const [protocol, text] of long)
    it.scoped(`${protocol.api}: long arguments arrive whole`, () =>
      Effect.gen(function* () {
        const server = yield* Loopback.make(Loopback.sse(text))
        const { events } = yield* collect(protocol, server.baseUrl)
        const [requested] = AssistantDraft.requestedCalls(draftOf(events))
        assert.deepStrictEqual(requested?.state, "ready")
        assert.deepStrictEqual(requested?.call.arguments, { text: pieces.join("") })
      })
    )

  it.scoped("input that comes whole with the start of a call is used", () =>
    Effect.gen(function* () {
      const whole = { ...toolUse, content_block: { ...toolUse.content_block, input: { path: "a" } } }
      const stop = { type: "content_block_stop", index: 0 }
      const server = yield* Loopback.make(Loopback.sse(anthropicStream("tool_use", whole, stop)))
      const { events } = yield* collect(anthropic, server.baseUrl)
      assert.deepStrictEqual(AssistantDraft.requestedCalls(draftOf(events))[0]?.call.arguments, { path: "a" })
    })
  )
})
