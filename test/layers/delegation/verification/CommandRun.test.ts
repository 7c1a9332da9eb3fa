import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import { KnownSecrets, make as makeSecrets } from "../../../../src/layers/machine/secrets/KnownSecrets.ts"
import * as Supervision from "../../../../src/services/supervision/Supervision.ts"
import * as Processes from "../../../support/host/Processes.ts"
import * as Checks from "./Checks.ts"

const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [])
const isGone = (pid: string) => !existsSync(`/proc/${pid}`) || / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))

/** The results of the first attempt. */
const resultsOf = (commands: Parameters<typeof Checks.planOf>[0], options: Parameters<typeof Checks.make>[0] = {}) =>
  Effect.gen(function* () {
    const made = yield* Checks.make(options)
    const { attempts } = yield* made.start(Checks.planOf(commands))
    return { ...made, results: attempts[0]?.commandResults ?? [] }
  })

// G3. The clock stands still until all pids are known.
it.scoped("a timeout kills grandchildren, also those in a session of their own, and is 124", () =>
  Effect.gen(function* () {
    const { cwd, start } = yield* Checks.make()
    const pids = `${cwd}/pids`
    writeFileSync(
      `${cwd}/child.sh`,
      "echo $$ >> pids; sleep 300 & echo $! >> pids; setsid bash -c 'echo $$ >> pids; sleep 300' & wait"
    )
    const command = "echo $$ >> pids; bash child.sh & wait"
    const running = yield* Effect.fork(start(Checks.planOf([{ name: "hangs", command, timeoutMs: 60_000 }])))
    yield* Processes.until(
      () => linesOf(pids).length,
      (count) => count === 4
    )
    yield* TestClock.adjust(60_000)
    const { attempts } = yield* Fiber.join(running)
    const [result] = attempts[0]?.commandResults ?? []
    assert.deepStrictEqual([result?.exitCode, result?.timedOut], [124, true])
    assert.deepStrictEqual(linesOf(pids).map(isGone), [true, true, true, true])
  })
)

it.scoped("without a limit of its own, a command has 300 seconds", () =>
  Effect.gen(function* () {
    const { cwd, start } = yield* Checks.make()
    const plan = Checks.planOf([{ name: "hangs", command: "touch ready; sleep 600" }])
    const running = yield* Effect.fork(start(plan))
    yield* Processes.until(() => existsSync(`${cwd}/ready`), Boolean)
    yield* TestClock.adjust(299_999)
    assert.isNull(running.unsafePoll())
    yield* TestClock.adjust(1)
    const { attempts } = yield* Fiber.join(running)
    assert.strictEqual(attempts[0]?.commandResults[0]?.exitCode, 124)
  })
)

it.scoped("what a command prints after its time is up does not count", () =>
  Effect.gen(function* () {
    const { artifacts, cwd, start } = yield* Checks.make()
    const command = "trap 'echo late; exit 0' TERM; echo early; sleep 600 & touch ready; wait"
    const running = yield* Effect.fork(start(Checks.planOf([{ name: "hangs", command, timeoutMs: 60_000 }])))
    const log = `${artifacts}/0-Fix.verify.a1-1-hangs.log`
    yield* Processes.until(() => existsSync(`${cwd}/ready`) && existsSync(log), Boolean)
    yield* TestClock.adjust(60_000)
    const { attempts } = yield* Fiber.join(running)
    assert.strictEqual(attempts[0]?.commandResults[0]?.outputPreview, "early")
    assert.strictEqual(readFileSync(log, "utf8"), "early\n")
  })
)

it.scopedLive("what a command leaves in the background ends with it", () =>
  Effect.gen(function* () {
    const tag = `heddle-test-${crypto.randomUUID()}`
    const { results } = yield* resultsOf([{ name: "server", command: `(exec -a ${tag} sleep 300) & exit 0` }])
    assert.strictEqual(results[0]?.exitCode, 0)
    assert.deepStrictEqual(Processes.holding(tag), [])
  })
)

