/** Subagents of the real command: what a host sees of them, how it reaches them, and that nothing is left of them. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Processes from "../support/host/Processes.ts"

const { answer, type } = HostProcess

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const task = (id: string, assignment = "Do it") => ({ id, description: `about ${id}`, assignment })
const delegate = (agent: string, ...ids: ReadonlyArray<string>) =>
  call("task", { agent, tasks: ids.map((id) => task(id)) })
const submit = (result: unknown) => ({ steps: [call("submit_result", { result })], usage: { input: 10, output: 5 } })

interface Options {
  readonly turns: ReadonlyArray<object>
  readonly atEnd?: string
  readonly args?: ReadonlyArray<string>
}

const start = Effect.fnUntraced(function* ({ args = [], ...scenario }: Options) {
  const folder = yield* tempFolder
  writeFileSync(join(folder, "scenario.json"), JSON.stringify(scenario))
  const host = yield* HostProcess.open({
    home: folder,
    cwd: folder,
    args: ["--model", "offline/script", "--set", `offline.scenario=${join(folder, "scenario.json")}`, ...args]
  })
  return { folder, host }
})

const result = async (host: HostProcess.HostProcess) => {
  const { isError, result: said } = await host.until(type("tool_execution_end"))
  return { isError, text: JSON.stringify(said) }
}

describe("a task", () => {
  it.scopedLive("runs in a session of its own, between its start and its end", () =>
    Effect.gen(function* () {
      const { host } = yield* start({
        turns: [
          { steps: [delegate("explore", "Look")] },
          { steps: [call("ls", { path: "." })], usage: { input: 10, output: 5 } },
          submit("Two files."),
          { steps: [{ text: "Thanks." }] }
        ]
      })
      yield* Effect.promise(async () => {
        host.send({ id: "p", type: "prompt", message: "go" })
        await host.until(type("session_settled"))
      })
      const shown = host
        .frames()
        .filter(({ type: name }) => /^(subagent|tool_execution_(start|end))/.test(String(name)))
      assert.deepStrictEqual(
        shown.map(({ id, toolName, type: name }) => [name, id ?? toolName]),
        [
          ["tool_execution_start", "task"],
          ["subagent_start", "0-Look"],
          ["subagent_end", "0-Look"],
          ["tool_execution_end", "task"]
        ]
      )
      assert.include(JSON.stringify(shown.at(-1)), "Two files.")
      yield* Effect.promise(async () => {
        host.send(
          { id: "m", type: "get_subagent_messages", subagentId: "0-Look" },
          { id: "s", type: "get_session_stats" }
        )
        const { data } = await host.until(answer("m"))
        const messages = JSON.stringify(data)
        assert.include(messages, "Do it")
        assert.include(messages, "session_init")
        const stats = await host.until(answer("s"))
        assert.nestedPropertyVal(stats, "data.tokens.total", 30)
      })
    })
  )

  it.scopedLive("is numbered on when the session is continued", () =>
    Effect.gen(function* () {
      const turns = [{ steps: [delegate("task", "One")] }, submit("1"), { steps: [{ text: "ok" }] }]
      const { folder, host } = yield* start({ turns })
      yield* Effect.promise(async () => {
        host.send({ id: "p", type: "prompt", message: "go" })
        await host.until(type("session_settled"))
        host.closeInput()
        await host.exited
      })
      const again = yield* HostProcess.open({
        home: folder,
        cwd: folder,
        args: ["--model", "offline/script", "--set", `offline.scenario=${join(folder, "scenario.json")}`, "--continue"]
      })
      yield* Effect.promise(async () => {
        again.send({ id: "p", type: "prompt", message: "go" })
        assert.nestedPropertyVal(await again.until(type("subagent_start")), "id", "1-One")
        await again.until(type("session_settled"))
      })
    })
  )

  it.scopedLive("has to submit what fits its schema, and is reminded", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
      const { host } = yield* start({
        turns: [
          { steps: [call("task", { agent: "task", schema, tasks: [task("Count")] })] },
          { steps: [{ text: "Seven." }] },
          submit({ n: "seven" }),
          submit({ n: 7 }),
          { steps: [{ text: "ok" }] }
        ]
      })
      yield* Effect.promise(async () => {
        host.send({ id: "p", type: "prompt", message: "go" })
        const { isError, text } = await result(host)
        assert.strictEqual(isError, false)
        assert.include(text, '"data":{"n":7}')
        await host.until(type("session_settled"))
      })
    })
  )

  it.scopedLive("fails after three reminders", () =>
    Effect.gen(function* () {
      const silent = { steps: [{ text: "Hm." }] }
      const { host } = yield* start({
        turns: [
          { steps: [call("task", { agent: "task", schema: { type: "object" }, tasks: [task("Never")] })] },
          silent,
          silent,
          silent,
          silent,
          { steps: [{ text: "ok" }] }
        ]
      })
      yield* Effect.promise(async () => {
        host.send({ id: "p", type: "prompt", message: "go" })
        const { isError, text } = await result(host)
        assert.strictEqual(isError, true)
        assert.include(text, "SYSTEM WARNING: Subagent exited without calling submit_result tool after 3 reminders.")
      })
    })
  )

  const refused: ReadonlyArray<readonly [object, string]> = [
    [{ agent: "nobody", tasks: [task("A")] }, 'Unknown agent \\"nobody\\". Available: task'],
    [{ agent: "task", tasks: [] }, "No tasks provided."],
    [{ agent: "task", tasks: [task("A"), task("a")] }, "Duplicate task ids detected (case-insensitive): A, a"],
    [{ agent: "task", tasks: [task("A")], isolated: true }, "Task isolation is disabled."],
    [{ agent: "task", tasks: [task("A")], verify: true }, "Verification requires isolated task execution."],
    [{ agent: "task", tasks: [task("A")], schema: { type: 5 } }, "The output schema cannot be used"]
  ]
  it.scopedLive.each(refused)("is refused: %j", ([args, words]) =>
    Effect.gen(function* () {
      const { host } = yield* start({ turns: [{ steps: [call("task", args)] }, { steps: [{ text: "ok" }] }] })
      yield* Effect.promise(async () => {
        host.send({ id: "p", type: "prompt", message: "go" })
        const { isError, text } = await result(host)
        assert.strictEqual(isError, true)
        assert.include(text, words)
        await host.until(type("session_settled"))
        assert.notInclude(HostProcess.types(host), "subagent_start")
      })
    })
  )

  it.scopedLive("may start others, as deep as the settings say", () =>
    Effect.gen(function* () {
      const { host } = yield* start({
        turns: [
          { steps: [delegate("task", "Top")] },
          { steps: [delegate("task", "Below")] },
          { steps: [delegate("task", "TooDeep")] },
          submit("below"),
          submit("top"),
          { steps: [{ text: "ok" }] }
        ]
      })
      yield* Effect.promise(async () => {
        host.send({ id: "p", type: "prompt", message: "go" })
        await host.until(type("session_settled"))
      })
      const started = host.frames().filter(type("subagent_start"))
      assert.deepStrictEqual(
        started.map(({ id }) => id),
        ["0-Top", "0-Top.0-Below"]
      )
      assert.include(JSON.stringify(host.frames().findLast(type("tool_execution_end"))), "top")
    })
  )
})

it.scopedLive("the example of docs/subagents.md", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const scenario = join(import.meta.dirname, "../../examples/scenarios/subagents.json")
    const host = yield* HostProcess.open({
      home: folder,
      cwd: folder,
      args: ["--drain", "--model", "offline/script", "--set", `offline.scenario=${scenario}`]
    })
    yield* Effect.promise(async () => {
      host.send({ id: "1", type: "prompt", message: "Look around" })
      host.closeInput()
      await host.exited
    })
    const ends = host.frames().filter(type("subagent_end"))
    assert.sameMembers(
      ends.map(({ exitCode, id }) => `${id} ${exitCode}`),
      ["0-Docs 0", "1-Tests 0"]
    )
    assert.nestedPropertyVal(host.frames().find(type("prompt_result")), "status", "completed")
  })
)

describe("a host", () => {
  it.scopedLive("reads a transcript on from where it was", () =>
    Effect.gen(function* () {
      const { host } = yield* start({
        turns: [{ steps: [delegate("task", "One")] }, submit("1"), { steps: [{ text: "ok" }] }]
      })
      yield* Effect.promise(async () => {
        const read = async (id: string, fromByte: number) => {
          host.send({ id, type: "get_subagent_messages", subagentId: "0-One", fromByte })
          return Object((await host.until(answer(id)))["data"])
        }
        host.send({ id: "p", type: "prompt", message: "go" })
        await host.until(type("session_settled"))
        const all = await read("a", 0)
        assert.isAbove(all.messages.length, 1)
        const rest = await read("b", all.nextByte)
        assert.deepInclude(rest, { fromByte: all.nextByte, nextByte: all.nextByte, reset: false, entries: [] })
        const again = await read("c", all.nextByte + 1)
        assert.deepInclude(again, { fromByte: 0, reset: true, entries: all.entries })
      })
    })
  )

  it.scopedLive("ends subagents by changing the session", () =>
    Effect.gen(function* () {
      const tag = `heddle-e2e-${crypto.randomUUID()}`
      const { host } = yield* start({
        turns: [
          { steps: [delegate("task", "Long")] },
          { steps: [call("bash", { command: `X=${tag} bash -c "sleep 60; true"` })] }
        ],
        atEnd: "stay"
      })
      host.send({ id: "p", type: "prompt", message: "go" })
      yield* Processes.until(
        () => Processes.holding(tag).length,
        (now) => now > 0
      )
      yield* Effect.promise(async () => {
        host.send({ id: "n", type: "new_session" })
        assert.propertyVal(await host.until(answer("n")), "success", true)
      })
      assert.deepStrictEqual(Processes.holding(tag), [])
      assert.nestedPropertyVal(host.frames().find(type("subagent_end")), "exitCode", 1)
    })
  )

  it.scopedLive("sees, steers and ends a subagent", () =>
    Effect.gen(function* () {
      const { host } = yield* start({
        turns: [
          { steps: [delegate("task", "Long", "Short")] },
          { steps: [call("bash", { command: "sleep 60" })] },
          { steps: [call("bash", { command: "sleep 60" })] },
          { steps: [{ text: "ok" }] }
        ]
      })
      yield* Effect.promise(async () => {
        host.send(
          { id: "l", type: "set_subagent_subscription", level: "events" },
          { id: "p", type: "prompt", message: "go" }
        )
        await host.until(
          (frame) => frame["type"] === "subagent_event" && JSON.stringify(frame).includes('"tool_execution_start"')
        )
        await host.until(
          (frame) =>
            frame["type"] === "subagent_event" &&
            JSON.stringify(frame).includes('"tool_execution_start"') &&
            JSON.stringify(frame).includes("1-Short")
        )
        host.send({ id: "g", type: "get_subagents" }, { id: "f", type: "get_fibers" })
        const { data } = await host.until(answer("g"))
        assert.lengthOf(Object(data)["subagents"], 2)
        const fibers = JSON.stringify(await host.until(answer("f")))
        assert.match(
          fibers,
          /"kind":"tool_call".*"kind":"subagent".*"subagentId":"0-Long".*"kind":"run".*"kind":"tool_call"/
        )
        host.send({ id: "st", type: "steer_subagent", subagentId: "0-Long", message: "Hurry" })
        assert.propertyVal(await host.until(answer("st")), "success", true)
        host.send({ id: "c", type: "cancel_subagent", subagentId: "1-Short" })
        assert.nestedPropertyVal(await host.until(answer("c")), "data.cancelled", true)
        const ended = await host.until(type("subagent_end"))
        assert.strictEqual(ended["id"], "1-Short")
        host.send({ id: "c2", type: "cancel", targetId: "0-Long" })
        await host.until(answer("c2"))
        const { text } = await result(host)
        assert.include(text, '"aborted":true')
        assert.include(text, "0/2 succeeded")
        await host.until(type("session_settled"))
        host.send({ id: "g2", type: "get_subagents" })
        assert.deepNestedPropertyVal(await host.until(answer("g2")), "data.subagents", [])
      })
    })
  )
})

describe.skipIf(process.platform !== "linux")("an abort", () => {
  it.scopedLive("ends forty subagents and all their processes", () =>
    Effect.gen(function* () {
      const tag = `heddle-e2e-${crypto.randomUUID()}`
      const ids = Array.from({ length: 40 }, (_, at) => `T${at}`)
      const command = `HEDDLE_TEST=${tag} bash -c "(setsid sleep 60 &); sleep 60"`
      const { folder, host } = yield* start({
        turns: [{ steps: [delegate("task", ...ids)] }, { steps: [call("bash", { command })] }],
        atEnd: "stay",
        args: ["--set", "task.maxConcurrency=40"]
      })
      host.send({ id: "p", type: "prompt", message: "go" })
      yield* Processes.until(
        () => Processes.holding(tag).length,
        (now) => now >= 80
      )
      yield* Effect.promise(async () => {
        host.send({ id: "a", type: "abort" })
        assert.propertyVal(await host.until(answer("a")), "success", true)
      })
      assert.deepStrictEqual(Processes.holding(tag), [])
      const count = (name: string) => host.frames().filter(type(name)).length
      assert.deepStrictEqual([count("subagent_start"), count("subagent_end")], [40, 40])
      const stored = readdirSync(folder, { recursive: true }).map(String)
      const transcript = stored.find((name) => name.endsWith("0-T0.jsonl")) ?? ""
      assert.include(readFileSync(join(folder, transcript), "utf8"), "Command aborted")
    })
  )
})
