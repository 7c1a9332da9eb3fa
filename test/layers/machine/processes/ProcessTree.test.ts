/** Real processes, looked for in /proc: whatever a command does, nothing of it is left when its owner is done. */
import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Scope } from "effect"
import * as Orphans from "../../../../src/layers/machine/processes/offspring/Orphans.ts"
import * as ProcFiles from "../../../../src/layers/machine/processes/offspring/ProcFiles.ts"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import * as ProcessTree from "../../../../src/layers/machine/processes/ProcessTree.ts"
import type { ProcessTree as Tree } from "../../../../src/services/machine/Processes.ts"
import * as Processes from "../../../support/host/Processes.ts"

const env = { PATH: process.env["PATH"] ?? "" }
const makeWith = (grace: number, jobGrace = grace, shellPath = "bash") =>
  ProcessTree.make({ shellPath, grace: () => grace, jobGrace })
const make = makeWith(150, 20)
/** Waits longer than any test: what ends all the same was not waited for. */
const patient = makeWith(60_000)

/** A shell and what it has said; `until` waits for more of it. */
const open = Effect.fnUntraced(function* (tree: Tree, command: string) {
  let text = ""
  const take = (chunk: Uint8Array) => {
    text += Buffer.from(chunk).toString("latin1")
    return undefined
  }
  const shell = yield* Effect.acquireRelease(tree.spawn({ command, cwd: "/", env, take }), ({ release }) => release)
  const until = (part: string) =>
    Processes.until(
      () => text,
      (now) => now.includes(part)
    )
  return { ...shell, until, said: () => text }
})
type Opened = Effect.Effect.Success<ReturnType<typeof open>>

/** Runs in a scope of its own; `body` gets the shell after its output contains `ready`. */
const withShell = <A>(
  command: string,
  body: (shell: Opened, mark: string) => Effect.Effect<A>,
  makeTree: typeof make = make
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const tree = yield* makeTree
      const shell = yield* open(tree, command)
      yield* shell.until("ready")
      return yield* body(shell, tree.mark)
    })
  )

