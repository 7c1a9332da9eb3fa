/** Extensions that throw, hang, leave or say too much: the session goes on, and its host keeps hearing from it. */
import { statSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import { at, dialog, errors, type Frame, type Pipes, play, resultOf } from "../support/extensions/Pipes.ts"

const mayhem = { extensions: ["hostile/mayhem.ts"], args: ["--set", "compaction.keepRecentTokens=1"] }
const file = "hostile/mayhem.ts"

const completed = (frames: ReadonlyArray<Frame>) => assert.deepInclude(frames.at(-1), { status: "completed" })

/** The session is as good as before. */
const alive = async ({ call, prompt }: Pipes) => {
  completed(await prompt("still there?"))
  assert.deepInclude(await call("do", { way: "nothing" }), { text: "went on", isError: false })
}

const watching = [
  ["agent_start", "prompt"],
  ["turn_start", "prompt"],
  ["message_start", "prompt"],
  ["message_update", "prompt"],
  ["message_end", "prompt"],
  ["turn_end", "prompt"],
  ["agent_end", "prompt"],
  ["input", "prompt"],
  ["before_agent_start", "prompt"],
  ["context", "prompt"],
  ["before_provider_request", "prompt"],
  ["after_provider_response", "prompt"],
  ["tool_execution_start", "CALL do {}"],
  ["tool_execution_end", "CALL do {}"],
  ["tool_result", "CALL do {}"]
] as const

play("a hook that throws or rejects is told, and the run goes on without it", mayhem, async (pipes) => {
  const { ask, mark, prompt, since, until } = pipes
  const failing = async (point: string, way: string, act: () => Promise<unknown>) => {
    await prompt(`/at ${point}|${way}`)
    const before = mark()
    await act()
    await until(({ event, type }) => type === "extension_error" && event === point, before)
    return errors(since(before))
  }
  for (const [point, message] of watching) {
    const act = async () => completed(await prompt(message))
    assert.deepStrictEqual(await failing(point, "throw", act), [[file, point, "thrown"]])
    assert.deepStrictEqual(await failing(point, "reject", act), [[file, point, "rejected"]])
  }
  const bash = async () =>
    assert.deepInclude((await ask({ type: "bash", command: "echo x" }))["data"], { output: "x\n" })
  assert.deepStrictEqual(await failing("user_bash", "throw", bash), [[file, "user_bash", "thrown"]])
  const compact = async () => assert.deepInclude(await ask({ type: "compact" }), { success: true })
  const tried = await failing("session_before_compact", "reject", compact)
  assert.deepStrictEqual(tried, [[file, "session_before_compact", "rejected"]])
  const renew = async () => assert.deepInclude((await ask({ type: "new_session" }))["data"], { cancelled: false })
  const left = await failing("session_before_switch", "throw", renew)
  assert.deepStrictEqual(left, [[file, "session_before_switch", "thrown"]])
  await alive(pipes)
  assert.strictEqual(await pipes.end(), 0)
})

play("commands, tools and late errors are told, and the session goes on", mayhem, async (pipes) => {
  const { call, mark, prompt, since, until } = pipes
  const failed = async (way: string) => {
    const frames = await prompt(`/do ${way}`)
    return errors(frames)
  }
  assert.deepStrictEqual(await failed("throw"), [["command:do", "command", "thrown"]])
  assert.deepStrictEqual(await failed("reject"), [["command:do", "command", "rejected"]])
  assert.strictEqual((await failed("nonsense")).length, 1)
  assert.deepInclude(await call("do", { way: "throw" }), { text: "thrown", isError: true })
  assert.deepInclude(await call("do", { way: "reject" }), { text: "rejected", isError: true })
  assert.deepInclude(await call("no_result"), { isError: true })
  assert.deepInclude(await call("endless"), { isError: true })

  const before = mark()
  const run = prompt("COUNT 60")
  await until(({ type }) => type === "message_update", before)
  await prompt("/do timer throws")
  await prompt("/do nobody catches")
  completed(await run)
  assert.sameDeepMembers(errors(since(before)), [
    [file, "async", "thrown by a timer"],
    [file, "async", "nobody caught this"]
  ])
  await alive(pipes)
  assert.strictEqual(await pipes.end(), 0)
})

const exits = ["exit", "exit 0", "reallyExit", "abort", "kill", "killHard"]

play("an extension cannot end the process", { extensions: ["hostile/leaves-at-load.ts", file] }, async (pipes) => {
  const { call, mark, prompt, since, until } = pipes
  await until(({ phase }) => phase === "done")
  assert.include(
    errors(since(0)).flatMap(([path, event]) => (event === "load" ? [path] : [])),
    "hostile/leaves-at-load.ts"
  )
  for (const way of exits) {
    const frames = await prompt(`/do ${way}`)
    assert.match(JSON.stringify(errors(frames)), /process\.\w+\(\d*\) would end heddle/, way)
    assert.match((await call("do", { way })).text, /would end heddle\. An extension ends the session/, way)
  }
  await prompt("/at turn_start|exit")
  completed(await prompt("go on"))
  const before = mark()
  await prompt("/do timer exits")
  await until(({ event }) => event === "exit", before)
  await alive(pipes)
  assert.strictEqual(await pipes.end(), 0)
})

play(
  "a signal still ends it, whatever session_shutdown does",
  { extensions: ["hostile/never-ends.ts"] },
  async (pipes) => {
    await pipes.prompt("hello")
    const { code, ms } = await pipes.signal("SIGTERM")
    assert.strictEqual(code, 143)
    assert.isBelow(ms, 1500)
    console.log(`SIGTERM with a hanging session_shutdown: ${Math.round(ms)} ms`)
  }
)

play("and so does the end of the input", { extensions: ["hostile/never-ends.ts"] }, async ({ end, prompt }) => {
  await prompt("hello")
  const start = performance.now()
  assert.strictEqual(await end(), 0)
  assert.isBelow(performance.now() - start, 4000)
})

describe("get_state is answered at once", () => {
  const figures: Array<string> = []
  const measure = async ({ stateMs }: Pipes, what: string) => {
    const ms = await stateMs()
    figures.push(`${what} ${ms.toFixed(1)} ms`)
    assert.isBelow(ms, 500, what)
  }

  play("while a command, a hook and a tool hang; abort ends what belongs to the run", mayhem, async (pipes) => {
    const { ask, mark, prompt, stateMs, until } = pipes
    await stateMs()
    const command = prompt("/do hang")
    await measure(pipes, "command")

    for (const point of ["input", "before_agent_start", "context", "tool_call"]) {
      await prompt(`/at ${point}|hang`)
      const before = mark()
      const run = prompt("CALL do {}")
      if (point === "tool_call") await until(({ type }) => type === "tool_execution_start", before)
      await measure(pipes, point)
      await ask({ type: "abort" })
      const last = (await run).at(-1)
      assert.isTrue(last?.["status"] === "aborted" || last?.["success"] === false, JSON.stringify(last))
    }

    const before = mark()
    const tool = prompt('CALL do {"way":"hang"}')
    await until(({ type }) => type === "tool_execution_start", before)
    await measure(pipes, "tool")
    await ask({ type: "abort" })
    const frames = await tool
    assert.isTrue(resultOf(frames.find(({ type }) => type === "tool_execution_end")).isError)
    await alive(pipes)
    const start = performance.now()
    assert.strictEqual(await pipes.end(), 0)
    assert.isBelow(performance.now() - start, 3500)
    assert.deepInclude((await command).at(-1), { status: "aborted" })
  })

  play("while a factory hangs", { extensions: ["hangs.ts", file] }, async (pipes) => {
    await pipes.stateMs()
    const run = pipes.prompt("waits for the extensions")
    await measure(pipes, "factory")
    await pipes.ask({ type: "abort" })
    const start = performance.now()
    assert.strictEqual(await pipes.end(), 0)
    assert.isBelow(performance.now() - start, 3500)
    await run
    console.log(`get_state while something hangs: ${figures.join(", ")}`)
  })

  play("and SIGTERM ends a factory that hangs", { extensions: ["hangs.ts"] }, async (pipes) => {
    await pipes.stateMs()
    const { code, ms } = await pipes.signal("SIGTERM")
    assert.strictEqual(code, 143)
    assert.isBelow(ms, 1500)
  })
})

play("ten million characters are cut where they come in", mayhem, async (pipes) => {
  const { ask, call, mark, prompt, since, until } = pipes
  const lengthOf = (frame: Frame) => JSON.stringify(frame).length
  for (const [what, method] of [
    ["status", "setStatus"],
    ["widget", "setWidget"],
    ["notify", "notify"]
  ] as const) {
    const before = mark()
    await prompt(`/huge ${what}`)
    assert.isBelow(lengthOf(await until(dialog(method), before)), 3_000_000, what)
  }
  const text = await call("huge_text")
  assert.isBelow(text.text.length, 1_100_000)
  const details = await call("huge_details")
  assert.isBelow(JSON.stringify(details).length, 1_100_000)
  assert.deepStrictEqual(errors(await prompt("/huge name")), [
    ["command:huge", "command", "registerCommand: name must have at most 4096 characters"]
  ])
  // What an extension stores is kept whole, and the session can be opened again.
  for (const what of ["entry", "message"]) await prompt(`/huge ${what}`)
  await until(({ type }) => type === "entry_appended")
  await alive(pipes)
  const { data } = await ask({ type: "get_state" })
  assert.deepInclude(await ask({ type: "new_session" }), { success: true })
  const again = await ask({ type: "switch_session", sessionPath: at(data, "sessionFile") })
  assert.deepInclude(again, { success: true })
  assert.isAbove(statSync(String(at(data, "sessionFile"))).size, 20_000_000)
  assert.deepStrictEqual(errors(since(0)).slice(1), [])
  assert.strictEqual(await pipes.end(), 0)
})

play(
  "an extension that meddles with the process gets nothing of it",
  { extensions: ["hostile/meddler.ts", file] },
  async (pipes) => {
    const { call, mark, prompt, since, until } = pipes
    await alive(pipes)
    assert.deepStrictEqual(errors(since(0)), [])
    assert.deepInclude(await call("bash", { command: "basename $PWD" }), { text: "work\n", isError: false })
    const before = mark()
    await prompt("/meddle")
    await until(({ error }) => error === "after the listeners are gone", before)
    await until(({ error }) => error === "nobody listens", before)
    assert.deepStrictEqual(
      errors(since(before)).map(([, event]) => event),
      ["async", "async"]
    )
    await alive(pipes)
    assert.strictEqual(await pipes.end(), 0)
  }
)
