import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Mailbox, Option, Scope, TestClock } from "effect"
import type { ShellResult } from "../../../../src/services/Shell.ts"
import * as Processes from "../../../support/host/Processes.ts"
import * as Shells from "./Shells.ts"

const limits = { maxLines: 2000, maxBytes: 51_200 }
const said = (output: string, more: Partial<ShellResult> = {}) => {
  const [outputLines, outputBytes] = [
    output.split("\n").length - (output.endsWith("\n") || output === "" ? 1 : 0),
    Buffer.byteLength(output)
  ]
  const sizes = { outputLines, outputBytes, totalLines: outputLines, totalBytes: outputBytes }
  const not = { cancelled: false, timedOut: false, truncated: false, truncatedBy: null, lastLinePartial: false }
  return { output, ...not, ...sizes, ...limits, durationMs: 0, ...more }
}
const timeless = (result: ShellResult) => ({ ...result, durationMs: 0 })

const commands: ReadonlyArray<readonly [command: string, result: ShellResult]> = [
  ["echo hi", said("hi\n", { exitCode: 0 })],
  ["true", said("", { exitCode: 0 })],
  ["printf 'no end'; exit 3", said("no end", { exitCode: 3 })],
  ["kill -9 $$", said("", { exitCode: 137 })],
  ["printf '\\033[31mred\\033[0m\\0 a\\r\\nb\\r\\n1%%\\r2%%\\n'", said("red a\nb\n2%\n", { exitCode: 0 })],
  [
    "if true; then echo 'open",
    said("bash: -c: line 1: unexpected EOF while looking for matching `''\n", { exitCode: 2 })
  ],
  ["cat; read x; echo $?", said("1\n", { exitCode: 0 })],
  ["exec >&- 2>&-; echo lost; exit 4", said("", { exitCode: 4 })],
  [`x='${"y".repeat(250_000)}'; echo \${#x}`, said("250000\n", { exitCode: 0 })]
]

it.scopedLive.each(commands)("%s", ([command, expected]) =>
  Effect.gen(function* () {
    const { shell } = yield* Shells.make
    assert.deepStrictEqual(timeless(yield* shell.run({ command })), expected)
  })
)

it.scopedLive("runs in the folder of the session or the one that is named, with what is added to the environment", () =>
  Effect.gen(function* () {
    const { cwd, shell } = yield* Shells.make
    const { output } = yield* shell.run({ command: "pwd; echo $A $TERM $PAGER", env: { A: "1" } })
    assert.strictEqual(output, `${cwd}\n1 dumb cat\n`)
    assert.strictEqual((yield* shell.run({ command: "pwd", cwd: "/" })).output, "/\n")
    const { message, reason } = yield* Effect.flip(shell.run({ command: "pwd", cwd: "/no/where" }))
    assert.deepStrictEqual(
      { message, reason },
      { message: "Working directory not found: /no/where", reason: "not_started" }
    )
  })
)

