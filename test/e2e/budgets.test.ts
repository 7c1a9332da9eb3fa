/** Budgets of the real command: forty children at once, crashes, time, and what a host can set. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Processes from "../support/host/Processes.ts"

const { answer, type } = HostProcess

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const delegate = (...ids: ReadonlyArray<string>) =>
  call("task", { agent: "task", tasks: ids.map((id) => ({ id, description: id, assignment: "Do it" })) })
const turn = (step: object, input: number, output: number) => ({ steps: [step], usage: { input, output } })

interface Options {
  readonly turns: ReadonlyArray<object>
  readonly atEnd?: string
}

const launch = (folder: string, args: ReadonlyArray<string>) =>
  HostProcess.open({
    home: folder,
    cwd: folder,
    args: ["--model", "offline/script", "--set", `offline.scenario=${join(folder, "scenario.json")}`, ...args]
  })

const start = Effect.fnUntraced(function* (scenario: Options, args: ReadonlyArray<string> = []) {
  const folder = yield* tempFolder
  writeFileSync(join(folder, "scenario.json"), JSON.stringify(scenario))
  return { folder, host: yield* launch(folder, args) }
})

const read = async (host: HostProcess.HostProcess, id: string, command: object) => {
  host.send({ ...command, id })
  const frame = await host.until(answer(id))
  return Object(frame["data"] ?? frame)
}

/** What is counted, without the time, which the process measures more exactly than the entries tell. */
const countersOf = (snapshot: object) => {
  const { reason: _reason, status: _status, wallTimeMs: _time, ...counters } = Object(snapshot)
  return counters
}

const continued = Effect.fnUntraced(function* (folder: string) {
  const host = yield* launch(folder, ["--continue"])
  const { snapshot } = yield* Effect.promise(() => read(host, "again", { type: "get_budget" }))
  return { host, snapshot }
})

const leave = (host: HostProcess.HostProcess) =>
  Effect.promise(async () => {
    host.closeInput()
    await host.exited
  })

const budgetFrames = (host: HostProcess.HostProcess) =>
  host
    .frames()
    .filter(({ type: name }) => String(name).startsWith("budget_"))
    .map((frame) => [frame["type"], frame["scope"], Object(frame["snapshot"])["reason"]])

describe("forty subagents at once", () => {
  const ids = Array.from({ length: 40 }, (_, at) => `T${at}`)
  const busy = { turns: [turn(delegate(...ids), 10, 5), turn(call("ls", { path: "." }), 100, 20)], atEnd: "stay" }

  it.scopedLive("do not pass a limit of tokens by more than one call each", () =>
    Effect.gen(function* () {
      const limit = 20_000
      const args = ["--max-tokens", String(limit), "--set", "task.maxConcurrency=40"]
      const { folder, host } = yield* start(busy, args)
      yield* Effect.promise(async () => {
        host.send({ id: "p", type: "prompt", message: "go" })
        const end = await host.until(type("prompt_result"))
        assert.deepStrictEqual(end["error"], {
          code: "budget_exceeded",
          message: "Budget exceeded (total_tokens)",
          retryable: false
        })
        const { snapshot } = await read(host, "b", { type: "get_budget" })
        assert.isAbove(snapshot.totalTokens, limit - 2000)
        assert.isAtMost(snapshot.totalTokens, limit + ids.length * 120)
        assert.deepStrictEqual(budgetFrames(host), [
          ["budget_warning", "session", "total_tokens"],
          ["budget_exceeded", "session", "total_tokens"]
        ])
        // The children's own reports add up to what the session has spent.
        const { result } = Object(host.frames().findLast(type("tool_execution_end")))
        const each: ReadonlyArray<number> = result.details.results.map((one: object) => Object(one)["tokens"])
        assert.strictEqual(each.length, 40)
        assert.strictEqual(
          each.reduce((sum, tokens) => sum + tokens, 15),
          snapshot.totalTokens
        )
      })
      const { snapshot: live } = yield* Effect.promise(() => read(host, "c", { type: "get_budget" }))
      yield* leave(host)
      const { snapshot } = yield* continued(folder)
      assert.deepStrictEqual(countersOf(snapshot), countersOf(live))
    })
  )
})

