import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Runtime } from "effect"
import { existsSync } from "node:fs"
import * as Environment from "../../../../src/layers/machine/processes/Environment.ts"
import { service as processes } from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as Process from "../../../../src/layers/machine/processes/Process.ts"

const shell = (script: string, onOutput: (chunk: Uint8Array) => boolean = () => true) =>
  processes.run({ command: ["/bin/sh", "-c", script], cwd: "/", env: {}, onOutput, keepErrors: true })
const textOf = (chunk: Uint8Array) => new TextDecoder().decode(chunk)
const isAlive = (pid: string) => existsSync(`/proc/${pid.trim()}`)

it.effect("hands the output over, and tells the exit code and the complaint", () =>
  Effect.gen(function* () {
    for (const [end, result] of [
      ["exit 0", { exitCode: 0, errors: "" }],
      ["echo no >&2; exit 3", { exitCode: 3, errors: "no\n" }],
      ["kill -TERM $$", { exitCode: 143, errors: "" }]
    ] as const) {
      let said = ""
      const ended = yield* shell(`printf 'a\\nb\\n'; ${end}`, (chunk) => {
        said += textOf(chunk)
        return true
      })
      assert.deepStrictEqual([said, ended], ["a\nb\n", result])
    }
  })
)

it.effect("a program without an environment of its own gets none of our secrets", () =>
  Effect.gen(function* () {
    process.env["HEDDLE_TEST_TOKEN"] = "secret"
    process.env["HEDDLE_TEST_PLAIN"] = "plain"
    let said = ""
    const onOutput = (chunk: Uint8Array) => {
      said += textOf(chunk)
      return true
    }
    const command = ["/bin/sh", "-c", 'echo "$HEDDLE_TEST_TOKEN-$HEDDLE_TEST_PLAIN"']
    yield* processes.run({ command, onOutput })
    yield* processes.run({ command, env: Environment.complete(), onOutput })
    assert.strictEqual(said, "-plain\nsecret-plain\n")
  })
)

it.effect("a program that cannot be started is a failure", () =>
  Effect.gen(function* () {
    const onOutput = () => true
    const missing = yield* Effect.flip(processes.run({ command: ["/no/such/program"], onOutput }))
    assert.include(missing.message, "/no/such/program")
    const tooLong = yield* Effect.flip(processes.run({ command: ["/bin/sh", "-c", "x".repeat(3_000_000)], onOutput }))
    assert.strictEqual(tooLong._tag, "SpawnFailed")
  })
)

it.effect("without an environment of its own the program has ours; a job that keeps stderr is not waited for", () =>
  Effect.gen(function* () {
    let said = ""
    const command = ["/bin/sh", "-c", "sleep 30 >/dev/null & echo $PATH; echo $!"]
    const ended = yield* processes.run({
      command,
      onOutput: (chunk) => {
        said += textOf(chunk)
        return true
      }
    })
    const [path, job = ""] = said.split("\n")
    process.kill(Number(job))
    assert.deepStrictEqual([path, ended], [process.env["PATH"], { exitCode: 0, errors: "" }])
  })
)

it.effect("sees nothing of our environment and reads nothing from us", () =>
  Effect.gen(function* () {
    let said = ""
    yield* shell("env | grep -v '^PWD=\\|^SHLVL=\\|^_=\\|^OLDPWD='; cat", (chunk) => {
      said += textOf(chunk)
      return true
    })
    assert.strictEqual(said, "")
  })
)

it.effect("has enough: the program is gone when this returns", () =>
  Effect.gen(function* () {
    let pid = ""
    const { exitCode } = yield* shell("echo $$; exec yes", (chunk) => {
      if (pid === "") pid = textOf(chunk).split("\n")[0] ?? ""
      return false
    })
    assert.isUndefined(exitCode)
    assert.isFalse(isAlive(pid))
  })
)

it.effect("an interrupt ends the program, also one that ignores signals", () =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const started = yield* Deferred.make<string>()
    const fiber = yield* Effect.fork(
      shell("trap '' TERM INT; echo $$; while :; do sleep 0.1; done", (chunk) => {
        Runtime.runSync(runtime)(Deferred.succeed(started, textOf(chunk)))
        return true
      })
    )
    const pid = yield* Deferred.await(started)
    assert.isTrue(isAlive(pid))
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
    assert.isFalse(isAlive(pid))
  })
)

it.effect("what is located can be run", () =>
  Effect.gen(function* () {
    const program = yield* Process.ripgrep
    if (program === undefined) return
    let said = ""
    yield* processes.run({
      command: [program, "--version"],
      onOutput: (chunk) => {
        said += textOf(chunk)
        return true
      }
    })
    assert.match(said, /^ripgrep \d+/)
  })
)