describe.skipIf(process.platform !== "linux")("on Linux", () => {
  it.live("writes both streams into one pipe that can be opened again, in the order of the program", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const tree = yield* make
        const command = "for i in 1 2 3; do echo o$i; echo e$i >&2; echo r$i >/dev/stderr; done; nosuch; exit 7"
        const shell = yield* open(tree, command)
        assert.strictEqual(yield* shell.exited, 7)
        assert.strictEqual(
          shell.said(),
          "o1\ne1\nr1\no2\ne2\nr2\no3\ne3\nr3\nbash: line 1: nosuch: command not found\n"
        )
      })
    )
  )

  it.live("reads nothing, leads a session, has only the environment it was given", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const tree = yield* make
        const command = "cat; read line; echo $?; ps -o pid=,pgid=,sid= -p $$ | xargs -n1 | sort -u | wc -l; env | sort"
        const shell = yield* open(tree, command)
        yield* shell.exited
        const names = shell
          .said()
          .split("\n")
          .map((line) => line.replace(/=.*/, ""))
        assert.deepStrictEqual(names, ["1", "1", "HEDDLE_PROCESS_MARK", "PATH", "PWD", "SHLVL", "_", ""])
      })
    )
  )

  it.live("a command of 300 kB runs, and its file is gone afterwards", () =>
    Effect.gen(function* () {
      const scripts = () => readdirSync(tmpdir()).filter((name) => /^heddle-.*\.sh$/.test(name))
      const before = scripts()
      const text = yield* withShell(`x='${"y".repeat(300_000)}'; echo \${#x} ready`, (shell) =>
        Effect.as(shell.exited, scripts().length)
      )
      assert.strictEqual(text, before.length + 1)
      assert.deepStrictEqual(scripts(), before)
    })
  )

  it.live("says what is missing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const tree = yield* make
        const other = yield* makeWith(1, 1, "/no/shell")
        const take = () => undefined
        const spawns = [
          tree.spawn({ command: "true", cwd: "/no/folder", env, take }),
          other.spawn({ command: "true", cwd: "/", env, take })
        ]
        const failures = Effect.forEach(spawns, (spawned) => Effect.map(Effect.flip(spawned), ({ message }) => message))
        assert.deepStrictEqual(yield* failures, [
          "Working directory not found: /no/folder",
          "Shell not found: /no/shell"
        ])
        const descriptors = () => readdirSync("/proc/self/fd").length
        const before = descriptors()
        yield* Effect.replicateEffect(failures, 20)
        // Bun closes its copies in a thread, so a busy machine takes a moment.
        yield* Effect.repeat(EventLoop.nextTurn, { until: () => descriptors() - before < 10 })
      })
    )
  )

  const stubborn = `trap '' TERM; echo ready; while :; do sleep 30; done`
  /** Hears of a TERM and goes on. */
  const unmoved = "trap : TERM; echo ready; while :; do sleep 30; done"
  /** Hears of a TERM and waits for something else. */
  const lingering = "trap 'while :; do read -t 60 <> <(:); done' TERM; echo ready; while :; do sleep 30; done"
  /** Seconds by which a process without our mark is told from all others. */
  const unmarked = `31.${process.pid}`
  const escapes: ReadonlyArray<readonly [what: string, command: string, processes: number]> = [
    ["a plain child", "echo ready; sleep 30; true", 2],
    ["a child that the shell became", "echo ready; exec sleep 30", 1],
    ["a pipeline", "echo ready; sleep 30 | sleep 30 | sleep 30", 4],
    ["jobs in background", "sleep 30 & sleep 30 & echo ready; wait", 3],
    ["one that ignores TERM", stubborn, 2],
    ["one that goes on after it", unmoved, 2],
    ["one that lingers after it", lingering, 2],
    ["one that is stopped", "echo ready; kill -STOP $$", 1],
    ["job control, each in a group of its own", "set -m; sleep 30 & sleep 30 & echo ready; wait", 3],
    ["a session of its own", "setsid sleep 30 & echo ready; wait", 2],
    ["a double fork", "(setsid bash -c 'sleep 30 & sleep 30; true' &) ; echo ready; sleep 30; true", 5],
    ["a session of its own that ignores TERM", `setsid bash -c "${stubborn}" & wait`, 3],
    ["a child without environment", `echo ready; env -i sleep ${unmarked}; true`, 1],
    ["a session of its own without environment", `env -i setsid sleep ${unmarked} & echo ready; wait`, 1],
    [
      "a double fork into a session of its own without environment",
      `(env -i setsid sh -c '(sleep ${unmarked} &)' > /dev/null 2>&1 &); echo ready; sleep 30`,
      1
    ],
    ["closed output", "sleep 30 >&- 2>&- & echo ready; exec >&- 2>&-; wait", 2]
  ]

  it.live.each(escapes)("ends %s", ([, command, processes]) =>
    Effect.gen(function* () {
      const mark = yield* withShell(
        command,
        Effect.fnUntraced(function* (_, mark) {
          if (command.includes(unmarked)) yield* Processes.count(`\0${unmarked}\0`, 1)
          else yield* Processes.count(mark, processes)
          return mark
        })
      )
      assert.deepStrictEqual([Processes.holding(mark), Processes.holding(unmarked)], [[], []])
    })
  )

  it.live("a plain child is gone in milliseconds", () =>
    Effect.gen(function* () {
      const end = (shell: Opened) => Effect.map(Effect.timed(shell.end), ([duration]) => Duration.toMillis(duration))
      const times = yield* Effect.replicateEffect(withShell("echo ready; exec sleep 30", end), 5)
      assert.isBelow(Math.min(...times), 50)
    })
  )

  it.live("a fork bomb under a limit", () =>
    Effect.gen(function* () {
      // Root has no limit on processes: here the bomb counts for itself.
      const bomb =
        "bomb() { [ $1 -gt 6 ] || { bomb $(($1+1)) & bomb $(($1+1)) & }; sleep 30; }; bomb 0 & echo ready; wait"
      const mark = yield* withShell(bomb, (_, mark) =>
        Effect.as(
          Processes.until(
            () => Processes.holding(mark).length,
            (n) => n > 60
          ),
          mark
        )
      )
      assert.deepStrictEqual(Processes.holding(mark), [])
    })
  )

  it.live("what a finished command left in background lives until the owner of all goes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const tree = yield* Scope.extend(make, scope)
      const command = "(while :; do echo noise; sleep 0.01; done) & setsid sleep 30 & echo ready"
      const code = yield* Effect.scoped(
        Effect.gen(function* () {
          const shell = yield* open(tree, command)
          yield* shell.until("ready")
          return yield* shell.exited
        })
      )
      assert.strictEqual(code, 0)
      // The noisy one still writes: its pipe is read on.
      yield* Processes.until(
        () => Processes.holding(tree.mark).length,
        (n) => n >= 2
      )
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(Processes.holding(tree.mark), [])
    })
  )

  it.live("where everything alive ignores TERM, KILL follows at once", () =>
    withShell(
      stubborn,
      Effect.fnUntraced(function* (shell, mark) {
        yield* Processes.count(mark, 2)
        yield* shell.end
        assert.deepStrictEqual(Processes.holding(mark), [])
      }),
      patient
    )
  )

  it.live("one that tidies up after TERM has the time for it, whatever it starts", () => {
    const tidy = "(sleep 0.05; echo one); sleep 0.06; echo two; exit"
    return withShell(
      `trap '${tidy}' TERM; echo ready; while :; do sleep 30; done`,
      Effect.fnUntraced(function* (shell, mark) {
        yield* Processes.count(mark, 2)
        yield* shell.end
        // Once, for what ran when the TERM came.
        assert.strictEqual(shell.said(), "ready\nTerminated\none\ntwo\n")
      }),
      patient
    )
  })

  it.live("a process first seen after the TERM has time to tidy up, too", () => {
    const late =
      '[ -z "$LATE" ] || trap "sleep 0.1; echo tidied; exit" TERM; echo "up$LATE"; while :; do sleep 0.02; done'
    return withShell(
      `f='${late}'; (LATE=1 setsid bash -c "$f" &); bash -c "$f" & echo ready; wait`,
      Effect.fnUntraced(function* (shell, mark) {
        yield* shell.until("up1\n")
        yield* shell.until("up\n")
        yield* shell.end
        assert.include(shell.said(), "tidied\n")
        assert.deepStrictEqual(Processes.holding(mark), [])
      }),
      patient
    )
  })

  it.live("a process that got TERM in a session of its own does not wait for its parent's end", () =>
    withShell(
      `trap 'sleep 0.2; exit' TERM; setsid bash -c 'trap "echo heard; exit" TERM; echo ready; while :; do sleep 0.01; done' & wait; wait`,
      Effect.fnUntraced(function* (shell, mark) {
        const ending = yield* Effect.fork(shell.end)
        yield* shell.until("heard")
        assert.isTrue(shell.isAlive())
        yield* Fiber.join(ending)
        assert.deepStrictEqual(Processes.holding(mark), [])
      }),
      patient
    )
  )

  it.live("a child that the program around heddle has started is neither ended nor reaped", () =>
    Effect.gen(function* () {
      const own = (script: string) => {
        const child = spawn("sh", ["-c", script], { detached: true, env: {}, stdio: ["pipe", "ignore", "ignore"] })
        return { child, exited: Effect.promise(() => new Promise<unknown>((settle) => child.once("exit", settle))) }
      }
      const waiting = own("read line; exit 6")
      yield* withShell("sleep 30 & echo ready; wait", (shell) => shell.end)
      waiting.child.stdin.end()
      assert.strictEqual(yield* waiting.exited, 6)
      const ended = own("exit 7")
      // Without a turn of the event loop, in which it would be reaped.
      while (ProcFiles.readEntry(ended.child.pid ?? 0)?.state !== "Z");
      Orphans.reap()
      assert.strictEqual(yield* ended.exited, 7)
    })
  )

  it.live("leaves no descriptor open", () =>
    Effect.gen(function* () {
      const open = () => readdirSync("/proc/self/fd").length
      yield* withShell("echo ready", (shell) => shell.exited)
      const before = open()
      for (let i = 0; i < 20; i++) yield* withShell(i % 2 ? "echo ready; sleep 30" : "echo ready", () => Effect.void)
      yield* Processes.until(open, (now) => now <= before)
    })
  )
})
