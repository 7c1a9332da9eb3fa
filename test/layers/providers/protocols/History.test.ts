import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { OutputContent, ToolCall } from "../../../../src/domain/Content.ts"
import { type Message, userMessage } from "../../../../src/domain/Message.ts"
import * as History from "../../../../src/layers/providers/protocols/History.ts"
import { assistant, model, result } from "./support.ts"

const user = (text: string) => userMessage(text, [], 0)
const call = (id: string): ToolCall => ({ type: "toolCall", id, name: "read", arguments: { path: id } })
const text = (value: string): OutputContent => ({ type: "text", text: value })
const signed: OutputContent = { type: "thinking", thinking: "hm", thinkingSignature: "sig" }
const redacted: OutputContent = { type: "thinking", thinking: "", thinkingSignature: "data", redacted: true }
const picture = { type: "image", data: "AAAA", mimeType: "image/png" } as const
const prepare = (...messages: ReadonlyArray<Message>) => History.prepare(messages, model())

describe("context conversion", () => {
  it("its own messages stay as they are", () => {
    const messages = [user("a"), assistant([signed, redacted, text("b"), call("t1")]), result("t1", "r"), user("c")]
    assert.deepStrictEqual(prepare(...messages), messages)
  })

  it("results stand in call order, missing ones are made up, orphans dropped", () => {
    const asked = assistant([call("t1"), call("t2"), call("t3")])
    const messages = [
      user("a"),
      result("t0", "orphan"),
      asked,
      result("t3", "3"),
      user("b"),
      result("t1", "1"),
      result("t9", "orphan")
    ]
    assert.deepStrictEqual(prepare(...messages), [
      user("a"),
      asked,
      result("t1", "1"),
      result("t2", History.interruptedText, true),
      result("t3", "3"),
      user("b")
    ])
  })

  it.each(["error", "aborted"] as const)("of a message that ended with %s only its text is left", (stopReason) => {
    const cut = assistant([signed, text("half"), text("  "), call("t1")], { stopReason })
    const empty = assistant([signed, call("t2")], { stopReason })
    assert.deepStrictEqual(
      prepare(user("a"), cut, result("t1", "no"), user("b"), empty, result("t2", "no"), user("c")),
      [
        user("a"),
        assistant([text("half")], { stopReason }),
        { ...user("b"), content: [...user("b").content, ...user("c").content] }
      ]
    )
  })

  it.each([{ model: "m0" }, { provider: "other" }, { api: "openai-responses" }])(
    "of another model %j only words are kept",
    (other) => {
      const foreign = assistant([signed, redacted, { type: "text", text: "b", textSignature: "s" }], other)
      assert.deepStrictEqual(prepare(user("a"), foreign), [user("a"), assistant([text("hm"), text("b")], other)])
    }
  )

  it("images are told to a model that cannot see them", () => {
    const shown = userMessage("look", [picture], 0)
    const answer = { ...result("t1", "r"), content: [picture] }
    const blind = History.prepare([shown, assistant([call("t1")]), answer], model({ input: ["text"] }))
    const omitted = { type: "text", text: History.imageOmittedText } as const
    assert.deepStrictEqual(blind, [
      { ...shown, content: [{ type: "text", text: "look" }, omitted] },
      assistant([call("t1")]),
      { ...answer, content: [omitted] }
    ])
  })

  const ids = (messages: ReadonlyArray<Message>) => ({
    calls: messages.flatMap((message) =>
      message.role === "assistant"
        ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
        : []
    ),
    results: messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []))
  })

  it("ids are made fit for every provider, the same at both ends, each once", () => {
    const long = `call_${"x".repeat(100)}`
    const messages = ["call_1|fc_2", "call_1:fc_2", long, `${long}y`, "", "", "call_1|fc_2"].flatMap((id) => [
      assistant([call(id)]),
      result(id, id)
    ])
    const { calls, results } = ids(prepare(...messages))
    assert.deepStrictEqual(calls, results)
    assert.deepStrictEqual(calls.slice(0, 2), ["call_1_fc_2", "call_1_fc_2_2"])
    assert.deepStrictEqual(new Set(calls).size, 7)
  })

  const block = fc.oneof(
    fc.string({ maxLength: 5 }).map(text),
    fc.constantFrom(signed, redacted),
    fc.constantFrom("a", "b", "a b", "").map(call)
  )
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.string({ maxLength: 3 }).map(user),
    fc.constantFrom("a", "b", "a b", "", "z").map((id) => result(id, "r")),
    fc
      .record({
        content: fc.array(block, { maxLength: 4 }),
        stopReason: fc.constantFrom(...(["stop", "toolUse", "error", "aborted"] as const)),
        model: fc.constantFrom("m1", "m2")
      })
      .map(({ content, ...rest }) => assistant(content, rest))
  )

  it("any history comes out well formed, and stays what it is when prepared again", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const out = prepare(...messages)
        const { calls, results } = ids(out)
        assert.deepStrictEqual(calls, results)
        assert.isTrue(calls.every((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id)))
        assert.deepStrictEqual(new Set(calls).size, calls.length)
        assert.isFalse(out.some((entry, index) => entry.role === "user" && out[index + 1]?.role === "user"))
        assert.deepStrictEqual(prepare(...out), out)
      })
    )
  })

  it("what was made once is not made again, until a result, a name or the model is another", () => {
    const target = model()
    const messages = [user("a"), assistant([text("b"), call("t")]), result("t", "r"), user("c")]
    const before = History.prepare(messages, target)
    const after = History.prepare([...messages, assistant([call("t")]), result("t", "s")], target)
    assert.isTrue(before.every((entry, index) => entry === after[index]))
    const other = History.prepare([...messages.slice(0, 2), result("t", "other")], target)
    assert.deepStrictEqual(other, [...messages.slice(0, 2), result("t", "other")])
    const renamed = ids(History.prepare([assistant([call("t")]), ...messages], target))
    assert.deepStrictEqual(
      [renamed.calls, renamed.results],
      [
        ["t", "t_2"],
        ["t", "t_2"]
      ]
    )
  })

  it("what is kept from one request never shows in another", () => {
    const models = [model(), model({ id: "m2" }), model({ input: ["text"] })]
    const request = fc.tuple(fc.array(fc.nat({ max: 5 }), { maxLength: 8 }), fc.constantFrom(...models))
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 6, maxLength: 6 }),
        fc.array(request, { maxLength: 6 }),
        (pool, requests) => {
          for (const [picks, target] of requests) {
            const messages = picks.flatMap((pick) => pool.slice(pick, pick + 1))
            assert.deepStrictEqual(
              History.prepare(messages, target),
              History.prepare(structuredClone(messages), target)
            )
          }
        }
      )
    )
  })
})
