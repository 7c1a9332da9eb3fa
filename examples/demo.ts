/**
 * `npm run demo -- [options of heddle --] [prompt]`: starts heddle in this folder, sends a prompt and shows the conversation
 * while it streams. Example: `npm run demo -- --model offline/script --set offline.scenario=my.json -- hello`
 */
import { PromptFailed, RpcClient } from "../src/client/index.ts" // in a project of your own: "heddle/client"
import * as Render from "./host/Render.ts"

const given = process.argv.slice(2)
const end = given.indexOf("--")
const options = end >= 0 ? given.slice(0, end) : given[0]?.startsWith("-") ? given : []
const words = given.slice(end >= 0 ? end + 1 : options.length)
const message = words.length > 0 ? words.join(" ") : "What is in this folder?"

/** The demo stores no session unless an option asks for one. */
const asksForSession = options.some((option) => /^(--(session|continue|resume|fork|no-session)|-[cr]$)/.test(option))
const keep = asksForSession ? [] : ["--no-session"]

const client = new RpcClient({
  args: [...keep, ...options],
  initialize: { clientInfo: { name: "heddle-demo" } },
  customTools: [
    {
      // One sample host tool. A real editor would answer from its state.
      name: "ask_editor",
      description: "Asks the editor of the person what is open and what is selected in it.",
      parameters: { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
      execute: () => "This is a demo in a terminal: nothing is open, nothing is selected."
    }
  ]
})

const style = { color: process.stdout.isTTY === true && (process.env["NO_COLOR"] ?? "") === "" }
let state = Render.initial
client.onEvent((event) => {
  const [next, printed] = Render.render(state, event, style)
  state = next
  if (printed !== "") process.stdout.write(printed)
})
client.onStderr((text) => process.stderr.write(text))

// The reader of our output has closed it (`npm run demo | head`), so the demo ends.
process.stdout.on("error", () => void client.stop())

// Ctrl-C ends the run, which shows what was said until then. Twice: ends heddle, however stuck it is.
const interrupted = new AbortController()
process.on("SIGINT", () => (interrupted.signal.aborted ? void client.stop() : interrupted.abort()))

/** Returns the exit code: 0 if the prompt was answered. */
const converse = async (): Promise<number> => {
  await client.start()
  const { status } = await client.promptAndWait(message, {}, { signal: interrupted.signal })
  return status === "completed" ? 0 : 1
}

const code = await converse().catch((error: unknown) => {
  if (interrupted.signal.aborted) return 130
  // The renderer has shown why a run failed, and stderr why heddle did not start.
  const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error)
  if (!(error instanceof PromptFailed)) process.stderr.write(`demo: ${reason}\n`)
  return 1
})
await client.stop()
process.exitCode = code
