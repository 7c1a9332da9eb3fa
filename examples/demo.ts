/**
 * `npm run demo -- [options of heddle --] [prompt]`: starts heddle in this folder, sends a prompt and shows the conversation
 * while it streams. Example: `npm run demo -- --model offline/script --set offline.scenario=my.json -- hello`
 */
import { fileURLToPath } from "node:url"
import { text } from "./host/Frame.ts"
import * as HostTools from "./host/HostTools.ts"
import * as Render from "./host/Render.ts"
import { RpcProcess } from "./host/RpcProcess.ts"

const heddle = fileURLToPath(new URL("../bin/heddle.js", import.meta.url))
const given = process.argv.slice(2)
const end = given.indexOf("--")
const options = end >= 0 ? given.slice(0, end) : given[0]?.startsWith("-") ? given : []
const words = given.slice(end >= 0 ? end + 1 : options.length)
const message = words.length > 0 ? words.join(" ") : "What is in this folder?"

const style = { color: process.stdout.isTTY === true && (process.env["NO_COLOR"] ?? "") === "" }
let state = Render.initial

/** One sample host tool. A real editor would answer from its state. */
const tools = HostTools.make(
  {
    ask_editor: {
      description: "Asks the editor of the person what is open and what is selected in it.",
      parameters: { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
      run: async () => "This is a demo in a terminal: nothing is open, nothing is selected."
    }
  },
  (frame) => host.post(frame)
)

/** The demo stores no session unless an option asks for one. */
const asksForSession = options.some((option) => /^(--(session|continue|resume|fork|no-session)|-[cr]$)/.test(option))
const keep = asksForSession ? [] : ["--no-session"]

const host = new RpcProcess({
  command: process.execPath,
  args: [heddle, "--mode", "rpc", ...keep, ...options],
  onEvent: (frame) => {
    tools.receive(frame)
    const [next, printed] = Render.render(state, frame, style)
    state = next
    if (printed !== "") process.stdout.write(printed)
  },
  onStderr: (said) => void process.stderr.write(said)
})

// The reader of our output has closed it (`npm run demo | head`), so the demo ends.
process.stdout.on("error", () => void host.close())

// `close` kills a stuck process, so a second Ctrl-C does nothing.
let stopping = false
process.on("SIGINT", () => {
  if (stopping) return
  stopping = true
  // `close` ends the process even if the abort fails or gets no answer.
  host.request("abort").catch(() => undefined)
  void host.close()
})

/** Returns the exit code: 0 if the prompt was answered. */
const converse = async (): Promise<number> => {
  await host.ready
  await host.request("initialize", {
    clientInfo: { name: "heddle-demo" },
    capabilities: { messageUpdates: "delta" }
  })
  await host.request("set_host_tools", { tools: tools.definitions })
  const result = await host.prompt(message)
  return text(result, "status") === "completed" ? 0 : 1
}

const code = await converse().catch((error: unknown) => {
  if (!stopping) process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})
await host.close()
process.exitCode = stopping ? 130 : code
