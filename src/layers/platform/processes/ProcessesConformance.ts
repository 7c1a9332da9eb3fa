/**
 * Checks that every Processes must pass. They observe programs with other programs, so they also fit processes that are not on this
 * machine; there has to be a POSIX shell, and the folder /tmp.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Json from "../../../domain/Json.ts"
import { Processes, type SpawnFailed } from "../../../services/machine/Processes.ts"

export class NotConforming extends Schema.TaggedError<NotConforming>()("NotConforming", { message: Schema.String }) {}

export interface Check {
  readonly name: string
  readonly run: Effect.Effect<void, NotConforming | SpawnFailed, Processes | Scope.Scope>
}

const same = (what: string, actual: unknown, wanted: unknown) => {
  const [found, expected] = [Json.stringify(actual), Json.stringify(wanted)]
  return found === expected ? Effect.void : new NotConforming({ message: `${what}: ${found} is not ${expected}` })
}

const path = "/usr/local/bin:/usr/bin:/bin"

/** Runs a script to its end. */
const say = Effect.fnUntraced(function* (script: string, env: Readonly<Record<string, string>> = { PATH: path }) {
  const processes = yield* Processes
  const text = new TextDecoder()
  let said = ""
  const command = ["/bin/sh", "-c", script]
  const onOutput = (chunk: Uint8Array) => {
    said += text.decode(chunk, { stream: true })
    return true
  }
  const ended = yield* processes.run({ command, cwd: "/tmp", env, onOutput, keepErrors: true })
  return { said, ...ended }
})

/** Zombies count as gone. */
const isAlive = (pid: string) =>
  Effect.map(say(`kill -0 ${pid} && ps -o stat= -p ${pid} | grep -vq Z`), ({ exitCode }) => exitCode === 0)

const untilGone = (pid: string) => Effect.repeat(isAlive(pid), { while: (alive) => alive })

/** A tree, and a shell in it with all that it has said. `until` waits for a part of that. */
const openTree = Effect.fnUntraced(function* (grace: number) {
  const { tree } = yield* Processes
  const made = yield* tree({ shellPath: "/bin/sh", grace: () => grace, jobGrace: grace })
  const open = Effect.fnUntraced(function* (command: string) {
    const text = new TextDecoder()
    let said = ""
    const waiting: Array<readonly [part: string, Deferred.Deferred<void>]> = []
    const take = (chunk: Uint8Array) => {
      said += text.decode(chunk, { stream: true })
      for (const [part, seen] of waiting) if (said.includes(part)) Deferred.unsafeDone(seen, Effect.void)
      return undefined
    }
    const shell = yield* made.spawn({ command, cwd: "/tmp", env: { PATH: path }, take })
    const until = Effect.fnUntraced(function* (part: string) {
      const seen = yield* Deferred.make<void>()
      waiting.push([part, seen])
      if (!said.includes(part)) yield* Deferred.await(seen)
      return said.trim()
    })
    return { ...shell, said: () => said, until }
  })
  return { ...made, open }
})

const check = (name: string, run: Check["run"]): Check => ({ name, run })