it.scopedLive("commands run in the worktree, in a login shell, one after the other", () =>
  Effect.gen(function* () {
    const { cwd, results } = yield* resultsOf([
      { name: "1", command: "pwd; shopt -q login_shell && echo login; echo $TERM > first" },
      { name: "2", command: "cat first; echo 'it'\\''s' \"$0\" >&2" },
      { name: "3", command: "read -r line; echo $?" }
    ])
    const previews = results.map(({ outputPreview }) => outputPreview?.replace(/\S*bash$/, "bash"))
    assert.deepStrictEqual(previews, [`${cwd}\nlogin`, "dumb\nit's bash", "1"])
  })
)

it.scopedLive("a command that cannot be started is 127 and says why", () =>
  Effect.gen(function* () {
    const { artifacts, results } = yield* resultsOf([{ name: "a", command: "true" }], { shellPath: "/no/bash" })
    const [result] = results
    assert.deepStrictEqual([result?.exitCode, result?.outputPreview], [127, "Shell not found: /no/bash"])
    assert.isFalse(existsSync(artifacts))
    const { prompts, start } = yield* Checks.make()
    const plan = Checks.planOf([{ name: "a", command: "true" }], { onFailure: "retry_once" })
    const { status } = yield* start(plan, { cwd: "/no/where" })
    assert.strictEqual(status, "failed")
    assert.include(prompts[0], "Working directory not found: /no/where")
  })
)

it.scopedLive("the preview is clean and short; the log has everything, for its owner alone", () =>
  Effect.gen(function* () {
    const { artifacts, results } = yield* resultsOf([
      { name: "Unit Tests / äöü", command: "printf '\\033[31mred\\033[0m\\r\\n1%%\\r2%%\\n\\n\\n'" },
      { name: "wide", command: 'for i in 1 2 3; do printf "$i%03000d\\n" 0; done' },
      { name: "one line", command: "printf '%09000d' 7" },
      { name: "blank", command: "echo" },
      { name: "silent", command: "true" }
    ])
    const previews = results.map(({ outputPreview }) => outputPreview)
    const zeros = "0".repeat(3000)
    assert.deepStrictEqual(previews, ["red\n2%", `3${zeros}`, `${"0".repeat(3999)}7`, undefined, undefined])
    const names = readdirSync(artifacts).toSorted()
    assert.deepStrictEqual(names, [
      "0-Fix.verify.a1-1-unit-tests-.log",
      "0-Fix.verify.a1-2-wide.log",
      "0-Fix.verify.a1-3-one-line.log",
      "0-Fix.verify.a1-4-blank.log"
    ])
    assert.strictEqual(readFileSync(`${artifacts}/${names[1]}`, "utf8"), `1${zeros}\n2${zeros}\n3${zeros}\n`)
    assert.strictEqual(statSync(`${artifacts}/${names[1]}`).mode & 0o777, 0o600)
  })
)

it.scopedLive("without a folder no log is kept, and the preview is there", () =>
  Effect.gen(function* () {
    const { artifacts, start } = yield* Checks.make()
    const plan = Checks.planOf([{ name: "a", command: "seq 100000" }])
    const { attempts } = yield* start(plan, { artifacts: Option.none() })
    const [result] = attempts[0]?.commandResults ?? []
    assert.match(result?.outputPreview ?? "", /^99981\n[^]*\n100000$/)
    assert.deepStrictEqual([result?.artifactPath, existsSync(artifacts)], [undefined, false])
  })
)

it.scopedLive("a log that cannot be written fails no check", () =>
  Effect.gen(function* () {
    const { cwd, start } = yield* Checks.make()
    writeFileSync(`${cwd}/file`, "")
    const plan = Checks.planOf([{ name: "a", command: "echo hi" }])
    const { attempts, status } = yield* start(plan, { artifacts: Option.some(`${cwd}/file`) })
    const [result] = attempts[0]?.commandResults ?? []
    assert.deepStrictEqual([status, result?.outputPreview, result?.artifactPath], ["passed", "hi", undefined])
  })
)

