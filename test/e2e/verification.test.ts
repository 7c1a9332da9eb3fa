/**
 * Every way in which the check of a task can end, under every way to go on, over the real pipes: the exact events, the
 * result, and what reaches the folder of the user.
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as Repos from "../support/git/Repos.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Processes from "../support/host/Processes.ts"

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const say = (text: string) => ({ steps: [{ text }] })

const policies = ["return_failure", "discard_patch", "retry_once"] as const
type Policy = (typeof policies)[number]

interface Attempt {
  readonly status: "passed" | "failed" | "skipped" | "budget_exceeded"
  /** The exit code of the check; absent where it was not run. */
  readonly exitCode?: number
}

interface Cell {
  readonly name: string
  readonly onFailure: Policy
  readonly check: Readonly<Record<string, unknown>>
  /** What the child says last; it has written its file by then. */
  readonly child: object
  readonly repair?: ReadonlyArray<object>
  readonly attempts: ReadonlyArray<Attempt>
  readonly exitCode: 0 | 1
  readonly isPatchKept: boolean
}

const done = { steps: [call("submit_result", { result: "done" })] }
const failed: Attempt = { status: "failed", exitCode: 3 }

/** What becomes of a check that fails with this code, and of the task. */
const failing = (
  onFailure: Policy,
  exitCode: number
): Pick<Cell, "attempts" | "repair" | "exitCode" | "isPatchKept"> => ({
  attempts: Array.from({ length: onFailure === "retry_once" ? 2 : 1 }, () => ({ ...failed, exitCode })),
  repair: onFailure === "retry_once" ? [say("I see nothing to repair.")] : [],
  exitCode: 1,
  isPatchKept: onFailure !== "discard_patch"
})

const repaired: Cell = {
  name: "repaired",
  onFailure: "retry_once",
  check: { command: "test -f repaired" },
  child: done,
  repair: [{ steps: [call("write", { path: "repaired", content: "" })] }, say("Repaired.")],
  attempts: [
    { status: "failed", exitCode: 1 },
    { status: "passed", exitCode: 0 }
  ],
  exitCode: 0,
  isPatchKept: true
}

const cellsOf = (onFailure: Policy): ReadonlyArray<Cell> => {
  const common = { onFailure, child: done } as const
  const passes = { attempts: [{ status: "passed", exitCode: 0 }], exitCode: 0, isPatchKept: true } as const
  return [
    { ...common, ...passes, name: "pass", check: { command: "test -f $HEDDLE_FILE" } },
    { ...common, ...failing(onFailure, 3), name: "fail", check: { command: "exit 3" } },
    {
      ...common,
      ...passes,
      name: "optional-fail",
      check: { command: "exit 3", optional: true },
      attempts: [{ status: "passed", exitCode: 3 }]
    },
    { ...common, ...failing(onFailure, 124), name: "timeout", check: { command: "sleep 60", timeoutMs: 100 } },
    { ...common, ...failing(onFailure, 137), name: "crash", check: { command: "kill -9 $$" } },
    {
      ...common,
      name: "agent-crash",
      check: { command: "exit 0" },
      child: { steps: [call("submit_result", { error: "I cannot" })] },
      attempts: [],
      exitCode: 1,
      isPatchKept: true
    },
    ...(onFailure === "retry_once" ? [repaired] : [])
  ]
}

const idOf = ({ name, onFailure }: Pick<Cell, "name" | "onFailure">) => `${name}.${onFailure}`

const taskCall = (id: string, verify: object, more: object = { isolated: true }) =>
  call("task", { agent: "task", tasks: [{ id, description: "d", assignment: "Do it" }], verify, ...more })

const asked = (cell: Cell) => {
  const id = idOf(cell)
  const command = String(cell.check["command"]).replace("$HEDDLE_FILE", `${id}.txt`)
  return taskCall(id, { commands: [{ name: "check", ...cell.check, command }], onFailure: cell.onFailure })
}

const writes = (id: string) => ({
  steps: [call("write", { path: `${id}.txt`, content: "by the agent\n" })],
  usage: { input: 10, output: 5 }
})

const turnsOf = (cell: Cell) => [
  { steps: [asked(cell)] },
  writes(idOf(cell)),
  cell.child,
  ...(cell.repair ?? []),
  say("ok")
]

interface Playing {
  readonly repo: string
  readonly home: string
  readonly host: HostProcess.HostProcess
}

const start = Effect.fnUntraced(function* (turns: ReadonlyArray<object>, ...args: ReadonlyArray<string>) {
  const repo = yield* Repos.withCommit({ "a.txt": "a\n" })
  const home = yield* tempFolder
  writeFileSync(join(home, "scenario.json"), JSON.stringify({ turns }))
  const scenario = `offline.scenario=${join(home, "scenario.json")}`
  const host = yield* HostProcess.open({
    cwd: repo,
    env: { HOME: home, HEDDLE_AGENT_DIR: join(home, "agent") },
    args: ["--model", "offline/script", "--set", scenario, "--set", "task.isolation.mode=worktree", ...args]
  })
  const playing: Playing = { repo, home, host }
  return playing
})

