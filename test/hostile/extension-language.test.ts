/** Extensions that put other things in the place of what the language brings. */
import { assert } from "@effect/vitest"
import { play } from "../support/extensions/Pipes.ts"

const replaces = { extensions: ["hostile/replaces.ts"] }

for (const name of [
  "JSON",
  "JSON.parse",
  "JSON.stringify",
  "setImmediate",
  "queueMicrotask",
  "Promise.race",
  "Reflect.apply"
])
  play(`heddle works on without ${name}`, replaces, async ({ ask, end, prompt }) => {
    await prompt("load what a run needs")
    await prompt(`/replace ${name}`)
    assert.deepInclude(await ask({ type: "get_state" }), { success: true })
    assert.deepInclude((await prompt("COUNT 3")).at(-1), { status: "completed" })
    assert.deepInclude(await ask({ type: "get_last_assistant_text" }), { success: true })
    assert.strictEqual(await end(), 0)
  })

for (const name of ["Promise", "Promise.resolve", "Promise.prototype.then", "setTimeout", "String", "Object.entries"])
  play(`the host is answered without ${name}`, replaces, async ({ ask, prompt }) => {
    await prompt(`/replace ${name}`)
    assert.deepInclude(await ask({ type: "get_state" }), { success: true })
    assert.deepInclude(await ask({ type: "abort" }), { success: true })
  })

play("a running command is aborted, and the process ends with 0, without timers", replaces, async (pipes) => {
  const { ask, end, host, prompt, until } = pipes
  await prompt("/replace timers")
  host.send({ id: "p", type: "prompt", message: `CALL bash ${JSON.stringify({ command: "sleep 100 & sleep 100" })}` })
  await until(({ type }) => type === "tool_execution_start")
  assert.deepInclude(await ask({ type: "abort" }), { success: true })
  const ended = await until(({ id, type }) => type === "prompt_result" && id === "p")
  assert.propertyVal(ended, "status", "aborted")
  assert.strictEqual(await end(), 0)
})
