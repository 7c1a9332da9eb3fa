/** Commands that would hang, flood or outlive a careless shell. After each: nothing left, memory bounded, all well. */
import { statSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import type { ShellRequest, ShellResult } from "../../../../src/services/Shell.ts"
import * as Processes from "../../../support/host/Processes.ts"
import * as Shells from "./Shells.ts"

const mb = 1024 * 1024

interface Case {
  readonly command: string
  readonly timeoutMs?: number
  readonly check: (result: ShellResult) => void
}

const timedOut = ({ timedOut }: ShellResult) => assert.isTrue(timedOut)
const stubborn = "trap '' TERM INT HUP; while :; do sleep 1; done"

const cases: Readonly<Record<string, Case>> = {
  "a fork bomb under a limit": {
    command: "bomb() { [ $1 -gt 6 ] || { bomb $(($1+1)) & bomb $(($1+1)) & }; sleep 30; }; bomb 0",
    timeoutMs: 150,
    check: timedOut
  },
  "yes, until its time is over": {
    command: "yes",
    timeoutMs: 200,
    check: (result) => (timedOut(result), assert.isTrue(result.truncated))
  },
  "200 MB of lines, a third of it in memory at most": {
    command: "yes 'some words in a line' | head -c 200M",
    check: ({ exitCode, fullOutputPath, output, totalBytes, totalLines }) => {
      assert.deepStrictEqual([exitCode, totalBytes, totalLines], [0, 200 * mb, Math.ceil((200 * mb) / 21)])
      assert.strictEqual(statSync(fullOutputPath ?? "").size, 200 * mb)
      assert.isAtMost(output.length, 51_200)
    }
  },
  "lines of 1 MB": {
    command: "for i in 1 2 3 4 5 6 7 8; do head -c 1M /dev/zero | tr '\\0' x; echo; done",
    check: ({ lastLinePartial, outputBytes, totalLines }) =>
      assert.deepStrictEqual([lastLinePartial, outputBytes, totalLines], [true, 51_200, 8])
  },
  "binary output": {
    command: "head -c 3M /dev/urandom",
    check: ({ output }) => {
      assert.isAtMost(Buffer.byteLength(output), 51_200)
      assert.notMatch(output, /\p{Cc}(?<![\t\n\r])/u)
    }
  },
  "one that ignores every polite signal": { command: stubborn, timeoutMs: 50, check: timedOut },
  "a session of its own that ignores them": {
    command: `setsid bash -c "${stubborn}" & wait`,
    timeoutMs: 50,
    check: timedOut
  },
  "a double fork": { command: "(setsid sh -c 'sleep 30 & sleep 30 &' &); sleep 30", timeoutMs: 100, check: timedOut },
  "closed output": { command: "exec >&- 2>&-; sleep 30", timeoutMs: 50, check: timedOut },
  "reading stdin": {
    command: "cat; head -1; read -r x; echo end",
    check: ({ output }) => assert.strictEqual(output, "end\n")
  },
  "the terminal": { command: "echo hi > /dev/tty", check: ({ exitCode }) => assert.strictEqual(exitCode, 1) },
  "its own group": { command: "kill -TERM 0; sleep 30", check: ({ exitCode }) => assert.strictEqual(exitCode, 143) },
  "its parent": {
    command: "echo $PPID | grep -c '[0-9]'; sleep 0",
    check: ({ output }) => assert.strictEqual(output, "1\n")
  }
}

describe.skipIf(process.platform !== "linux")("hostile commands", () => {
  it.scopedLive.each(Object.entries(cases))("%s", ([, { check, command, timeoutMs = 60_000 }]) =>
    Effect.gen(function* () {
      const { env, shell, tag } = yield* Shells.make
      Bun.gc(true)
      const before = process.memoryUsage.rss()
      check(yield* shell.run({ command, env, timeoutMs }))
      assert.deepStrictEqual(Processes.holding(tag), [])
      assert.isBelow(process.memoryUsage.rss() - before, 64 * mb)
      assert.strictEqual((yield* shell.run({ command: "echo well" })).output, "well\n")
    })
  )

  const aborted = [
    "sleep 30",
    "sleep 30 & sleep 30 & wait",
    "yes",
    "for i in 1 2 3 4 5; do (setsid sleep 30 &); done; sleep 30",
    "(setsid bash -c 'sleep 30 & sleep 30' &); exit 0",
    "seq 100000; sleep 30",
    "exec >&- 2>&-; sleep 30",
    "set -m; sleep 30 & sleep 30 | cat",
    "trap '' TERM; sleep 30; sleep 30"
  ]

  it.scopedLive(
    "200 aborts at any moment leave no process",
    () =>
      Effect.gen(function* () {
        const { env, shell, tag } = yield* Shells.make
        const abort = Effect.fnUntraced(function* (seed: number) {
          const mine = `${tag}-${seed}.`
          const command = aborted[seed % aborted.length] ?? ""
          let told: ShellResult | undefined
          const request: ShellRequest = {
            command,
            env: { HEDDLE_TEST: mine },
            orInterrupted: (result) => Effect.onInterrupt(() => Effect.map(result, (ended) => (told = ended)))
          }
          const running = yield* Effect.fork(shell.run(request))
          // From before the first step to long after the start, a prime apart so that the moments differ.
          for (let turn = (seed * 7919) % 499; turn > 0; turn--) yield* EventLoop.nextTurn
          yield* Fiber.interrupt(running)
          // This one may have ended by itself before, and what it left in background then stays.
          if (command.endsWith("exit 0") && told === undefined) return
          assert.deepStrictEqual(Processes.holding(mine), [], command)
          if (told !== undefined) assert.isTrue(told.cancelled)
        })
        yield* Effect.forEach(
          Array.from({ length: 200 }, (_, seed) => seed),
          abort,
          { concurrency: 4 }
        )
        assert.strictEqual((yield* shell.run({ command: "echo well", env })).output, "well\n")
      }),
    25_000
  )
})