const ofPrograms = [
  check(
    "a program tells its output, its exit code and its complaint",
    Effect.gen(function* () {
      for (const [end, exitCode, errors] of [
        ["exit 0", 0, ""],
        ["echo no >&2; exit 3", 3, "no\n"],
        ["kill -TERM $$", 143, ""],
        ["kill -KILL $$", 137, ""]
      ] as const) {
        yield* same(end, yield* say(`printf 'a\\nb\\n'; ${end}`), { said: "a\nb\n", exitCode, errors })
      }
      const { said } = yield* say("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done")
      yield* same("220 KB", said.length, 220_000)
    })
  ),
  check(
    "a program starts in its folder with its environment and no other, and reads nothing",
    Effect.gen(function* () {
      const { said } = yield* say("pwd; cat; echo $ONE-$HOME-$USER", { PATH: path, ONE: "1" })
      yield* same("said", said, "/tmp\n1--\n")
    })
  ),
  check(
    "a program that cannot be started is a failure",
    Effect.gen(function* () {
      const { run } = yield* Processes
      const programs = [
        { command: ["/no/such/program"], onOutput: () => true },
        { command: ["/bin/sh", "-c", "true"], cwd: "/no/such/folder", onOutput: () => true },
        { command: ["/bin/sh", "-c", "x".repeat(3_000_000)], onOutput: () => true }
      ]
      for (const program of programs) {
        const result = yield* Effect.either(run(program))
        yield* same(`${program.command[0]}`, result._tag, "Left")
      }
    })
  ),
  check(
    "a program of which enough was seen is gone",
    Effect.gen(function* () {
      const { run } = yield* Processes
      let pid = ""
      const onOutput = (chunk: Uint8Array) => {
        if (pid === "") pid = new TextDecoder().decode(chunk).split("\n")[0] ?? ""
        return false
      }
      const command = ["/bin/sh", "-c", "echo $$; trap '' TERM; while :; do echo more; done"]
      const { exitCode } = yield* run({ command, onOutput })
      yield* same("exit code", exitCode ?? "none", "none")
      yield* same("alive", yield* isAlive(pid), false)
    })
  ),
  check(
    "an interrupt ends a program and its group, also where they ignore signals",
    Effect.gen(function* () {
      const { run } = yield* Processes
      const started = yield* Deferred.make<string>()
      let said = ""
      const onOutput = (chunk: Uint8Array) => {
        said += new TextDecoder().decode(chunk)
        if (said.split("\n").length > 2) Deferred.unsafeDone(started, Effect.succeed(said))
        return true
      }
      const command = ["/bin/sh", "-c", "trap '' TERM INT; sleep 1000 & echo $$; echo $!; wait"]
      const running = yield* Effect.fork(run({ command, onOutput }))
      const pids = (yield* Deferred.await(started)).trim().split("\n")
      yield* same("interrupted", Exit.isInterrupted(yield* Fiber.interrupt(running)), true)
      yield* same("alive", yield* isAlive(pids[0] ?? ""), false)
      yield* untilGone(pids[1] ?? "").pipe(Effect.timeoutOption("2 seconds"))
      yield* same("its child", yield* isAlive(pids[1] ?? ""), false)
    })
  )
]

