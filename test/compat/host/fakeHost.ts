/** Stands in for a host with extensions, for the tests of the driver: the text of a prompt says what it does. */
import { createInterface } from "node:readline"
import { at } from "./Frames.ts"

const say = (frame: object) => process.stdout.write(`${JSON.stringify(frame)}\n`)
const ui = (id: string, method: string, more: object) => say({ type: "extension_ui_request", id, method, ...more })
const settle = () => say({ type: "agent_settled", aborted: false })

const answer = (id: unknown, command: unknown, data: object = {}) =>
  say({ type: "response", id, command, success: true, data })

const result = (toolName: string, text: string) => {
  say({ type: "tool_execution_end", toolName, result: { content: [{ type: "text", text }] }, isError: false })
  settle()
}

const prompt = (id: unknown, message: string) => {
  if (message === "die") {
    console.error("the fake host was told to die")
    process.exit(3)
  }
  if (message === "/known") {
    ui("n1", "notify", { message: "known", notifyType: "info" })
    return answer(id, "prompt", { disposition: "handled" })
  }
  answer(id, "prompt", { disposition: "started" })
  if (message.startsWith("CALL ask ")) return ui("d1", "select", { title: "Which?", options: ["a", "b"] })
  return message.startsWith("CALL plain ") ? result("plain", "done") : settle()
}

const commands = process.argv.includes("--extensions") ? ["known", "compat-canary"] : ["known"]
if (process.argv.includes("--noisy")) process.stdout.write("not a frame\n")
for await (const line of createInterface({ input: process.stdin })) {
  const frame: unknown = JSON.parse(line)
  const [id, type] = [at(frame, "id"), at(frame, "type")]
  if (type === "prompt") prompt(id, String(at(frame, "message")))
  else if (type === "extension_ui_response") result("ask", `chose ${at(frame, "value")}`)
  else if (type === "get_commands")
    answer(id, type, { commands: commands.map((name) => ({ name, source: "extension" })) })
  else answer(id, type)
}
