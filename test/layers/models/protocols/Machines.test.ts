import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { ChatCompletionChunk } from "openai/resources/chat/completions"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as Blocks from "../../../../src/layers/models/protocols/stream/Blocks.ts"
import * as ChatEvents from "../../../../src/layers/models/protocols/openai/ChatEvents.ts"
import { joined } from "./support.ts"

type Call = ChatCompletionChunk.Choice.Delta.ToolCall

const chunk = (
  delta: object,
  finish_reason: ChatCompletionChunk.Choice["finish_reason"] = null
): ChatCompletionChunk => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 0,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }]
})
const calls = (...tool_calls: ReadonlyArray<Call>) => chunk({ tool_calls })
const part = (index: number, args: string, id?: string): Call => ({
  index,
  ...(id === undefined ? {} : { id }),
  function: { ...(id === undefined ? {} : { name: `tool_${id}` }), arguments: args }
})
const run = (...chunks: ReadonlyArray<ChatCompletionChunk>) => {
  const machine = ChatEvents.make()
  const stops = [...chunks, chunk({}, "tool_calls")].map(machine.take)
  assert.deepStrictEqual(
    [...stops, machine.end()].filter((stop) => stop !== undefined),
    []
  )
  return joined(machine.drain())
}
const called = (id: string, args: string): ReadonlyArray<ModelEvent> => [
  { _tag: "ToolCallStarted", id, name: `tool_${id}` },
  { _tag: "Delta", delta: args },
  { _tag: "BlockEnded" }
]
const finished: ModelEvent = { _tag: "Finished", stopReason: "toolUse", responseId: "c" }

describe("chat servers and their calls", () => {
  const both = [...called("a", '{"x":1}'), ...called("b", '{"y":2}'), finished]
  const rows = [
    ["in one chunk", [calls(part(0, '{"x":1}', "a"), part(1, '{"y":2}', "b"))]],
    [
      "interleaved",
      [calls(part(0, '{"x"', "a")), calls(part(1, '{"y"', "b")), calls(part(0, ":1}")), calls(part(1, ":2}"))]
    ],
    ["all with index 0", [calls(part(0, '{"x":1}', "a")), calls(part(0, '{"y":2}', "b"))]],
    ["the id repeated", [calls(part(0, '{"x"', "a")), calls(part(0, ":1}", "a")), calls(part(1, '{"y":2}', "b"))]]
  ] as const
  it.each(rows)("%s", (_, chunks) => assert.deepStrictEqual(run(...chunks), both))

  it("calls without an id get one, and text between calls is a block of its own", () => {
    const nameless = calls({ index: 0, function: { name: "ls", arguments: "{}" } })
    assert.deepStrictEqual(run(nameless, chunk({ content: "then" }), calls(part(1, "", "b"))), [
      { _tag: "ToolCallStarted", id: "call_0", name: "ls" },
      { _tag: "Delta", delta: "{}" },
      { _tag: "BlockEnded" },
      { _tag: "TextStarted" },
      { _tag: "Delta", delta: "then" },
      { _tag: "BlockEnded" },
      { _tag: "ToolCallStarted", id: "b", name: "tool_b" },
      { _tag: "BlockEnded" },
      finished
    ])
  })

  it.each(["reasoning_content", "reasoning", "reasoning_text"])("%s is thinking", (field) => {
    assert.deepStrictEqual(run(chunk({ [field]: "hm" })).slice(0, 3), [
      { _tag: "ThinkingStarted" },
      { _tag: "Delta", delta: "hm" },
      { _tag: "BlockEnded", signature: field }
    ])
  })
})

describe("blocks", () => {
  it("come out one after the other and whole, however they were mixed", () => {
    const step = fc.record({ key: fc.nat(3), act: fc.constantFrom("start", "delta", "delta", "end") })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const blocks = Blocks.make()
        const sent = new Map<number, string>()
        const out: Array<ModelEvent> = []
        for (const [n, { act, key }] of steps.entries()) {
          if (act === "start" && !sent.has(key)) {
            sent.set(key, "")
            blocks.start(key, { _tag: "ToolCallStarted", id: String(key), name: "t" })
          } else if (act === "delta" && sent.has(key) && !sent.get(key)?.endsWith("!")) {
            sent.set(key, `${sent.get(key)}${n},`)
            blocks.delta(key, `${n},`)
          } else if (act === "end" && sent.has(key) && !sent.get(key)?.endsWith("!")) {
            sent.set(key, `${sent.get(key)}!`)
            blocks.end(key)
          }
          out.push(...blocks.drain())
        }
        blocks.endAll()
        const events = joined([...out, ...blocks.drain()])
        const got = new Map<number, string>()
        let open: number | undefined
        for (const event of events) {
          if (event._tag === "ToolCallStarted") {
            assert.isUndefined(open)
            open = Number(event.id)
            got.set(open, "")
          } else if (event._tag === "Delta" && open !== undefined) got.set(open, event.delta)
          else if (event._tag === "BlockEnded") open = undefined
        }
        assert.isUndefined(open)
        assert.deepStrictEqual(got, new Map([...sent].map(([key, text]) => [key, text.replace("!", "")])))
      })
    )
  })
})