describe("an agent", () => {
  const define = (folder: string, name: string, lines: ReadonlyArray<string>) => {
    const agents = join(folder, ".heddle/agent/agents")
    mkdirSync(agents, { recursive: true })
    writeFileSync(
      join(agents, `${name}.md`),
      ["---", `name: ${name}`, "description: d", ...lines, "---", "Work."].join("\n")
    )
  }
  const delegateTo = (agent: string, ...ids: ReadonlyArray<string>) =>
    call("task", { agent, tasks: ids.map((id) => ({ id, description: id, assignment: "Do it" })) })

  it.scopedLive("with limits of its own ends at them, and its parent goes on", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      define(folder, "frugal", ["budget:", "  maxToolCalls: 2"])
      const turns = [
        turn(delegateTo("frugal", "A"), 10, 5),
        ...Array.from({ length: 3 }, () => turn(call("ls", { path: "." }), 10, 5)),
        turn({ text: "Thanks." }, 10, 5)
      ]
      writeFileSync(join(folder, "scenario.json"), JSON.stringify({ turns }))
      const host = yield* launch(folder, [])
      yield* Effect.promise(async () => {
        host.send({ id: "p", type: "prompt", message: "go" })
        assert.propertyVal(await host.until(type("prompt_result")), "status", "completed")
        const frames = host.frames().filter(({ type: name }) => String(name).startsWith("budget_"))
        assert.deepStrictEqual(
          frames.map((frame) => [frame["type"], frame["scope"], frame["id"], Object(frame["snapshot"])["toolCalls"]]),
          [
            ["budget_warning", "subagent", "0-A", 2],
            ["budget_exceeded", "subagent", "0-A", 2]
          ]
        )
        const { result } = Object(host.frames().findLast(type("tool_execution_end")))
        assert.strictEqual(result.details.results[0].error, "Budget exceeded (tool_calls)")
        assert.deepStrictEqual(result.details.spent, { toolCalls: 2, subagents: 1, turns: 3 })
      })
    })
  )

  const ends: ReadonlyArray<readonly [string, object]> = [
    ["in the middle of an answer", { hang: true }],
    ["about when it ends", { text: "more" }]
  ]
  it.scopedLive.each(ends)("that is aborted %s reports what it had used, as it was counted", ([, step]) =>
    Effect.gen(function* () {
      const last = { steps: [{ text: "Once" }, step], usage: { input: 70, output: 7 } }
      const turns = [turn(delegate("A", "B"), 10, 5), turn(call("ls", { path: "." }), 20, 5), last]
      const { host } = yield* start({ turns, atEnd: "stay" })
      yield* Effect.promise(async () => {
        host.send(
          { id: "l", type: "set_subagent_subscription", level: "events" },
          { id: "p", type: "prompt", message: "go" }
        )
        await host.until((frame) => JSON.stringify(frame).includes('"delta":"Once"'))
        host.send({ id: "a", type: "abort" })
        await host.until(answer("a"))
        const { snapshot } = await read(host, "b", { type: "get_budget" })
        const stats = await read(host, "s", { type: "get_session_stats" })
        assert.strictEqual(stats.tokens.total, snapshot.totalTokens)
        const ended = host
          .frames()
          .findLast((frame) => type("tool_execution_end")(frame) && frame["toolName"] === "task")
        const { spent, usage } = Object(ended)["result"].details
        assert.isAtLeast(snapshot.totalTokens, usage.totalTokens + 15)
        assert.strictEqual(spent.toolCalls + 1, snapshot.toolCalls)
        assert.strictEqual(spent.subagents, snapshot.subagents)
      })
    })
  )
})

