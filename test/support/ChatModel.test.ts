import { afterAll, assert, it } from "vitest"
import * as ChatModel from "./ChatModel.ts"

const model = ChatModel.start()
afterAll(model.stop)

const user = (content: unknown) => ({ role: "user", content })
const ask = async (...messages: ReadonlyArray<object>) => {
  const body = JSON.stringify({ messages, tools: [{ type: "function", function: { name: "bash" } }] })
  return (await fetch(`${model.baseUrl}/chat/completions`, { method: "POST", body })).text()
}

it("calls the tool that the prompt names, also with a reminder behind it, then says OK.", async () => {
  const prompt = user('Please:\nCALL bash {"command":"ls"}')
  const called = await ask({ role: "system", content: "rules" }, prompt, user("a reminder"))
  assert.include(called, JSON.stringify({ name: "bash", arguments: '{"command":"ls"}' }))
  for (const last of [{ role: "tool", content: "a.txt" }, user("CALLING todo {}")]) {
    const after = await ask(prompt, { role: "assistant", content: null }, last)
    assert.include(after, '"content":"OK."')
    assert.notInclude(after, "tool_calls")
  }
  const [first] = model.requests
  assert.deepStrictEqual([first?.system, first?.tools], ["rules", ["bash"]])
  assert.deepStrictEqual(first?.messages[0], { role: "user", text: 'Please:\nCALL bash {"command":"ls"}' })
})
