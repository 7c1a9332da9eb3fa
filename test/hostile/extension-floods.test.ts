/** Extensions that do one thing without end, or call themselves: the host is answered meanwhile. */
import { assert, describe } from "@effect/vitest"
import { dialog, errors, type Pipes, play } from "../support/extensions/Pipes.ts"

const floods = { extensions: ["hostile/floods.ts"] }
const frames = 20_000

/** Milliseconds. The machine of a test has other work, too: most answers come in time, and none takes long. */
const wanted = 50
const worst = 1500

const medianOf = (times: ReadonlyArray<number>) =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0

/** What an answer takes when nothing else goes on. */
const atRest = async ({ stateMs }: Pipes) => {
  await stateMs()
  const times: Array<number> = []
  for (let count = 0; count < 20; count++) times.push(await stateMs())
  return medianOf(times)
}

/** What the answers took while the flood went on. */
const during = async ({ ask, host, mark, since, stateMs }: Pipes, deed: string, pause: string) => {
  const [from, id] = [mark(), `flood-${deed}`]
  const isOver = () => since(from).some((frame) => frame["id"] === id && frame["type"] === "prompt_result")
  host.send({ id, type: "prompt", message: `/flood ${deed} ${pause} ${frames}` })
  const times: Array<number> = []
  const began = performance.now()
  while (!isOver() && (times.length < 20 || performance.now() - began < 500)) times.push(await stateMs())
  const stop = performance.now()
  assert.deepInclude(await ask({ type: "prompt", message: "/stop" }), { success: true })
  assert.deepInclude(await ask({ type: "abort" }), { success: true })
  const last = performance.now() - stop
  return { median: medianOf(times), longest: Math.max(...times), last }
}

const stored = ["appendEntry", "sendMessage", "setSessionName"]
const shown = ["notify", "setStatus", "confirm", "throwLater"]
const registered = ["registerCommand", "registerTool", "setActiveTools"]

describe(`commands are answered while an extension floods with ${frames}`, () => {
  for (const [pause, deeds] of [
    ["sync", [...stored, ...shown, ...registered]],
    ["microtask", [...stored, ...registered]],
    ["immediate", [...stored, ...shown]]
  ] as const)
    play(`in a loop that ${pause === "sync" ? "never waits" : `waits for a ${pause}`}`, floods, async (pipes) => {
      const figures: Array<string> = []
      const rest = await atRest(pipes)
      for (const deed of deeds) {
        const { last, longest, median } = await during(pipes, deed, pause)
        figures.push(`${deed} ${median.toFixed(0)}/${longest.toFixed(0)}/${last.toFixed(0)}`)
        assert.isBelow(median, wanted + 5 * rest, deed)
        assert.isBelow(longest, worst, deed)
        assert.isBelow(last, worst, `prompt and abort during ${deed}`)
      }
      console.log(`${pause}: median, longest, prompt with abort in ms: ${figures.join(", ")}`)
      assert.strictEqual(await pipes.end(), 0)
    })
})

play(
  "too much at once is refused, and what was taken arrives in order",
  floods,
  async ({ mark, prompt, since, until }) => {
    const from = mark()
    const ended = await prompt("/flood notify sync 20000")
    assert.match(String(errors(ended)), /More than 10000 calls of this extension are pending/)
    await until(({ message }) => message === "flood 9999", from)
    const notes = since(from)
      .filter(dialog("notify"))
      .map(({ message }) => message)
    assert.deepStrictEqual(
      notes.slice(0, 10_000),
      Array.from({ length: 10_000 }, (_, count) => `flood ${count}`)
    )
    assert.match(String(errors(await prompt("/flood registerCommand sync 600"))), /may have at most 500/)
  }
)

play("an error without end is told of now and then", floods, async ({ mark, prompt, since, until }) => {
  const from = mark()
  await prompt("/flood throwLater immediate 5000")
  await until(({ error }) => /^\d+ more errors in one second were left out$/.test(String(error)), from)
  assert.isBelow(errors(since(from)).length, 1000)
})

for (const way of ["at once", "later"])
  play(`an input handler that prompts again ${way} is stopped and named`, floods, async (pipes) => {
    const { ask, mark, prompt, stateMs, until } = pipes
    await prompt(`/again ${way}`)
    const from = mark()
    const asked = ask({ type: "prompt", message: "begin" })
    const refused = await until(({ command }) => command === "extension_send_user", from)
    assert.match(String(refused["error"]), /sent a message that the same handler was called for, 8 levels deep/)
    assert.isBelow(await stateMs(), worst)
    await asked
    await ask({ type: "abort" })
    assert.strictEqual(await pipes.end(), 0)
  })

play("and so is a command that sends itself, or a handler that emits its own event", floods, async (pipes) => {
  const { mark, prompt, stateMs, until } = pipes
  const from = mark()
  await prompt("/self")
  const refused = await until(({ command }) => command === "extension_send_user", from)
  assert.match(String(refused["error"]), /8 levels deep/)
  await prompt("/emit")
  await until(({ error }) => /handlers emit events whose handlers emit events, 100 deep/.test(String(error)), from)
  assert.isBelow(await stateMs(), worst)
})

play(
  "events that set each other off leave time for the host",
  floods,
  async ({ ask, mark, prompt, stateMs, until }) => {
    const from = mark()
    await prompt("/pingpong")
    await until(({ type }) => type === "session_info_changed", from)
    for (let count = 0; count < 10; count++) assert.isBelow(await stateMs(), worst)
    assert.deepInclude(await ask({ type: "abort" }), { success: true })
  }
)
