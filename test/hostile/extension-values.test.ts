/** Values of extensions whose own code does harm: nothing of them runs when they are reported, and the session goes on. */
import { assert } from "@effect/vitest"
import { errors, notes, type Pipes, play } from "../support/extensions/Pipes.ts"
import { names } from "../support/extensions/samples/hostile/values.ts"

const file = "hostile/values.ts"
const values = { extensions: [file], args: ["--set", "compaction.keepRecentTokens=1"] }

const alive = async ({ end, prompt, stateMs }: Pipes) => {
  assert.isBelow(await stateMs(), 2000)
  assert.deepInclude((await prompt("still there?")).at(-1), { status: "completed" })
  assert.strictEqual(await end(), 0)
}

const looks = async ({ prompt }: Pipes) => notes(await prompt("/looks")).at(-1)

play("whatever is thrown is reported, and nothing of it runs for that", values, async (pipes) => {
  const { call, mark, prompt, since, until } = pipes
  for (const name of names) {
    const [[path, event, message] = []] = errors(await prompt(`/do throw ${name}`))
    assert.deepStrictEqual([path, event], ["command:do", "command"], name)
    assert.isString(message)
    assert.deepInclude(await call("do", { text: `throw ${name}` }), { isError: true })
    for (const point of ["input", "context", "message_update", "tool_call", "tool_result", "agent_end"]) {
      await prompt(`/at ${point}|throw ${name}`)
      const before = mark()
      await prompt("CALL do {}")
      await until(
        ({ event: at, type }) => type === "extension_error" && /_|input|context|tool/.test(String(at)),
        before
      )
    }
    const before = mark()
    await prompt(`/do timer ${name}`)
    await until(({ event: at }) => at === "async", before)
    assert.lengthOf(errors(since(before)), 1, name)
    const later = mark()
    await prompt(`/do rejection ${name}`)
    await until(({ event: at }) => at === "async", later)
  }
  assert.strictEqual(await looks(pipes), "looks 0")
  await alive(pipes)
})

const asked = ["input", "before_agent_start", "context", "before_provider_request", "tool_call", "tool_result"]
const watched = ["message_start", "message_update", "message_end", "turn_end", "agent_end"]

for (const way of ["reject", "return", "resolve", "inside"])
  play(`what a handler, a tool or a command gives back does not reach the run: ${way}`, values, async (pipes) => {
    const { ask, call, prompt } = pipes
    for (const name of names) {
      const text = `${way} ${name}`
      await prompt(`/do ${text}`)
      await call("do", { text })
      for (const point of asked) {
        await prompt(`/at ${point}|${text}`)
        await prompt("CALL do {}")
      }
      await prompt(`/at ${watched[names.indexOf(name) % watched.length]}|${text}`)
      await prompt("go on")
      await prompt(`/at user_bash|${text}`)
      await ask({ type: "bash", command: "true" })
    }
    await alive(pipes)
  })

play("what a handler puts into the arguments or the compaction does not, either", values, async (pipes) => {
  const { ask, call, prompt } = pipes
  for (const name of names) {
    await prompt(`/at tool_call|change ${name}`)
    await call("do", {})
    await prompt(`/at session_before_compact|inside ${name}`)
    await ask({ type: "compact" })
  }
  assert.deepInclude(await call("prepares"), { isError: true })
  await alive(pipes)
})

play("whatever is passed is taken or refused", values, async (pipes) => {
  for (const name of names) await pipes.prompt(`/pass ${name}`)
  const state = await pipes.ask({ type: "get_messages" })
  assert.deepInclude(state, { success: true })
  assert.deepInclude(await pipes.ask({ type: "get_commands" }), { success: true })
  await alive(pipes)
})