describe.skipIf(process.platform !== "linux")("a crash in the middle of a task", () => {
  it.scopedLive("loses nothing of what children and theirs had spent, and counts it once", () =>
    Effect.gen(function* () {
      const tag = `heddle-e2e-${crypto.randomUUID()}`
      const { folder, host } = yield* start({
        turns: [
          turn(delegate("Top"), 10, 5),
          turn(delegate("Done"), 20, 5),
          turn(call("submit_result", { result: "ok" }), 30, 5),
          turn(delegate("Below"), 40, 5),
          turn(call("ls", { path: "." }), 50, 5),
          turn(call("bash", { command: `HEDDLE_TEST=${tag} sleep 60` }), 60, 5)
        ]
      })
      host.send({ id: "p", type: "prompt", message: "go" })
      yield* Processes.until(
        () => Processes.holding(tag).length,
        (now) => now > 0
      )
      const { snapshot: live } = yield* Effect.promise(() => read(host, "b", { type: "get_budget" }))
      host.child.kill("SIGKILL")
      yield* Effect.promise(() => host.exited)
      for (const pid of Processes.holding(tag)) process.kill(pid, "SIGKILL")
      assert.deepStrictEqual([live.totalTokens, live.turns, live.toolCalls, live.subagents], [240, 6, 6, 3])
      for (let opening = 0; opening < 3; opening++) {
        const again = yield* continued(folder)
        assert.deepStrictEqual(countersOf(again.snapshot), countersOf(live))
        const stats = yield* Effect.promise(() => read(again.host, "s", { type: "get_session_stats" }))
        assert.strictEqual(stats.tokens.total, 240)
        // The second time, the repaired result is stored.
        if (opening === 1) {
          yield* Effect.promise(async () => {
            again.host.send({ id: "n", type: "set_session_name", name: "again" })
            await again.host.until(answer("n"))
          })
        }
        yield* leave(again.host)
      }
      const sessions = readdirSync(folder, { recursive: true }).map(String)
      const own = sessions.find((name) => /_[^/]+\.jsonl$/.test(name)) ?? ""
      assert.strictEqual(readFileSync(join(folder, own), "utf8").split('"cut_off"').length, 2)
    })
  )
})

it.scopedLive.skipIf(process.platform !== "linux")(
  "wall time ends subagents, their tools and every process below",
  () =>
    Effect.gen(function* () {
      const tag = `heddle-e2e-${crypto.randomUUID()}`
      const command = `HEDDLE_TEST=${tag} bash -c "(setsid sleep 60 &); sleep 60"`
      const turns = [turn(delegate("A", "B"), 10, 5), turn(call("bash", { command }), 10, 5)]
      const { folder, host } = yield* start({ turns, atEnd: "stay" }, ["--set", "task.budget.maxWallTimeMs=600"])
      yield* Effect.promise(async () => {
        host.send({ id: "p", type: "prompt", message: "go" })
        const { error } = await host.until(type("prompt_result"))
        assert.include(error, { code: "budget_exceeded", message: "Budget exceeded (wall_time)" })
      })
      assert.deepStrictEqual(Processes.holding(tag), [])
      const count = (name: string) => host.frames().filter(type(name)).length
      assert.deepStrictEqual([count("subagent_start"), count("subagent_end")], [2, 2])
      const live = yield* Effect.promise(() => read(host, "b", { type: "get_budget" }))
      yield* leave(host)
      // It is still spent after a restart, up to the little that the entries do not show.
      const { snapshot } = yield* continued(folder)
      assert.isAtLeast(snapshot.wallTimeMs, 500)
      assert.isAtMost(snapshot.wallTimeMs, live.snapshot.wallTimeMs + 100)
    })
)

