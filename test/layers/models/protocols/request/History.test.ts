import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { type Message, userMessage } from "../../../../../src/domain/conversation/Message.ts"
import * as History from "../../../../../src/layers/models/protocols/request/History.ts"
import { anyMessage, call, picture, redacted, signed, text, user } from "../anyMessage.ts"
import { assistant, model, result } from "../support.ts"

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
    calls: messages.flatMap(({ content, role }) =>
      role === "assistant" ? content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])) : []
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

  it("any history comes out well formed, and stays what it is when prepared again", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 12 }), (messages) => {
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

  it("what comes after an answer does not change what is sent before it", () => {
    const some = fc.array(anyMessage, { maxLength: 8 })
    fc.assert(
      fc.property(some, some, (messages, more) => {
        const before = prepare(...messages)
        const whole = prepare(...messages, assistant([text("done")]), ...more)
        assert.deepStrictEqual(whole.slice(0, before.length), before)
      })
    )
  })
})