const ofTrees = [
  check(
    "a shell tells what it writes in the order of writing, and its exit code",
    Effect.gen(function* () {
      const { mark, open } = yield* openTree(100)
      const first = yield* open("pwd; for i in 1 2 3; do echo o$i; echo e$i >&2; done; exit 7")
      yield* same("exit code", yield* first.exited, 7)
      yield* same("said", first.said(), "/tmp\no1\ne1\no2\ne2\no3\ne3\n")
      yield* same("is alive", first.isAlive(), false)
      const second = yield* open("cat; env; kill -KILL $$")
      yield* same("after KILL", yield* second.exited, 137)
      yield* same("has the mark", second.said().includes(`=${mark}`), true)
      for (const { release } of [first, second]) yield* release
    })
  ),
  check(
    "what is written behind a chunk waits for that one to be taken",
    Effect.gen(function* () {
      const { spawn } = yield* openTree(100)
      const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let bytes = 0
      let open = 0
      let most = 0
      const take = (chunk: Uint8Array) => {
        bytes += chunk.length
        most = Math.max(most, ++open)
        Deferred.unsafeDone(begun, Effect.void)
        return Effect.map(Deferred.await(go), () => void open--)
      }
      const command = "i=0; while [ $i -lt 50000 ]; do echo 0123456789; i=$((i+1)); done"
      const shell = yield* spawn({ command, cwd: "/tmp", env: { PATH: path }, take })
      yield* Deferred.await(begun)
      yield* same("is alive while its output is not taken", shell.isAlive(), true)
      yield* Deferred.succeed(go, undefined)
      yield* same("exit code", yield* shell.exited, 0)
      yield* same("bytes", bytes, 550_000)
      yield* same("chunks at once", most, 1)
      yield* shell.release
    })
  ),
  check(
    "a job that holds the output open is not waited for, and lives until the tree closes",
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { open } = yield* Scope.extend(openTree(100), scope)
      const shell = yield* open("sleep 1000 & echo $!")
      yield* same("exit code", yield* shell.exited, 0)
      const job = shell.said().trim()
      yield* shell.release
      yield* same("alive behind the release", yield* isAlive(job), true)
      yield* Scope.close(scope, Exit.void)
      yield* same("alive behind the tree", yield* isAlive(job), false)
    })
  ),
  check(
    "the same of a job whose shell has failed",
    Effect.gen(function* () {
      const { endAll, open } = yield* openTree(100)
      const shell = yield* open("sleep 1000 & echo $!; exit 1")
      yield* same("exit code", yield* shell.exited, 1)
      const job = shell.said().trim()
      yield* shell.release
      yield* same("alive behind the release", yield* isAlive(job), true)
      yield* endAll(100)
      yield* same("alive behind the end of all", yield* isAlive(job), false)
    })
  ),
  check(
    "a shell that is ended has its grace to tidy up, and then gets KILL",
    Effect.gen(function* () {
      const { open } = yield* openTree(10_000)
      const tidy = yield* open("trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.01; done")
      yield* tidy.until("ready")
      yield* tidy.end
      yield* same("tidied up", tidy.said().includes("tidy\n"), true)
      yield* same("exit code", yield* tidy.exited, 5)
      yield* tidy.release
      const short = yield* openTree(50)
      const deaf = yield* short.open("trap '' TERM; sleep 1000 & echo $$ $!; wait; while :; do sleep 1; done")
      const [shell = "", child = ""] = (yield* deaf.until("\n")).split(" ")
      yield* deaf.end
      yield* same("exit code", yield* deaf.exited, 137)
      yield* same("alive", [yield* isAlive(shell), yield* isAlive(child)], [false, false])
      yield* deaf.release
    })
  ),
  check(
    "a shell that is released, or whose tree closes, while it runs is ended",
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { open } = yield* Scope.extend(openTree(50), scope)
      const [one, two] = [yield* open("echo $$; sleep 1000"), yield* open("echo $$; sleep 1000")]
      const [first, second] = [yield* one.until("\n"), yield* two.until("\n")]
      yield* one.release
      yield* same("alive", [yield* isAlive(first), yield* isAlive(second)], [false, true])
      yield* Scope.close(scope, Exit.void)
      yield* same("alive behind the tree", yield* isAlive(second), false)
    })
  ),
  check(
    "a shell or a folder that is not there is a failure",
    Effect.gen(function* () {
      const { tree } = yield* Processes
      const spec = { command: "true", cwd: "/tmp", env: {}, take: () => undefined }
      const options = { grace: () => 100, jobGrace: 100 }
      const { spawn } = yield* tree({ ...options, shellPath: "/no/such/shell" })
      const other = yield* tree({ ...options, shellPath: "/bin/sh" })
      const results = [
        yield* Effect.either(spawn(spec)),
        yield* Effect.either(other.spawn({ ...spec, cwd: "/no/such" }))
      ]
      yield* same(
        "results",
        results.map(({ _tag }) => _tag),
        ["Left", "Left"]
      )
    })
  )
]

/** What only an implementation can pass that knows more of its processes than their groups. */
export const beyondGroups: ReadonlyArray<Check> = [
  check(
    "what has left the process group of its shell is ended with the tree",
    Effect.gen(function* () {
      const { endAll, open } = yield* openTree(50)
      const shell = yield* open("setsid sh -c 'echo $$; exec sleep 1000' & wait")
      const pid = yield* shell.until("\n")
      yield* Effect.addFinalizer(() => Effect.ignore(say(`kill -KILL ${pid}`)))
      yield* shell.release
      yield* endAll(50)
      yield* same("alive", yield* isAlive(pid), false)
    })
  ),
  check(
    "a command that is longer than an argument can be is run",
    Effect.gen(function* () {
      const { open } = yield* openTree(100)
      const shell = yield* open(`# ${"x".repeat(300_000)}\necho long`)
      yield* same("exit code", yield* shell.exited, 0)
      yield* same("said", shell.said(), "long\n")
      yield* shell.release
    })
  )
]

export const checks: ReadonlyArray<Check> = [...ofPrograms, ...ofTrees]
