import { afterAll, assert, it } from "vitest"
import * as ScriptedModel from "./ScriptedModel.ts"

const model = ScriptedModel.start()
afterAll(model.stop)

const user = (content: unknown) => ({ role: "user", content })
const ask = async (...messages: ReadonlyArray<object>) => {
  const body = JSON.stringify({ messages, tools: [{ type: "function", function: { name: "bash" } }] })
  return (await fetch(`${model.baseUrl}/chat/completions`, { method: "POST", body })).text()
}

it("calls the tool that the prompt names, then says OK.", async () => {
  const prompt = user('Please:\nCALL bash {"command":"ls"}')
  const called = await ask({ role: "system", content: "rules" }, prompt)
  assert.include(called, JSON.stringify({ name: "bash", arguments: '{"command":"ls"}' }))
  const after = await ask(prompt, { role: "assistant", content: null }, { role: "tool", content: "a.txt" })
  assert.include(after, '"content":"OK."')
  assert.notInclude(after, "tool_calls")
  assert.deepStrictEqual(model.requests[0], {
    system: "rules",
    tools: ["bash"],
    messages: [{ role: "user", text: 'Please:\nCALL bash {"command":"ls"}' }]
  })
})

it.each([
  ["a message of an extension behind the prompt", ["CALL todo {}", "a reminder"], { tool: "todo", args: "{}" }],
  ["no call", ["hello", "CALLING todo {}"], undefined]
])("callOf: %s", (_, texts, wanted) => {
  const messages = texts.map((text) => ({ role: "user", text }))
  assert.deepStrictEqual(ScriptedModel.callOf({ system: "", tools: [], messages }), wanted)
})