/** The frames of one prompt that are about its task. */
const play = async ({ host }: Playing, id: string, during: () => Promise<void> = () => Promise.resolve()) => {
  const from = host.frames().length
  host.send({ id, type: "prompt", message: "go" })
  await during()
  await host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === id)
  return host
    .frames()
    .slice(from)
    .filter(
      ({ toolName, type }) =>
        String(type).startsWith("subagent_") || (type === "tool_execution_end" && toolName === "task")
    )
}

const told = (frame: HostProcess.Frame): string => {
  const { attempt, commandName, exitCode, isError, status, type } = frame
  const parts = [attempt, commandName, exitCode, status, isError].filter((part) => part !== undefined)
  return [String(type).replace(/^subagent_(?=v)/, ""), ...parts].join(" ")
}

const expectedEvents = ({ attempts, exitCode }: Pick<Cell, "attempts" | "exitCode">): ReadonlyArray<string> => [
  "subagent_start",
  ...attempts.flatMap((attempt, at) => {
    const n = at + 1
    const ran = attempt.exitCode === undefined ? [] : [`${n} check`, `${n} check ${attempt.exitCode}`]
    return [
      `verification_start ${n}`,
      ...ran.map((text, which) => `verification_command_${which === 0 ? "start" : "end"} ${text}`),
      `verification_end ${n} ${attempt.status}`
    ]
  }),
  `subagent_end ${exitCode}`,
  `tool_execution_end ${exitCode === 1}`
]

const artifactsOf = ({ home }: Playing) =>
  readdirSync(join(home, "agent"), { recursive: true }).map((path) => String(path).split("/").at(-1) ?? "")

/** The result of the one task, and the part of it that `subagent_end` has, too. */
const resultOf = (frames: ReadonlyArray<HostProcess.Frame>) => {
  const said = JSON.parse(JSON.stringify(frames.at(-1)?.["result"]))
  const ended = JSON.parse(JSON.stringify(frames.find(({ type }) => type === "subagent_end")))
  const [result] = said.details.results
  assert.deepStrictEqual(ended.verification, result.verification)
  return result
}

const checkCell = async (playing: Playing, cell: Cell) => {
  const { home, repo } = playing
  const name = idOf(cell)
  const frames = await play(playing, name)
  assert.deepStrictEqual([name, ...frames.map(told)], [name, ...expectedEvents(cell)])
  const result = resultOf(frames)
  const { attempts, onFailure, retriesUsed, status } = result.verification
  const last = cell.attempts.at(-1)?.status ?? "skipped"
  assert.deepStrictEqual(
    [status, onFailure, retriesUsed, attempts.map((attempt: Attempt) => attempt.status)],
    [last, cell.onFailure, Math.max(0, cell.attempts.length - 1), cell.attempts.map((attempt) => attempt.status)]
  )
  assert.strictEqual(result.exitCode, cell.exitCode)
  assert.strictEqual(existsSync(join(repo, `${name}.txt`)), cell.exitCode === 0)
  assert.strictEqual(result.patchPath !== undefined, cell.isPatchKept)
  assert.strictEqual(existsSync(String(result.patchPath)), cell.isPatchKept)
  assert.strictEqual(
    artifactsOf(playing).some((file) => file === `${result.id}.patch`),
    cell.isPatchKept
  )
  if (cell.attempts.at(-1)?.status === "failed") assert.strictEqual(result.error, "Verification failed: check")
  assert.isFalse(existsSync(join(home, "agent/wt")))
}

