import { at } from "../host/Frames.ts"
import { expect, type Package, same } from "../Package.ts"

const text = "water the plants"

export const todo: Package = {
  source: { example: "todo.ts" },
  behaviours: [
    {
      title: "todo add → its text, details.todos",
      check: async (session) => {
        const result = await session.call("todo", { action: "add", text })
        same(
          [result.text, at(result.details, "todos")],
          [`Added todo #1: ${text}`, [{ id: 1, text, done: false }]],
          "the result"
        )
      }
    },
    {
      title: "restart with --session <file> → the list shows it",
      check: async (session) => {
        const file = at(await session.request({ type: "get_state" }), "data", "sessionFile")
        expect(typeof file === "string", "get_state names no session file")
        await session.restart("--session", String(file))
        const result = await session.call("todo", { action: "list" })
        same(result.text, `[ ] #1: ${text}`, "the list")
      }
    }
  ]
}
