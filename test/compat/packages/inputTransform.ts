import { at } from "../host/Frames.ts"
import { type Package, same } from "../Package.ts"

export const inputTransform: Package = {
  source: { example: "input-transform.ts" },
  behaviours: [
    {
      title: "prompt `ping` → handled, the notice pong, no model call",
      check: async (session) => {
        const response = await session.request({ type: "prompt", message: "ping" })
        same(at(response, "data", "disposition"), "handled", "the disposition")
        await session.notice("pong")
        same(at(await session.request({ type: "get_state" }), "data", "isStreaming"), false, "isStreaming")
        same(session.requests, [], "the list of model calls")
      }
    },
    {
      title: "prompt `?quick why` → the model gets the rewritten text",
      check: async (session) => {
        await session.prompt("?quick why")
        const said = session.requests.map(({ messages }) => messages.at(-1))
        const rewritten = { role: "user", text: "Respond briefly in 1-2 sentences: why" }
        same(said, [rewritten], "the last message of each model call")
      }
    }
  ]
}
