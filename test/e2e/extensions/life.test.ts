/** What extensions see from session to session, and how they change the session themselves. */
import { readFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import {
  at,
  dataOf,
  errors,
  type Frame,
  messages,
  notes,
  type Pipes,
  play,
  plays
} from "../../support/extensions/Pipes.ts"

const life = { extensions: ["kind/life.ts"] }
const stale =
  "ctx.ui StaleError, ctx.isIdle StaleError, pi.sendMessage StaleError, pi.registerTool StaleError, pi.on StaleError"

const fileOf = async ({ ask }: Pipes) => String(dataOf(await ask({ type: "get_state" }), "sessionFile"))
const idOf = (file: string) => file.replace(/^.*_/, "")
const isStart = (frame: Frame) => String(frame["message"]).startsWith('["session_start"')

/** What the extension said of a change, from its command to the start of the next session. */
const change = async (pipes: Pipes, act: () => Promise<unknown>) => {
  const before = pipes.mark()
  await act()
  await pipes.until(isStart, before)
  return notes(pipes.since(before)).map((note): unknown => JSON.parse(note))
}

play("factories run for each session, and the objects of the session before are stale", life, async (pipes) => {
  const { ask, call, end, prompt, since, until } = pipes
  await until(isStart)
  assert.deepStrictEqual(notes(since(0)), ['["session_start","startup",null,null]'])
  await prompt("/keep")
  await prompt("hello")
  const first = await fileOf(pipes)

  const renewed = await change(pipes, () => ask({ type: "new_session" }))
  assert.deepStrictEqual(notes(await prompt("/stale")), [stale])
  assert.deepStrictEqual(renewed, [
    ["session_shutdown", "new", null, null],
    ["session_start", "new", idOf(first), null]
  ])
  assert.deepStrictEqual(notes(await prompt("/count")), ["factories: 2"])
  const second = await fileOf(pipes)

  assert.deepStrictEqual(await change(pipes, () => ask({ type: "switch_session", sessionPath: first })), [
    ["session_shutdown", "resume", null, idOf(first)],
    ["session_start", "resume", idOf(second), null]
  ])
  const forks = await ask({ type: "get_fork_messages" })
  const entryId = dataOf(forks, "messages", 0, "entryId")
  const forked = await change(pipes, () => ask({ type: "fork", entryId }))
  assert.deepStrictEqual(
    forked.map((note) => [at(note, 0), at(note, 1)]),
    [
      ["session_shutdown", "fork"],
      ["session_start", "fork"]
    ]
  )
  assert.deepStrictEqual(notes(await prompt("/count")), ["factories: 4"])
  assert.deepInclude(await call("stale"), { text: "Tool stale not found", isError: true })
  assert.strictEqual(await end(), 0)
  assert.strictEqual(pipes.host.stderr(), '["session_shutdown","quit",null,null]\n')
  assert.deepStrictEqual(errors(since(0)), [])
})

play("a command opens, forks and switches sessions, and goes on in the next one", life, async (pipes) => {
  const { ask, host, prompt, requests, since, until } = pipes
  await prompt("hello")
  const first = await fileOf(pipes)
  const before = pipes.mark()
  await prompt("/new and then?")
  await until(({ message }) => message === "next StaleError, 1 entries")
  await host.untilStderr(/cancelled: false/)
  await until(({ type }) => type === "agent_settled", before)
  assert.deepStrictEqual(
    requests.at(-1)?.messages.map(({ text }) => text),
    ["from setup\nand then?"]
  )
  assert.notStrictEqual(await fileOf(pipes), first)

  await change(pipes, () => prompt(`/switch ${first}`))
  assert.strictEqual(await fileOf(pipes), first)
  await change(pipes, () => prompt("/fork"))
  assert.notStrictEqual(await fileOf(pipes), first)
  assert.deepStrictEqual(dataOf(await ask({ type: "get_messages" }), "messages"), [])

  const mid = pipes.mark()
  const hanging = prompt("HANG")
  await until(({ type }) => type === "message_start", mid)
  await prompt("/new")
  await until(({ message }) => message === "next StaleError, 1 entries", mid)
  assert.deepInclude((await hanging).at(-1), { type: "prompt_result", status: "aborted" })
  assert.deepStrictEqual(errors(since(0)), [])
  assert.deepInclude((await prompt("still here?")).at(-1), { status: "completed" })
})

const versioned = (version: number) => `import { word } from "./word.ts"
export default (pi) => {
  pi.on("session_start", (event, ctx) => ctx.ui.notify(\`${version} \${word} \${event.reason}\`))
  pi.registerCommand("again", { handler: (_args, ctx) => ctx.reload() })
  pi.registerTool({ name: "tool${version}", execute: () => "${version}" })
}
`

plays("ctx.reload() loads changed files", async (start, { put }) => {
  const entry = put("ext/index.ts", versioned(1))
  put("ext/word.ts", 'export const word = "one"\n')
  const { ask, host, prompt, until } = await start({ extensions: [entry] })
  await until(({ message }) => message === "1 one startup")
  put("ext/index.ts", versioned(2))
  put("ext/word.ts", 'export const word = "two"\n')
  await prompt("/again")
  await until(({ message }) => message === "2 two reload")
  const tools = JSON.stringify(dataOf(await ask({ type: "get_state", verbose: true })))
  assert.include(tools, '"tool2"')
  assert.notInclude(tools, '"tool1"')
  put("ext/index.ts", "this is no program")
  await prompt("/again")
  assert.deepInclude(await until(({ type }) => type === "extension_error"), { extensionPath: entry, event: "load" })
  assert.deepInclude(await ask({ type: "get_commands" }), { data: { commands: [] } })
  host.closeInput()
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
})

play("ctx.shutdown() ends an idle process", life, async ({ host, prompt }) => {
  await prompt("/shutdown")
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
  assert.strictEqual(host.stderr(), '["session_shutdown","quit",null,null]\n')
})

play("ctx.shutdown() waits for the run", life, async ({ host, prompt, since, until }) => {
  const run = prompt("COUNT 40")
  await until(({ type }) => type === "message_update")
  await prompt("/shutdown")
  assert.deepInclude((await run).at(-1), { type: "prompt_result", status: "completed" })
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
  assert.match(String(messages(since(0), "assistant")), /39 40 OK\.$/)
})

plays("what a session said is in its file when an extension has ended the process", async (start, { home }) => {
  const pipes = await start(life)
  await pipes.prompt("remember")
  const file = await fileOf(pipes)
  assert.include(file, home)
  await pipes.prompt("/shutdown")
  await pipes.host.exited
  assert.include(readFileSync(file, "utf8"), "remember")
})
