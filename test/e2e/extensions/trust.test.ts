/** Extensions of a project load when its user trusts it: by an option, by a stored decision, or by one question. */
import { assert } from "@effect/vitest"
import {
  dataOf,
  dialog,
  list,
  at,
  type OpenOptions,
  type Pipes,
  type Place,
  plays
} from "../../support/extensions/Pipes.ts"

const extension = `export default (pi) => {
  pi.registerCommand("project", { handler: () => {} })
  pi.on("session_start", (event, ctx) => ctx.ui.notify(\`\${event.reason} \${ctx.isProjectTrusted()}\`))
}
`

const write = ({ put }: Place, more = "") => put("work/.heddle/extensions/project.ts", extension + more)

const facts = async ({ ask, since }: Pipes) => {
  const { data } = await ask({ type: "get_commands" })
  return {
    trust: dataOf(await ask({ type: "get_state" }), "trust"),
    commands: list(at(data, "commands")).map((command) => at(command, "name")),
    asked: since(0).filter(dialog("confirm")).length,
    notices: since(0).filter(({ source, type }) => type === "notice" && source === "trust").length
  }
}

const loaded = { trust: "trusted", commands: ["project"], asked: 0, notices: 0 }
const leftOut = { trust: "untrusted", commands: [], asked: 0, notices: 1 }

type Start = (options?: OpenOptions) => Promise<Pipes>

/** Starts, and looks at what is there without an answer to anything. */
const look = async (start: Start, ...args: ReadonlyArray<string>) => {
  const pipes = await start({ args })
  await pipes.until(({ phase }) => phase === "done")
  const found = await facts(pipes)
  await pipes.end()
  return found
}

/** Starts, waits for the question, and replies. */
const reply = async (start: Start, answer: object) => {
  const pipes = await start()
  const { id, message, title } = await pipes.until(dialog("confirm"))
  pipes.host.send({ type: "extension_ui_response", id, ...answer })
  return { pipes, question: `${String(title)} ${String(message)}` }
}

plays("headless and -na leave a project out, -a takes it in, and nothing is stored", async (start, place) => {
  write(place)
  const all = [["--no-ui"], ["-na"], ["-a", "--no-ui"], ["-a"], ["--no-ui"]]
  const found = []
  for (const args of all) found.push(await look(start, ...args))
  assert.deepStrictEqual(found, [leftOut, leftOut, loaded, loaded, leftOut])
})

plays("a yes loads the extension in this process, and counts until the file changes", async (start, place) => {
  write(place)
  const { pipes, question } = await reply(start, { confirmed: true })
  assert.include(question, ".heddle/extensions")
  const { message } = await pipes.until(dialog("notify"))
  assert.strictEqual(message, "reload true")
  const { notices: _, ...now } = await facts(pipes)
  assert.deepStrictEqual(now, { trust: "trusted", commands: ["project"], asked: 1 })
  assert.strictEqual(await pipes.end(), 0)
  assert.deepStrictEqual(await look(start), loaded)
  assert.deepStrictEqual(await look(start, "--no-ui"), loaded)
  write(place, "// changed\n")
  assert.deepStrictEqual(await look(start), { ...leftOut, asked: 1 })
})

plays("a no counts, too; no answer does not", async (start, place) => {
  write(place)
  const cancelled = await reply(start, { cancelled: true })
  assert.deepStrictEqual(await facts(cancelled.pipes), { ...leftOut, asked: 1 })
  await cancelled.pipes.end()
  // The input ends while the question is open.
  assert.deepStrictEqual(await look(start), { ...leftOut, asked: 1 })
  const refused = await reply(start, { confirmed: false })
  await refused.pipes.ask({ type: "get_state" })
  await refused.pipes.end()
  assert.deepStrictEqual(await look(start), leftOut)
  assert.deepStrictEqual(await look(start, "-a"), loaded)
})
