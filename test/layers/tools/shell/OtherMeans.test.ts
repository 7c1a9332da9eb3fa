/** A command that hooks run: the limits of the output, the timeout and the end are those of every command. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope, TestClock } from "effect"
import * as OtherMeans from "../../../../src/layers/tools/shell/OtherMeans.ts"
import type { ShellRequest, ShellResult } from "../../../../src/services/Shell.ts"
import { settle } from "../../../support/hooks/RelayHarness.ts"
import * as Shells from "./Shells.ts"

type Instead = NonNullable<ShellRequest["instead"]>

const told = ({ cancelled, exitCode, output, timedOut }: ShellResult) => ({ cancelled, exitCode, output, timedOut })
const result = (output: string, exitCode: number | undefined, more: Partial<ShellResult> = {}) => ({
  cancelled: false,
  exitCode,
  output,
  timedOut: false,
  ...more
})

const run = (instead: Instead, more: Partial<ShellRequest> = {}) =>
  Effect.flatMap(Shells.make, ({ shell }) => shell.run({ command: "ls", instead, ...more }))

describe("a command that is run elsewhere", () => {
  it.scoped.each<readonly [string, Instead, ReturnType<typeof result>]>([
    [
      "has the output and the exit code that it says",
      (onOutput) => {
        onOutput("one\n")
        return Effect.sync(() => {
          onOutput("two\n")
          return 3
        })
      },
      result("one\ntwo\n", 3)
    ],
    ["that has no exit code was ended", () => Effect.succeed(undefined), result("", 143)],
    [
      "that fails says why",
      (onOutput) => {
        onOutput("half\n")
        return Effect.fail({ message: "no connection" })
      },
      result("half\nno connection\n", 126)
    ],
    ["that dies says why", () => Effect.dieMessage("a bug"), result("a bug\n", 126)],
    [
      "that throws says why",
      () => {
        throw new Error("thrown")
      },
      result("thrown\n", 126)
    ]
  ])("%s", ([, instead, expected]) => Effect.map(run(instead), (ran) => assert.deepStrictEqual(told(ran), expected)))
})

it.scoped("output is cleaned, cut and told piece by piece, like that of a process", () =>
  Effect.gen(function* () {
    const deltas: Array<string> = []
    const lines = Array.from({ length: 3000 }, (_, index) => `${index}\n`)
    const ran = yield* run(
      (onOutput) => {
        onOutput("\u001B[31mred\u001B[0m é\n")
        for (const line of lines) onOutput(line)
        return Effect.succeed(0)
      },
      { onDelta: (delta) => Effect.sync(() => void deltas.push(delta)) }
    )
    assert.isTrue(ran.truncated)
    assert.deepStrictEqual([ran.totalLines, ran.output.endsWith("2998\n2999\n")], [3001, true])
    assert.strictEqual(deltas.join(""), `red é\n${lines.join("")}`)
  })
)

it.scoped("the timeout ends it, with what it had said", () =>
  Effect.gen(function* () {
    const [began, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const hang = Effect.zipRight(Deferred.succeed(began, undefined), Effect.never)
    const running = yield* Effect.fork(
      run(
        (onOutput) => {
          onOutput("half\n")
          return Effect.onInterrupt(hang, () => Deferred.succeed(ended, undefined))
        },
        { timeoutMs: 1000 }
      )
    )
    yield* Deferred.await(began)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(told(yield* Fiber.join(running)), result("half\n", undefined, { timedOut: true }))
    yield* Deferred.await(ended)
  })
)

it.scoped("a cancel ends it, also if it does not let itself be interrupted", () =>
  Effect.gen(function* () {
    const { shell } = yield* Shells.make
    const deaf = () => Effect.uninterruptible(Effect.sleep("1 hour"))
    for (const instead of [() => Effect.never, deaf]) {
      const running = yield* Effect.fork(shell.runForUser({ command: "ls", instead: () => Effect.as(instead(), 0) }))
      yield* settle
      assert.isTrue(yield* shell.isUserRunning)
      yield* shell.cancelUser
      assert.deepStrictEqual(told(yield* Fiber.join(running)), result("", undefined, { cancelled: true }))
    }
  })
)

it.scoped("a cancel ends the question which way to run it, too", () =>
  Effect.gen(function* () {
    const { shell } = yield* Shells.make
    const ended = yield* Deferred.make<void>()
    const ask = Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined))
    const running = yield* Effect.fork(shell.runForUser({ command: "ls", ask }))
    yield* settle
    yield* shell.cancelUser
    assert.deepStrictEqual(told(yield* Fiber.join(running)), result("", undefined, { cancelled: true }))
    yield* Deferred.await(ended)
  })
)

it.scopedLive("where the question has no answer, the command runs as usual", () =>
  Effect.gen(function* () {
    const { shell } = yield* Shells.make
    const plain = yield* shell.runForUser({ command: "echo hi", ask: Effect.succeed(undefined) })
    assert.deepStrictEqual(told(plain), result("hi\n", 0))
    const own = yield* shell.runForUser({ command: "echo hi", ask: Effect.succeed(() => Effect.succeed(7)) })
    assert.deepStrictEqual(told(own), result("", 7))
  })
)

it.scoped("an interrupt of the call ends it", () =>
  Effect.gen(function* () {
    const [began, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const hang = Effect.zipRight(Deferred.succeed(began, undefined), Effect.never)
    const running = yield* Effect.fork(run(() => Effect.onInterrupt(hang, () => Deferred.succeed(ended, undefined))))
    yield* Deferred.await(began)
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(running)))
    yield* Deferred.await(ended)
  })
)

it.scoped(
  "output that is not recorded in time is dropped from its beginning, and what comes after the end is lost",
  () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const taken: Array<string> = []
      const scope = yield* Scope.make()
      let say: (text: string) => void = () => {}
      const shell = yield* Scope.extend(
        OtherMeans.start(
          (onOutput) => {
            say = onOutput
            for (let index = 0; index < 70_000; index++) onOutput(`${index},`)
            return Effect.succeed(0)
          },
          (chunk) => {
            taken.push(new TextDecoder().decode(chunk))
            return Deferred.await(gate)
          }
        ),
        scope
      )
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* shell.exited, 0)
      assert.isFalse(shell.isAlive())
      say("late")
      yield* shell.release
      assert.deepStrictEqual([taken.length, taken[0], taken.at(-1)], [65_536, "4464,", "69999,"])
      yield* Scope.close(scope, Exit.void)
    })
)
