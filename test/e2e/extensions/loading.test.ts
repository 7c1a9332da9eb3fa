/** Which extensions load, and what they bring to the command line, the tools, the commands and the models. */
import { assert, describe } from "@effect/vitest"
import { at, dataOf, errors, list, messages, notes, play, plays, sample } from "../../support/extensions/Pipes.ts"
import { forPeople } from "../command.ts"

const flags = ["kind/flags.ts"]
type Start = Parameters<Parameters<typeof plays>[1]>[0]

/** How a start with these options ends: its code, its stdout, and what people read. */
const refused = async (start: Start, ...args: ReadonlyArray<string>) => {
  const { host } = await start({ extensions: flags, args })
  const { code } = await host.exited
  return [code, host.lines.length, forPeople({ code: 1, out: "", err: host.stderr() })]
}

describe("options of extensions", () => {
  plays("are read, each with its default", async (start) => {
    const read = async (...args: ReadonlyArray<string>) => {
      const { end, until } = await start({ extensions: flags, args })
      const { message } = await until(({ method }) => method === "notify")
      assert.strictEqual(await end(), 0)
      return message
    }
    const [none, all, equals, off] = await Promise.all([
      read(),
      read("--plan", "--tag", "x"),
      read("--tag=a=b"),
      read("--plan=false")
    ])
    assert.deepStrictEqual(
      [none, all, equals, off],
      ['[false,"none"]', '[true,"x"]', '[false,"a=b"]', '[false,"none"]']
    )
  })

  plays("that nobody knows, or that are given wrongly, end the start", async (start) => {
    const [unknown, noValue, value] = await Promise.all([
      refused(start, "--plan", "--nope"),
      refused(start, "--tag"),
      refused(start, "--plan=maybe")
    ])
    assert.deepStrictEqual(unknown, [
      1,
      0,
      "Error: unknown option, or an option without its value: --nope (see --help)"
    ])
    assert.deepStrictEqual(noValue, [1, 0, "Error: --tag needs a value"])
    assert.deepStrictEqual(value, [1, 0, "Error: --plan takes no value: maybe"])
  })
})

/** Options of extensions are judged before the host hears anything; what went wrong meanwhile is told afterwards. */
play(
  "an option of an extension takes nothing from what the host is told at the start",
  { extensions: ["throws-at-import.ts", "kind/flags.ts"], args: ["--plan"] },
  async ({ end, since, until }) => {
    await until(({ phase }) => phase === "done")
    assert.deepStrictEqual(
      since(0).map(({ method, phase, type }) => phase ?? method ?? type),
      ["ready", "extension_error", "extensions", "notify", "done"]
    )
    assert.deepStrictEqual(errors(since(0)), [["throws-at-import.ts", "load", "broken module"]])
    assert.deepStrictEqual(notes(since(0)), ['[true,"none"]'])
    assert.strictEqual(await end(), 0)
  }
)

const bad = ["throws-at-import.ts", "no-factory.ts", "throws-in-factory.ts", "hostile/rejects.ts"]

play(
  "bad files are told and left out; a tool belongs to the first that has it, a command to all",
  { extensions: ["kind/twin-a.ts", ...bad, "kind/twin-b.ts"] },
  async ({ ask, call, end, prompt, since, until }) => {
    await until(({ phase }) => phase === "done")
    assert.deepStrictEqual(errors(since(0)), [
      ["throws-at-import.ts", "load", "broken module"],
      ["no-factory.ts", "load", "The extension must export a function as its default."],
      ["throws-in-factory.ts", "load", "broken factory"],
      ["hostile/rejects.ts", "load", "rejected factory"],
      ["kind/twin-b.ts", "registerTool", 'Tool "twin" is already registered; the first one stays']
    ])
    const commands = list(dataOf(await ask({ type: "get_commands" }), "commands"))
    assert.deepStrictEqual(
      commands.map((command) => [at(command, "name"), at(command, "description"), at(command, "sourceInfo", "path")]),
      [
        ["twin:1", "Twin a", sample("kind/twin-a.ts")],
        ["twin:2", "Twin b", sample("kind/twin-b.ts")]
      ]
    )
    assert.deepStrictEqual(notes(await prompt("/twin:1")), ["a"])
    assert.deepStrictEqual(notes(await prompt("/twin:2")), ["b"])
    assert.deepInclude(await call("twin"), { text: "a", isError: false })
    assert.deepInclude(await call("half"), { text: "Tool half not found", isError: true })
    assert.strictEqual(await end(), 0)
  }
)

play("a tool of session_start is in the first model call", { extensions: ["kind/dynamic.ts"] }, async (pipes) => {
  const { call, prompt, requests } = pipes
  assert.deepInclude(await call("late"), { text: "in time", isError: false })
  assert.include(requests[0]?.tools ?? [], "late")
  assert.include(requests[0]?.system ?? "", "Never be late.")
  await prompt("/only late read")
  assert.deepStrictEqual(notes(await prompt("/active")), ["read late"])
  await prompt("hello")
  assert.deepStrictEqual(requests.at(-1)?.tools, ["read", "late"])
})

describe("models of extensions", () => {
  const own = sample("kind/provider.ts")
  for (const args of [
    ["--model", "ours/m1", "-e", own],
    ["-e", own, "--provider", "ours", "--model", "m1"]
  ]) {
    play(`${args.filter((arg) => arg !== own).join(" ")} answers a prompt`, { model: false, args }, async (pipes) => {
      const state = dataOf(await pipes.ask({ type: "get_state" }), "model")
      assert.deepInclude(state, { provider: "ours", id: "m1" })
      assert.deepStrictEqual(messages(await pipes.prompt("hi"), "assistant"), ["own answer to system user"])
      const { data } = await pipes.ask({ type: "get_available_models" })
      assert.include(JSON.stringify(data), '"ours"')
      assert.strictEqual(await pipes.end(), 0)
    })
  }

  plays("a model that nobody knows ends the start", async (start) => {
    const { host } = await start({ model: false, args: ["-e", own, "--model", "ours/m2"] })
    assert.deepStrictEqual([(await host.exited).code, host.lines.length], [1, 0])
    assert.include(host.stderr(), '"code":"NO_MODEL"')
  })
})

plays("--no-extensions leaves out what was found, and keeps -e", async (start, { put }) => {
  put(
    ".heddle/agent/extensions/found.ts",
    "export default (pi) => pi.registerCommand('found', { handler: () => {} })\n"
  )
  const names = async (...args: ReadonlyArray<string>) => {
    const { ask, end } = await start({ extensions: ["kind/twin-a.ts"], args })
    const { data } = await ask({ type: "get_commands" })
    await end()
    return list(at(data, "commands")).map((command) => at(command, "name"))
  }
  assert.deepStrictEqual(await names(), ["found", "twin"])
  assert.deepStrictEqual(await names("--no-extensions"), ["twin"])
})
