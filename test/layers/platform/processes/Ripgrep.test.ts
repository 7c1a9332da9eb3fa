import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Runtime } from "effect"
import { existsSync } from "node:fs"
import * as Ripgrep from "../../../../src/layers/platform/processes/Ripgrep.ts"

/** A shell stands in for the program: what is tested is how it is run. */
const shell = (script: string, onOutput: (chunk: Uint8Array) => boolean = () => true) =>
  Ripgrep.run(["/bin/sh", "-c", script], "/", onOutput)
const textOf = (chunk: Uint8Array) => new TextDecoder().decode(chunk)
const isAlive = (pid: string) => existsSync(`/proc/${pid.trim()}`)

it.effect("hands the output over; matches and no matches are both fine", () =>
  Effect.gen(function* () {
    for (const code of [0, 1]) {
      let said = ""
      yield* shell(`printf 'a\\nb\\n'; exit ${code}`, (chunk) => {
        said += textOf(chunk)
        return true
      })
      assert.strictEqual(said, "a\nb\n")
    }
  })
)

it.effect("a complaint is a failure, an error without one is not", () =>
  Effect.gen(function* () {
    yield* shell("exit 2")
    assert.strictEqual(
      (yield* Effect.flip(shell("echo 'regex parse error' >&2; exit 2"))).description,
      "regex parse error\n"
    )
    const missing = yield* Effect.flip(Ripgrep.run(["/no/such/program"], "/", () => true))
    assert.include(missing.description, "/no/such/program")
    const tooLong = yield* Effect.flip(Ripgrep.run(["/bin/sh", "-c", "x".repeat(3_000_000)], "/", () => true))
    assert.strictEqual(tooLong._tag, "RipgrepFailed")
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
    yield* shell("echo $$; exec yes", (chunk) => {
      if (pid === "") pid = textOf(chunk).split("\n")[0] ?? ""
      return false
    })
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
    const program = yield* Ripgrep.locate
    if (program === undefined) return
    let said = ""
    yield* Ripgrep.run([program, "--version"], "/", (chunk) => {
      said += textOf(chunk)
      return true
    })
    assert.match(said, /^ripgrep \d+/)
  })
)
