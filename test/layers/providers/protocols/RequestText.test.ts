import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { Message } from "../../../../src/domain/conversation/Message.ts"
import type { Compat } from "../../../../src/layers/providers/Protocol.ts"
import * as AnthropicRequest from "../../../../src/layers/providers/protocols/anthropic/AnthropicRequest.ts"
import * as ChatRequest from "../../../../src/layers/providers/protocols/openai/ChatRequest.ts"
import * as RequestText from "../../../../src/layers/providers/protocols/request/RequestText.ts"
import * as ResponsesRequest from "../../../../src/layers/providers/protocols/openai/ResponsesRequest.ts"
import { anyMessage, call, text, user } from "./anyMessage.ts"
import { assistant, budgets, model, request, result } from "./support.ts"

type TextOf = ReturnType<typeof RequestText.make>

const strict: Compat = { requiresAssistantAfterToolResult: true, requiresThinkingAsText: true }
const compats: ReadonlyArray<Compat> = [{}, strict]
const models = [model(), model({ id: "m2" }), model({ input: ["text"] })]
const tools = [request().tools, []]

/** What is asked next: some messages of the conversation are taken back, others are added. */
const step = fc.record({
  back: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat({ max: 12 })),
  added: fc.array(anyMessage, { maxLength: 6 }),
  target: fc.oneof({ weight: 9, arbitrary: fc.constant(models[0]) }, fc.constantFrom(...models)),
  compat: fc.oneof({ weight: 9, arbitrary: fc.constant(compats[0]) }, fc.constantFrom(...compats)),
  thinkingLevel: fc.constantFrom(...(["off", "off", "high"] as const)),
  systemPrompt: fc.constantFrom("Be brief.", "Be brief.", ""),
  tools: fc.constantFrom(...tools),
  /** What was left for later is done before the next call. */
  inTime: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean())
})

type Later = (go: () => void) => void
const atOnce: Later = (go) => go()

const formats: ReadonlyArray<readonly [name: string, make: (later: Later) => TextOf]> = [
  ["anthropic-messages", (later) => RequestText.make(AnthropicRequest.format(budgets), later)],
  ["openai-completions", (later) => RequestText.make(ChatRequest.format, later)],
  ["openai-responses", (later) => RequestText.make(ResponsesRequest.format, later)]
]

describe.each(formats)("%s", (_name, make) => {
  it("is the same text, whatever was asked before", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const waiting: Array<() => void> = []
        const kept = make((go) => void waiting.push(go))
        let messages: ReadonlyArray<Message> = [user("first")]
        for (const { added, back, compat = {}, inTime, target = model(), ...rest } of steps) {
          messages = [...messages.slice(0, Math.max(1, messages.length - back)), ...added]
          const asked = request({ ...rest, messages, model: target })
          const said = kept(asked, compat)
          assert.strictEqual(said, make(atOnce)(asked, compat))
          if (inTime) for (const go of waiting.splice(0)) go()
          assert.isObject(JSON.parse(said))
        }
      }),
      { numRuns: 300 }
    )
  })

  it("without a conversation it is still a body", () => {
    const empty = make(atOnce)(request({ messages: [], systemPrompt: "" }), {})
    assert.match(empty, /"(messages|input)":\[\]\}$/)
  })
})

describe("a long conversation", () => {
  it("costs what was added to it: old messages are not made again", () => {
    let made = 0
    const counting: typeof ResponsesRequest.format = {
      ...ResponsesRequest.format,
      items: (messages, compat) => {
        made += messages.length
        return ResponsesRequest.format.items(messages, compat)
      }
    }
    const textOf = RequestText.make(counting, atOnce)
    const target = model({ api: "openai-responses" })
    const messages: Array<Message> = []
    const compat = {}
    const costs: Array<number> = []
    for (let turn = 0; turn < 60; turn++) {
      messages.push(user(`question ${turn}`), assistant([call("t")]), result("t", "r"), assistant([text("done")]))
      made = 0
      textOf(request({ model: target, messages: [...messages, user("next")] }), compat)
      costs.push(made)
    }
    assert.deepStrictEqual(new Set(costs.slice(5)).size, 1, costs.join(" "))
    assert.isBelow(costs.at(-1) ?? 0, 25)
  })
})