it.scopedLive("long output: the end in memory, all of it in a file of ours alone", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { shell } = yield* Scope.extend(Shells.make, scope)
    const first = yield* shell.run({ command: "seq 100000" })
    const second = yield* shell.run({ command: "seq 3000; exit 1" })
    const path = first.fullOutputPath ?? ""
    const all = Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`)
    assert.deepStrictEqual(
      timeless(first),
      said(all.slice(-2000).join(""), {
        exitCode: 0,
        truncated: true,
        truncatedBy: "lines",
        totalLines: 100_000,
        totalBytes: 588_895,
        fullOutputPath: path,
        artifactId: "1"
      })
    )
    assert.strictEqual(readFileSync(path, "utf8"), all.join(""))
    assert.deepStrictEqual([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777], [0o600, 0o700])
    assert.match(path, /\/1\.bash\.log$/)
    assert.deepStrictEqual([second.artifactId, second.exitCode, second.totalLines], ["2", 1, 3000])
    yield* Scope.close(scope, Exit.void)
    assert.throws(() => readdirSync(dirname(path)))
  })
)

it.scopedLive("long output goes to the folder that the request names, which is asked for only then", () =>
  Effect.gen(function* () {
    const { cwd, shell } = yield* Shells.make
    let asked = 0
    const folder = `${cwd}/session`
    const artifacts = Effect.sync(() => {
      asked++
      return Option.some(folder)
    })
    yield* shell.run({ command: "echo short", artifacts })
    assert.strictEqual(asked, 0)
    const { fullOutputPath } = yield* shell.run({ command: "seq 3000", artifacts })
    assert.deepStrictEqual([fullOutputPath, asked], [`${folder}/1.bash.log`, 1])
  })
)

it.scopedLive("output within the limits leaves no file, also when a progress bar was longer than them", () =>
  Effect.gen(function* () {
    const { shell } = yield* Shells.make
    const result = yield* shell.run({ command: "for i in $(seq 20000); do printf 'working %d\\r' $i; done; echo done" })
    assert.deepStrictEqual(timeless(result), said("done\n", { exitCode: 0 }))
  })
)

it.scopedLive("a timeout ends the command and everything it has started; so does the cancelling of the person", () =>
  Effect.gen(function* () {
    const { env, shell, tag } = yield* Shells.make
    const command = "echo before; setsid sleep 30 & sleep 30; echo after"
    const late = yield* shell.run({ command, env, timeoutMs: 100 })
    assert.deepStrictEqual(timeless(late), said("before\n", { timedOut: true }))
    assert.deepStrictEqual(Processes.holding(tag), [])

    const started = yield* Deferred.make<void>()
    const running = yield* Effect.fork(
      shell.runForUser({ command, env, onDelta: () => Effect.asVoid(Deferred.succeed(started, undefined)) })
    )
    yield* Deferred.await(started)
    assert.isTrue(yield* shell.isUserRunning)
    yield* shell.cancelUser
    assert.deepStrictEqual([Processes.holding(tag), yield* shell.isUserRunning], [[], false])
    assert.deepStrictEqual(timeless(yield* Fiber.join(running)), said("before\n", { cancelled: true }))
  })
)

it.scopedLive("a job in background does not hold up the result, and ends with the shell's owner", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { env, shell, tag } = yield* Scope.extend(Shells.make, scope)
    const result = yield* shell.run({ command: "sleep 30 & setsid sleep 30 & echo started", env })
    assert.deepStrictEqual(timeless(result), said("started\n", { exitCode: 0 }))
    assert.isAtLeast(result.durationMs, 240)
    assert.isBelow(result.durationMs, 1500)
    assert.strictEqual(Processes.holding(tag).length, 2)
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(Processes.holding(tag), [])
  })
)

it.scopedLive("all output comes as deltas, in order and before the result, and a slow reader slows the command", () =>
  Effect.gen(function* () {
    const { shell } = yield* Shells.make
    let text = ""
    const result = yield* shell.run({
      command: "for i in $(seq 30000); do printf 'é%d\\n' $i; done",
      onDelta: (delta) =>
        Effect.zipRight(
          Effect.yieldNow(),
          Effect.sync(() => void (text += delta))
        )
    })
    assert.strictEqual(text, Array.from({ length: 30_000 }, (_, i) => `é${i + 1}\n`).join(""))
    assert.isTrue(text.endsWith(result.output))
  })
)

it.scopedLive("updates show the whole end so far, never within 100 ms of each other", () =>
  Effect.gen(function* () {
    const { shell } = yield* Shells.make
    const updates: Array<readonly [at: number, output: string]> = []
    const onUpdate = (output: string) => Effect.map(Clock.currentTimeMillis, (at) => void updates.push([at, output]))
    const started = yield* Clock.currentTimeMillis
    const { output } = yield* shell.run({ command: "for i in 1 2 3 4 5; do echo $i; sleep 0.08; done", onUpdate })
    assert.isAtLeast(updates.length, 2)
    for (const [i, [at, text]] of updates.entries()) {
      assert.isTrue(output.startsWith(text))
      // Counted from the start: an update may be noticed late, and then the next one seems too early.
      assert.isAtLeast(at - started, i * 100 - 1)
    }
    updates.length = 0
    yield* shell.run({ command: "echo quick", onUpdate })
    assert.deepStrictEqual(updates, [])
  })
)

it.scopedLive("an update that waits for its reader holds up neither the end of a command nor its timeout", () =>
  Effect.gen(function* () {
    const { env, shell, tag } = yield* Shells.make
    const waiting = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<void>()
    const onUpdate = () =>
      Effect.onInterrupt(Effect.zipRight(Deferred.succeed(waiting, undefined), Effect.never), () =>
        Deferred.succeed(ended, undefined)
      )
    const { exitCode, output } = yield* shell.run({ command: "echo a; sleep 0.3; echo b", onUpdate })
    assert.deepStrictEqual([exitCode, output], [0, "a\nb\n"])
    yield* Deferred.await(waiting)
    yield* Deferred.await(ended)
    const late = yield* shell.run({ command: "echo a; sleep 30", env, onUpdate, timeoutMs: 300 })
    assert.deepStrictEqual(timeless(late), said("a\n", { timedOut: true }))
    assert.deepStrictEqual(Processes.holding(tag), [])
  })
)

it.scopedLive("once closed, nothing starts and what runs for the person is cancelled", () =>
  Effect.gen(function* () {
    const { env, shell, tag } = yield* Shells.make
    const started = yield* Deferred.make<void>()
    const onStarted = Effect.asVoid(Deferred.succeed(started, undefined))
    const running = yield* Effect.fork(shell.runForUser({ command: "sleep 30", env, onStarted }))
    yield* Deferred.await(started)
    yield* shell.close
    assert.isTrue((yield* Fiber.join(running)).cancelled)
    assert.deepStrictEqual(Processes.holding(tag), [])
    assert.strictEqual((yield* Effect.flip(shell.run({ command: "true" }))).reason, "closing")
  })
)

/** Reads a file that a command writes, again and again until it is there. */
const written = (path: string) =>
  Processes.until(
    () => existsSync(path) && readFileSync(path, "utf8"),
    (text) => text !== false && text !== ""
  )

/** Catches TERM and carries on: only KILL ends it. */
const stubborn = (cwd: string) => `trap 'echo >> ${cwd}/caught' TERM; echo up > ${cwd}/up; while :; do sleep 30; done`

/** KILL comes after so many milliseconds of the Clock, and not before. */
const killedAfter = Effect.fnUntraced(function* <A, E>(
  ms: number,
  { cwd, tag }: { readonly cwd: string; readonly tag: string },
  ending: Fiber.RuntimeFiber<A, E>
) {
  yield* written(`${cwd}/caught`)
  yield* TestClock.adjust(ms - 1)
  assert.isNull(ending.unsafePoll())
  assert.isNotEmpty(Processes.holding(tag))
  yield* TestClock.adjust(1)
  const ended = yield* Fiber.join(ending)
  assert.deepStrictEqual(Processes.holding(tag), [])
  return ended
})

it.scoped("the timeout of a command and its grace of 100 ms run on the Clock", () =>
  Effect.gen(function* () {
    const { shell, ...made } = yield* Shells.make
    const { cwd, env } = made
    const running = yield* Effect.fork(shell.run({ command: stubborn(cwd), env, timeoutMs: 60_000 }))
    yield* written(`${cwd}/up`)
    yield* TestClock.adjust("59999 millis")
    assert.isNull(running.unsafePoll())
    yield* TestClock.adjust("1 millis")
    const { durationMs, timedOut } = yield* killedAfter(100, made, running)
    assert.deepStrictEqual({ durationMs, timedOut }, { durationMs: 60_100, timedOut: true })
  })
)

it.scoped("at the end of the session a command has 500 ms to tidy up", () =>
  Effect.gen(function* () {
    const { shell, ...made } = yield* Shells.make
    const { cwd, env } = made
    const running = yield* Effect.fork(shell.run({ command: stubborn(cwd), env }))
    yield* written(`${cwd}/up`)
    yield* shell.close
    yield* killedAfter(500, made, yield* Effect.fork(Fiber.interrupt(running)))
  })
)

it.scoped.each([
  ["end", 2000],
  ["signal", 100]
] as const)("a background job has its time to tidy up at the %s of the session", ([cause, ms]) =>
  Effect.gen(function* () {
    const { shell, ...made } = yield* Shells.make
    const { cwd, env } = made
    // Not a pipe: the result would wait for its end, on the Clock.
    yield* shell.run({ command: `{ ${stubborn(cwd)}; } > /dev/null 2>&1 &`, env })
    yield* written(`${cwd}/up`)
    yield* killedAfter(ms, made, yield* Effect.fork(shell.endBackground(cause)))
  })
)

it.scoped("updates are paced by the Clock", () =>
  Effect.gen(function* () {
    const { cwd, shell } = yield* Shells.make
    const updates = yield* Mailbox.make<string>()
    const command = `echo one; until [ -e ${cwd}/go ]; do sleep 0.01; done; echo two; touch ${cwd}/said; sleep 30`
    const started = yield* Deferred.make<void>()
    const onStarted = Effect.asVoid(Deferred.succeed(started, undefined))
    const running = yield* Effect.fork(
      shell.run({ command, onStarted, onUpdate: (output) => updates.offer(output), timeoutMs: 1000 })
    )
    yield* Deferred.await(started)
    yield* TestClock.adjust("100 millis")
    assert.strictEqual(yield* updates.take, "one\n")
    writeFileSync(`${cwd}/go`, "")
    yield* Processes.until(
      () => existsSync(`${cwd}/said`),
      (isThere) => isThere
    )
    yield* TestClock.adjust("99 millis")
    assert.deepStrictEqual(yield* updates.size, Option.some(0))
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* updates.take, "one\ntwo\n")
    yield* TestClock.adjust("1 second")
    assert.isTrue((yield* Fiber.join(running)).timedOut)
  })
)