describe("limits", () => {
  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["--max-cost", "much"], '--max-cost must be a number above 0; got "much"'],
    [["--max-cost", "-1"], '--max-cost must be a number above 0; got "-1"'],
    [["--max-tokens", "0"], '--max-tokens must be a whole number above 0; got "0"'],
    [["--max-tokens", "1.5"], '--max-tokens must be a whole number above 0; got "1.5"'],
    [["--max-turns", ""], '--max-turns must be a whole number above 0; got ""'],
    [["--max-turns", "1.5"], '--max-turns must be a whole number above 0; got "1.5"'],
    [["--max-turns", "NaN"], '--max-turns must be a whole number above 0; got "NaN"']
  ]
  it.scopedLive.each(wrong)("that make no sense are refused: %j", ([args, words]) =>
    Effect.gen(function* () {
      const { host } = yield* start({ turns: [] }, args)
      const { code } = yield* Effect.promise(() => host.exited)
      assert.strictEqual(code, 1)
      assert.include(host.stderr(), words)
      assert.deepStrictEqual(host.lines, [])
    })
  )

  it.scopedLive("of settings that make no sense are named, and do not hold", () =>
    Effect.gen(function* () {
      const settings = ["maxCostUsd=free", "maxToolCalls=-3", "warnAtRatio=80"]
      const { host } = yield* start(
        { turns: [] },
        settings.flatMap((one) => ["--set", `task.budget.${one}`])
      )
      yield* Effect.promise(async () => {
        const { message } = await host.until(type("notice"))
        for (const words of [
          'task.budget.maxCostUsd: expected a number above 0, got "free"',
          "task.budget.maxToolCalls: expected a number above 0, got -3",
          "task.budget.warnAtRatio: expected a number from 0 to 1, got 80"
        ])
          assert.include(message, words)
        assert.deepStrictEqual((await read(host, "b", { type: "get_budget" })).limits, { warnAtRatio: 0.8 })
      })
    })
  )

  it.scopedLive("of the command line can only be tightened; others are set and removed at will", () =>
    Effect.gen(function* () {
      const say = turn({ text: "ok" }, 100, 10)
      const { host } = yield* start({ turns: [say], atEnd: "stay" }, ["--max-turns", "2", "--max-cost", "0.5"])
      yield* Effect.promise(async () => {
        const { limits } = await read(host, "b", { type: "get_budget" })
        assert.deepStrictEqual(limits, { maxCostUsd: 0.5, maxTurns: 2, warnAtRatio: 0.8 })
        for (const [id, change] of [
          ["x", { maxTurns: 3 }],
          ["y", { maxCostUsd: null }]
        ] as const) {
          const refused = await read(host, id, { type: "set_budget", limits: change })
          assert.strictEqual(refused.code, "budget_fixed")
          assert.match(refused.error, /was fixed at .* when heddle was started, and can only be tightened/)
        }
        host.send({ id: "p", type: "prompt", message: "one" })
        await host.until(type("session_settled"))
        const { budget } = await read(host, "s", { type: "get_state" })
        assert.include(budget, { turns: 1, totalTokens: 110, status: "ok" })
        // Tightening below what is spent takes effect at once.
        const tightened = await read(host, "t", { type: "set_budget", limits: { maxTotalTokens: 50 } })
        assert.include(tightened.snapshot, { status: "exceeded", reason: "total_tokens" })
        const refused = await read(host, "r", { type: "prompt", message: "two" })
        assert.include(refused, { success: false, code: "budget_exceeded" })
        for (const name of ["steer", "follow_up", "abort_and_prompt"]) {
          const answered = await read(host, name, { type: name, message: "two" })
          assert.include(answered, { success: false, code: "budget_exceeded" }, name)
        }
        const lifted = await read(host, "u", { type: "set_budget", limits: { maxTotalTokens: null } })
        assert.include(lifted.snapshot, { status: "ok" })
        const fresh = await read(host, "n", { type: "new_session" })
        assert.strictEqual(fresh.cancelled, false)
        const { limits: kept, snapshot } = await read(host, "c", { type: "get_budget" })
        assert.include(snapshot, { turns: 0, totalTokens: 0, status: "ok" })
        assert.deepStrictEqual(kept, limits)
      })
      assert.deepStrictEqual(budgetFrames(host), [
        ["budget_warning", "session", "total_tokens"],
        ["budget_exceeded", "session", "total_tokens"]
      ])
    })
  )

  it.scopedLive("count what a session holds, wherever it came from", () =>
    Effect.gen(function* () {
      const { host } = yield* start({ turns: [turn({ text: "ok" }, 100, 10)], atEnd: "stay" }, ["--max-tokens", "9999"])
      const spent = async (id: string) => (await read(host, id, { type: "get_budget" })).snapshot.totalTokens
      yield* Effect.promise(async () => {
        for (const id of ["p1", "p2"]) {
          host.send({ id, type: "prompt", message: id })
          await host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === id)
        }
        assert.strictEqual(await spent("a"), 220)
        const { sessionFile } = await read(host, "s", { type: "get_state" })
        const { messages } = await read(host, "f", { type: "get_fork_messages" })
        // A fork has the messages before the one that it is made at, and what they took.
        await read(host, "k", { type: "fork", entryId: messages[1].entryId })
        assert.strictEqual(await spent("b"), 110)
        await read(host, "w", { type: "switch_session", sessionPath: sessionFile })
        assert.strictEqual(await spent("c"), 220)
        await read(host, "cl", { type: "clone" })
        assert.strictEqual(await spent("d"), 220)
      })
    })
  )

  it.scopedLive("of the cost refuse a model of which nobody knows the price", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const models = [{ id: "dear" }, { id: "free", cost: { input: 0, output: 0 } }]
      const lab = { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", models }
      writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { lab } }))
      const args = ["--model", "lab/dear", "--max-cost", "1", "--set", "retry.enabled=false"]
      const host = yield* HostProcess.open({ home: folder, cwd: folder, args, env: { HEDDLE_AGENT_DIR: folder } })
      yield* Effect.promise(async () => {
        const refused = await read(host, "p", { type: "prompt", message: "go" })
        assert.include(refused, {
          success: false,
          code: "no_price",
          error:
            "No price known for lab/dear: maxCostUsd cannot hold for it. Give its entry in models.json a cost (0 if it is free), or set a limit of tokens, too"
        })
        assert.notInclude(HostProcess.types(host), "agent_start")
        await read(host, "m", { type: "set_model", provider: "lab", modelId: "free" })
        assert.include(await read(host, "q", { type: "prompt", message: "go" }), { disposition: "started" })
        await host.until(type("prompt_result"))
      })
    })
  )
})

describe("the example of docs/budgets.md", () => {
  /** Numbers of the clock, and what stands behind the part that the page shows. */
  const shown = (line: string) =>
    line.replace(/"wallTimeMs":(\d+|…)/, '"wallTimeMs":0').replace(/,(…|"runId"|"sessionSettled"|"sessionId").*$/, "")

  it("prints what the page says", () => {
    const page = readFileSync(join(HostProcess.root, "docs/budgets.md"), "utf8")
    const [, command = "", printed = ""] = /<!-- example -->\n+```sh\n(.*?)```\n+```\n(.*?)```/s.exec(page) ?? []
    const home = mkdtempSync(join(tmpdir(), "heddle-e2e-"))
    const script = command.replace("bun run cli", `"${process.execPath}" "${HostProcess.entry}"`)
    const env = { PATH: process.env["PATH"] ?? "", HOME: home }
    const { stdout } = spawnSync("bash", ["-c", script], { cwd: HostProcess.root, env, encoding: "utf8" })
    rmSync(home, { recursive: true })
    assert.deepStrictEqual(stdout.trim().split("\n").map(shown), printed.trim().split("\n").map(shown))
  })
})
