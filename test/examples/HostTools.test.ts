import { assert, it } from "vitest"
import * as HostTools from "../../examples/host/HostTools.ts"

const call = (id: string, toolName: string) => ({ type: "host_tool_call", id, toolName, arguments: { n: 1 } })
const answered = (id: string, text: string, isError: boolean) => ({
  type: "host_tool_result",
  id,
  result: { content: [{ type: "text", text }] },
  isError
})

it("runs calls side by side, reports failures, and answers nothing that was cancelled", async () => {
  const sent: Array<object> = []
  const aborted = Promise.withResolvers<void>()
  const tool = (run: HostTools.HostTool["run"]) => ({ description: "d", parameters: { type: "object" }, run })
  const tools = HostTools.make(
    {
      echo: tool(async (args) => JSON.stringify(args)),
      fails: tool(async () => Promise.reject(new Error("no"))),
      hangs: tool(async (_, signal) => {
        await new Promise((resume) => signal.addEventListener("abort", resume))
        aborted.resolve()
        return "too late"
      })
    },
    (frame) => sent.push(frame)
  )
  assert.deepStrictEqual(tools.definitions[0], { name: "echo", description: "d", parameters: { type: "object" } })
  for (const [id, name] of [
    ["1", "hangs"],
    ["2", "echo"],
    ["3", "fails"],
    ["4", "gone"]
  ] as const)
    tools.receive(call(id, name))
  tools.receive({ type: "host_tool_cancel", id: "c", targetId: "1" })
  tools.receive({ type: "host_tool_cancel", id: "c", targetId: "never" })
  tools.receive({ type: "agent_end" })
  await aborted.promise
  await new Promise(setImmediate)
  const byId = sent.map((frame) => JSON.stringify(frame)).sort()
  assert.deepStrictEqual(
    byId,
    [answered("2", '{"n":1}', false), answered("3", "Error: no", true), answered("4", "this tool is gone", true)].map(
      (frame) => JSON.stringify(frame)
    )
  )
})
