import { contains, expect, type Package, same } from "../Package.ts"

export const dynamicTools: Package = {
  source: { example: "dynamic-tools.ts" },
  behaviours: [
    {
      title: "a tool registered in session_start → is in the first model call and runs",
      check: async (session) => {
        const result = await session.call("echo_session", { message: "hello" })
        expect(session.requests[0]?.tools.includes("echo_session") ?? false, "the first call does not offer it")
        same(
          result,
          {
            text: "[session] hello",
            details: { tool: "echo_session", prefix: "[session] " },
            isError: false
          },
          "the result"
        )
      }
    },
    {
      title: "its guideline → is in the system prompt",
      check: async (session) => {
        const system = session.requests[0]?.system ?? ""
        const guideline = "Use echo_session when the user asks for exact echo output."
        expect(system.includes(guideline), `the system prompt of ${system.length} characters has no "${guideline}"`)
      }
    },
    {
      title: "/add-echo-tool echo2 → is offered in the next call",
      check: async (session) => {
        await session.handled("/add-echo-tool echo2")
        await session.notice("Registered dynamic tool: echo2")
        const before = session.requests.length
        const result = await session.call("echo2", { message: "again" })
        expect(session.requests[before]?.tools.includes("echo2") ?? false, "the next call does not offer it")
        contains(result.text, "[echo2] again", "the result")
      }
    }
  ]
}