it.scopedLive("a log stops at its limit, says so, and goes on with the end of the output", () =>
  Effect.gen(function* () {
    const { artifacts, results } = yield* resultsOf([{ name: "a", command: "seq 200000" }], { maxLogBytes: 1000 })
    assert.match(results[0]?.outputPreview ?? "", /^199981\n[^]*\n200000$/)
    const log = readFileSync(`${artifacts}/0-Fix.verify.a1-1-a.log`, "utf8")
    const [head = "", end = ""] = log.split(
      "\n\n[The log reached its limit. What follows is the end of the output.]\n\n"
    )
    assert.strictEqual(head.length, 1000)
    assert.match(head, /^1\n2\n3\n/)
    assert.match(end, /^\d+\n[^]*\n199999\n200000\n$/)
    assert.isBelow(end.length, 300 * 1024)
  })
)

it.scoped("endless output ends with the time, and neither log nor preview grows with it", () =>
  Effect.gen(function* () {
    const { artifacts, start } = yield* Checks.make({ maxLogBytes: 100_000 })
    const running = yield* Effect.fork(start(Checks.planOf([{ name: "a", command: "yes", timeoutMs: 60_000 }])))
    const log = `${artifacts}/0-Fix.verify.a1-1-a.log`
    yield* Processes.until(() => existsSync(log), Boolean)
    yield* TestClock.adjust(60_000)
    const { attempts } = yield* Fiber.join(running)
    const [result] = attempts[0]?.commandResults ?? []
    assert.strictEqual(result?.exitCode, 124)
    assert.isAtMost(result?.outputPreview?.length ?? 0, 40)
    assert.isAbove(statSync(log).size, 0)
    assert.isBelow(statSync(log).size, 100_000 + 300 * 1024)
  })
)

it.scopedLive("secrets are masked in the preview, the log, the command and the repair", () =>
  Effect.gen(function* () {
    const secrets = makeSecrets()
    secrets.add("sk-very-secret-value")
    const { artifacts, prompts, start } = yield* Effect.provideService(Checks.make(), KnownSecrets, secrets)
    const command = "printf sk-very-; echo secret-value; : sk-very-secret-value; exit 1"
    const result = yield* start(Checks.planOf([{ name: "a", command }], { onFailure: "retry_once" }))
    const log = readFileSync(`${artifacts}/0-Fix.verify.a1-1-a.log`, "utf8")
    assert.notInclude(JSON.stringify([result, prompts]) + log, "sk-very-secret-value")
    assert.isAbove(log.trim().length, 0)
    assert.strictEqual(result.attempts[0]?.commandResults[0]?.outputPreview, log.trimEnd())
  })
)

it.scopedLive("a command is a node with its process; ending the node fails the check, and the others run", () =>
  Effect.gen(function* () {
    const { cwd, start } = yield* Checks.make()
    let last = 0
    const root = Supervision.makeRoot({ kind: "session", label: "s" }, 0, () => `n${++last}`)
    const plan = Checks.planOf([
      { name: "long", command: "touch ready; sleep 300" },
      { name: "next", command: "true" }
    ])
    const running = yield* Effect.fork(Supervision.under(root)(start(plan)))
    yield* Processes.until(() => existsSync(`${cwd}/ready`), Boolean)
    const [node] = root.children
    assert.deepStrictEqual(
      [node?.spec.kind, node?.spec.label, node?.spec.refs, node?.processes.size],
      ["verification", "long", { subagentId: "0-Fix", attempt: 1 }, 1]
    )
    yield* node?.spec.end ?? Effect.void
    const { attempts, status } = yield* Fiber.join(running)
    const codes = attempts[0]?.commandResults.map(({ exitCode }) => exitCode)
    assert.deepStrictEqual([codes, status, root.children.size], [[130, 0], "failed", 0])
  })
)

// G4.
it.scopedLive("an optional command that fails is reported, and the attempt passes", () =>
  Effect.gen(function* () {
    const { start } = yield* Checks.make()
    const { attempts, status } = yield* start(
      Checks.planOf([
        { name: "lint", command: "exit 1", optional: true },
        { name: "test", command: "true" }
      ])
    )
    const seen = attempts[0]?.commandResults.map(({ exitCode, optional }) => [exitCode, optional])
    const expected = [
      [1, true],
      [0, undefined]
    ]
    assert.deepStrictEqual([status, attempts[0]?.status, attempts[0]?.error], ["passed", "passed", undefined])
    assert.deepStrictEqual(seen, expected)
  })
)