describe("in a worktree", () => {
  it.scopedLive.each(policies.map((onFailure) => ({ onFailure })))(
    "$onFailure",
    ({ onFailure }) =>
      Effect.gen(function* () {
        const cells = cellsOf(onFailure)
        const playing = yield* start(cells.flatMap(turnsOf))
        const { repo } = playing
        const before = Repos.whole(repo)
        yield* Effect.promise(async () => {
          for (const cell of cells) await checkCell(playing, cell)
        })
        const after = Repos.whole(repo)
        const brought = cells.filter(({ exitCode }) => exitCode === 0).map((cell) => `${idOf(cell)}.txt`)
        const more = onFailure === "retry_once" ? ["repaired"] : []
        for (const name of [...brought, ...more]) delete after[name]
        assert.deepStrictEqual(after, before)
      }),
    30_000
  )

  it.scopedLive.each(policies.map((onFailure) => ({ onFailure })))(
    "an abort of the check, $onFailure",
    ({ onFailure }) =>
      Effect.gen(function* () {
        const tag = `heddle-e2e-${crypto.randomUUID()}`
        const cell: Cell = {
          name: "abort",
          onFailure,
          check: { command: `(exec -a ${tag} sleep 60) & wait` },
          child: done,
          attempts: [{ status: "skipped", exitCode: 130 }],
          exitCode: 1,
          isPatchKept: false
        }
        const playing = yield* start(turnsOf(cell))
        const { home, host, repo } = playing
        const before = Repos.whole(repo)
        const frames = yield* Effect.promise(() =>
          play(playing, "p", async () => {
            // The shell and what it waits for.
            await Effect.runPromise(Processes.count(tag, 2))
            host.send({ id: "a", type: "abort" })
          })
        )
        assert.deepStrictEqual(frames.map(told), expectedEvents(cell))
        const ended = frames.find(({ type }) => type === "subagent_end")
        assert.deepNestedPropertyVal(ended, "verification", {
          requested: true,
          mode: "command",
          onFailure,
          status: "skipped",
          attempts: [],
          retriesUsed: 0
        })
        assert.deepStrictEqual(Processes.holding(tag), [])
        assert.deepStrictEqual(Repos.whole(repo), before)
        assert.isFalse(existsSync(join(home, "agent/wt")))
        assert.isFalse(artifactsOf(playing).some((name) => name.endsWith(".patch")))
      })
  )

  it.scopedLive.each(policies.map((onFailure) => ({ onFailure })))(
    "a budget that is spent, $onFailure",
    ({ onFailure }) =>
      Effect.gen(function* () {
        const cell: Cell = {
          name: "budget",
          onFailure,
          check: { command: "exit 3" },
          child: { ...say("done"), usage: { input: 10, output: 5000 } },
          attempts: onFailure === "retry_once" ? [failed, { status: "budget_exceeded" }] : [failed],
          exitCode: 1,
          isPatchKept: onFailure !== "discard_patch"
        }
        const playing = yield* start(turnsOf(cell), "--set", "task.budget.maxOutputTokens=1000")
        const { host, repo } = playing
        const before = Repos.whole(repo)
        const frames = yield* Effect.promise(() => play(playing, "p"))
        assert.deepStrictEqual(frames.map(told), expectedEvents(cell))
        const { patchPath, verification } = resultOf(frames)
        assert.deepStrictEqual([verification.status, verification.retriesUsed], ["failed", 0])
        assert.strictEqual(patchPath !== undefined, cell.isPatchKept)
        assert.deepStrictEqual(Repos.whole(repo), before)
        assert.isAbove(host.frames().filter(({ type }) => type === "budget_exceeded").length, 0)
      })
  )
})

it.scopedLive("without a worktree every verification is refused, and nothing runs", () =>
  Effect.gen(function* () {
    const cells = policies.flatMap(cellsOf)
    const refusals = cells.flatMap((cell) => {
      const verify = { commands: [{ name: "check", ...cell.check }], onFailure: cell.onFailure }
      return [{ steps: [taskCall(idOf(cell), verify, {})] }, say("ok")]
    })
    const playing = yield* start(refusals)
    const before = Repos.whole(playing.repo)
    yield* Effect.promise(async () => {
      for (const cell of cells) {
        const frames = await play(playing, idOf(cell))
        assert.deepStrictEqual(frames.map(told), ["tool_execution_end true"])
        assert.deepInclude(JSON.parse(JSON.stringify(frames[0]?.["result"])), {
          content: [
            {
              type: "text",
              text: "Verification requires isolated task execution. Pass isolated: true or disable verify."
            }
          ]
        })
      }
    })
    assert.deepStrictEqual(Repos.whole(playing.repo), before)
  })
)

it.scopedLive("a folder that is no repository is refused, with git and without it", () =>
  Effect.gen(function* () {
    const turns = [{ steps: [taskCall("A", { commands: [{ name: "check", command: "true" }] })] }, say("ok")]
    const folder = yield* tempFolder
    writeFileSync(join(folder, "scenario.json"), JSON.stringify({ turns }))
    const scenario = `offline.scenario=${join(folder, "scenario.json")}`
    for (const env of [{}, { PATH: "/no/git/here" }]) {
      const host = yield* HostProcess.open({
        cwd: folder,
        env,
        args: ["--model", "offline/script", "--set", scenario, "--set", "task.isolation.mode=worktree"]
      })
      const frames = yield* Effect.promise(() => play({ repo: folder, home: folder, host }, "p"))
      assert.deepStrictEqual(frames.map(told), ["tool_execution_end true"])
      assert.include(
        JSON.stringify(frames[0]),
        "Isolated task execution requires a git repository. Remove the isolated"
      )
    }
  })
)
