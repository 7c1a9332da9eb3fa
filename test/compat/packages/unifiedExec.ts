import { at } from "../host/Frames.ts"
import { contains, expect, type Package, same } from "../Package.ts"
import * as Proc from "../../support/torture/Proc.ts"

export const unifiedExec: Package = {
  source: { npm: "pi-unified-exec@0.11.0", entries: ["src/index.ts"] },
  behaviours: [
    {
      title: "exec_command of 30 s → yields after 0.6 s with output and details.session_id",
      check: async (session) => {
        const began = performance.now()
        const result = await session.call("exec_command", { cmd: "echo ready; sleep 30", yield_time_ms: 600 })
        const ms = Math.round(performance.now() - began)
        contains(result.text, "ready", "the result")
        same([at(result.details, "session_id"), at(result.details, "running")], [1, true], "session_id, running")
        expect(ms >= 600 && ms < 15_000, `it took ${ms} ms`)
      }
    },
    {
      title: "kill_session → the process has ended",
      check: async (session) => {
        const listed = await session.call("list_sessions", {})
        const pid = at(listed.details, "sessions", 0, "pid")
        const result = await session.call("kill_session", { session_id: 1 })
        same([result.isError, at(result.details, "running")], [false, false], "isError, running")
        expect(typeof pid === "number" && !Proc.isAlive(pid), `process ${pid} is still there`)
      }
    },
    {
      title: "list_sessions → answers, nothing runs any more",
      check: async (session) => {
        const result = await session.call("list_sessions", {})
        same(at(result.details, "active_count"), 0, "active_count")
        contains(result.text, "(no live sessions)", "the result")
      }
    }
  ]
}
