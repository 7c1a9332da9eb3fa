/** The settings of tasks that hosts of pisces and omp keep in omp.jsonc (protocol.md 14.2, 18). */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import type { DialectName } from "../../../../src/services/host/Dialect.ts"
import * as FileSettings from "../../../../src/layers/workspace/settings/FileSettings.ts"
import { defaults } from "../../../../src/services/Settings.ts"
import { withFiles } from "../../tools/TempFolder.ts"

interface Given {
  readonly trusted?: boolean
  readonly rpcReset?: boolean
  readonly dialect?: DialectName
}

const load = (folder: string, given: Given) => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(String(message)))
  const place = { agentDir: join(folder, "agent"), cwd: join(folder, "work"), overrides: {} }
  return FileSettings.load({ ...place, ...given }).pipe(
    Effect.map((loaded) => ({ ...loaded, logged })),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
}

const checks = { commands: [{ name: "types", command: "npm run typecheck" }], onFailure: "retry_once" } as const
const project = `{
  // as the document of pisces shows it
  "extensions": ["./run-me.ts"],
  "steeringMode": "all",
  "lsp": { "enabled": true },
  "task": {
    "isolation": { "mode": "worktree", "merge": "branch" },
    "simple": "default",
    "verification": { "enabled": true, "defaultProfile": "ci", "profiles": { "ci": ${JSON.stringify(checks)} } },
  },
  "task.budget.maxTurns": 7,
}`
const tasks = {
  "task.isolation.mode": "worktree",
  "task.isolation.merge": "branch",
  "task.verification.enabled": true,
  "task.verification.defaultProfile": "ci",
  "task.verification.profiles": { ci: checks },
  "task.budget.maxTurns": 7
} as const

it.scoped("of a trusted project, its settings of tasks count and no others, silently", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "agent/": "", "work/omp.jsonc": project })
    const { declared, logged, notice, settings } = yield* load(folder, { trusted: true })
    assert.deepStrictEqual(settings, { ...defaults, ...tasks })
    assert.deepStrictEqual([declared.project.extensions, logged, notice], [[], [], undefined])
    const reset = yield* load(folder, { trusted: true, rpcReset: true })
    const kept = { ...defaults, ...tasks, "task.isolation.mode": "none", "task.isolation.merge": "patch" } as const
    assert.deepStrictEqual(reset.settings, kept)
  })
)

it.scoped("of a project that is not trusted, they are named in the question about trust", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "agent/": "", "work/omp.jsonc": project })
    const { settings, trust } = yield* load(folder, {})
    assert.deepStrictEqual(settings, defaults)
    assert.include(trust.notice, "left out: task.isolation.mode, task.isolation.merge, task.verification.enabled, ")
    rmSync(join(folder, "work/omp.jsonc"))
    assert.isUndefined((yield* load(folder, {})).trust.notice)
  })
)

it.scoped("that of the agent folder is below every file of heddle, and that of the project above it", () =>
  Effect.gen(function* () {
    const limits = (turns: number) => JSON.stringify({ task: { budget: { maxTurns: turns, maxToolCalls: turns } } })
    const folder = yield* withFiles({ "agent/omp.jsonc": limits(1), "work/": "" })
    const turns = (given: Given) => Effect.map(load(folder, given), ({ settings }) => settings["task.budget.maxTurns"])
    assert.strictEqual(yield* turns({}), 1)
    yield* Effect.promise(() => Bun.write(join(folder, "agent/settings.json"), '{"task.budget.maxTurns":2}'))
    assert.strictEqual(yield* turns({}), 2)
    yield* Effect.promise(() => Bun.write(join(folder, "work/omp.jsonc"), limits(3)))
    assert.deepStrictEqual([yield* turns({}), yield* turns({ trusted: true })], [2, 3])
    yield* Effect.promise(() => Bun.write(join(folder, "work/.heddle/settings.json"), '{"task.budget.maxTurns":4}'))
    assert.strictEqual(yield* turns({ trusted: true }), 4)
  })
)

it.scoped("a mistake in it is reported, with its place", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "agent/omp.jsonc": '{\n"task":{"maxConcurrency":"many"}}', "work/": "" })
    assert.include((yield* load(folder, {})).notice, "omp.jsonc:2:9: task.maxConcurrency: expected a whole number")
  })
)

it.scoped("dialect pisces isolates tasks without a setting, also in rpc mode, unless one says otherwise", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "agent/": "", "work/": "" })
    const mode = (given: Given) => Effect.map(load(folder, given), ({ settings }) => settings["task.isolation.mode"])
    for (const rpcReset of [false, true]) {
      assert.strictEqual(yield* mode({ dialect: "pisces", rpcReset }), "worktree")
      assert.strictEqual(yield* mode({ dialect: "omp", rpcReset }), "none")
    }
    assert.deepStrictEqual((yield* load(folder, { dialect: "pisces", rpcReset: true })).logged, [])
    yield* Effect.promise(() => Bun.write(join(folder, "agent/settings.json"), '{"task.isolation.mode":"none"}'))
    assert.strictEqual(yield* mode({ dialect: "pisces" }), "none")
    assert.strictEqual(yield* mode({ dialect: "pisces", rpcReset: true }), "worktree")
  })
)
