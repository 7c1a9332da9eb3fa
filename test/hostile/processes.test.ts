/** Commands that try to get away: whatever ends them or heddle, nothing of theirs is left. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Processes from "../support/host/Processes.ts"

/** Seconds to sleep for: in no environment, and different from those of all other processes of this machine. */
const seconds = () => `31.${String(Math.random()).slice(2, 12)}`

/** A double fork into a session of its own, without environment and output. */
const ghost = (tag: string, setUp = "") =>
  `(${setUp} env -i setsid sh -c '(sleep ${tag} &)' > /dev/null 2>&1 < /dev/null &)`

/** Takes off every mark that a process can take off. */
const unmarked = (tag: string) => ghost(tag, "ulimit -S -x unlimited;")

const bash = (command: string) => ({ toolCall: { name: "bash", arguments: { command } } })

/** Heddle with a model whose first turn makes these calls. */
const open = Effect.fnUntraced(function* (commands: ReadonlyArray<string>, command?: ReadonlyArray<string>) {
  const folder = yield* tempFolder
  const file = join(folder, "scenario.json")
  writeFileSync(file, JSON.stringify({ turns: [{ steps: commands.map(bash) }, { steps: [{ text: "done" }] }] }))
  return yield* HostProcess.open({
    args: ["--model", "offline/script", "--set", `offline.scenario=${file}`],
    ...(command === undefined ? {} : { command })
  })
})

const until = (host: HostProcess.HostProcess, fits: (frame: HostProcess.Frame) => boolean) =>
  Effect.promise(() => host.until(fits))

const prompt = { id: "p", type: "prompt", message: "go" }

const read = (path: string) => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

/** State and parent of each process. */
const children = (parent: number | undefined) =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => [Number(pid), ...read(`/proc/${pid}/stat`).replace(/.*\) /s, "").split(" ", 2)] as const)
    .filter(([, , of]) => Number(of) === parent)
    .map(([pid, state]) => ({ pid, state }))

const guardianOf = ({ child }: HostProcess.HostProcess) =>
  children(child.pid)
    .map(({ pid }) => pid)
    .find((pid) => read(`/proc/${pid}/cmdline`).includes("heddle-guardian"))

const guarded = (host: HostProcess.HostProcess, not?: number) =>
  Effect.map(
    Processes.until(
      () => guardianOf(host),
      (pid) => pid !== undefined && pid !== not
    ),
    (pid) => pid ?? 0
  )

const gone = (pid: number) =>
  Processes.until(
    () => read(`/proc/${pid}/stat`),
    (stat) => stat === "" || stat.includes(") Z ")
  )

describe.skipIf(process.platform !== "linux").concurrent("processes that try to get away", () => {
  it.scopedLive("forty commands at once, each with one that left everything behind: an abort ends them all", () =>
    Effect.gen(function* () {
      const tag = seconds()
      const host = yield* open(Array.from({ length: 40 }, () => `${ghost(tag)}; sleep ${tag}`))
      host.send(prompt)
      yield* Processes.count(tag, 80)
      host.send({ id: "a", type: "abort" })
      yield* until(host, HostProcess.type("agent_end"))
      assert.deepStrictEqual(Processes.holding(tag), [])
    })
  )

  it.scopedLive("an abort of one command leaves what another has started", () =>
    Effect.gen(function* () {
      const [mine, other] = [seconds(), seconds()]
      const host = yield* open([`${ghost(mine)}; sleep 30`])
      host.send({ id: "b", type: "bash", command: `${ghost(other)}; sleep 30` }, prompt)
      yield* Processes.count(mine, 1)
      const [spared] = yield* Processes.count(other, 1)
      host.send({ id: "a", type: "abort" })
      yield* until(host, HostProcess.type("agent_end"))
      assert.deepStrictEqual([Processes.holding(mine), Processes.holding(other)], [[], [spared]])
      host.send({ id: "c", type: "abort_bash" })
      yield* until(host, HostProcess.answer("b"))
      assert.deepStrictEqual(Processes.holding(other), [])
    })
  )

  it.scopedLive("an orphan that has taken off its mark goes with the only command that can have started it", () =>
    Effect.gen(function* () {
      const tag = seconds()
      const host = yield* open([`${unmarked(tag)}; sleep 30`])
      host.send(prompt)
      yield* Processes.count(tag, 1)
      host.send({ id: "a", type: "abort" })
      yield* until(host, HostProcess.type("agent_end"))
      assert.deepStrictEqual(Processes.holding(tag), [])
    })
  )

  it.scopedLive("an orphan that two commands can have started lives until heddle ends", () =>
    Effect.gen(function* () {
      const tag = seconds()
      const host = yield* open([`${unmarked(tag)}; sleep 30`])
      host.send({ id: "b", type: "bash", command: "sleep 30" }, prompt)
      yield* Processes.count(tag, 1)
      host.send({ id: "a", type: "abort" })
      yield* until(host, HostProcess.type("agent_end"))
      assert.strictEqual(Processes.holding(tag).length, 1)
      host.closeInput()
      yield* Effect.promise(() => host.exited)
      assert.deepStrictEqual(Processes.holding(tag), [])
    })
  )

  const ends: ReadonlyArray<readonly [way: string, end: (host: HostProcess.HostProcess) => void]> = [
    ["end of input", (host) => host.closeInput()],
    ["SIGTERM", (host) => host.child.kill("SIGTERM")]
  ]
  it.scopedLive.each(ends)("%s ends them, and the guardian with them", ([, end]) =>
    Effect.gen(function* () {
      const tag = seconds()
      const host = yield* open([`${ghost(tag)}; sleep ${tag}`])
      host.send({ id: "b", type: "bash", command: ghost(tag) }, prompt)
      yield* until(host, HostProcess.answer("b"))
      yield* Processes.count(tag, 3)
      const guardian = yield* guarded(host)
      end(host)
      yield* Effect.promise(() => host.exited)
      assert.deepStrictEqual(Processes.holding(tag), [])
      yield* gone(guardian)
    })
  )

  it.scopedLive("after SIGKILL of heddle everything is gone within 2 seconds", () =>
    Effect.gen(function* () {
      const tag = seconds()
      const stubborn = `trap '' TERM; ${ghost(tag)}; sleep ${tag}; sleep 30`
      const host = yield* open([stubborn, `${ghost(tag)}; sleep ${tag}`])
      host.send({ id: "b", type: "bash", command: `sleep ${tag} > /dev/null 2>&1 &` }, prompt)
      yield* Processes.count(tag, 6)
      const guardian = yield* guarded(host)
      const began = performance.now()
      host.child.kill("SIGKILL")
      yield* Processes.count(tag, 0)
      assert.isBelow(performance.now() - began, 2000)
      yield* gone(guardian)
    })
  )

  it.scopedLive("SIGKILL at the moment in which the first of many commands has begun", () =>
    Effect.gen(function* () {
      const tag = seconds()
      const host = yield* open(Array.from({ length: 10 }, () => `${ghost(tag)}; sleep ${tag}`))
      host.send(prompt)
      yield* Processes.until(
        () => Processes.holding(tag).length,
        (running) => running > 0
      )
      host.child.kill("SIGKILL")
      yield* Effect.promise(() => host.exited)
      yield* Processes.count(tag, 0)
    })
  )

  it.scopedLive("the guardian outlives a kill of the whole process group, and one that was killed is replaced", () =>
    Effect.gen(function* () {
      const tag = seconds()
      const host = yield* open([`${ghost(tag)}; sleep ${tag}`], ["setsid", process.execPath, HostProcess.entry])
      host.send({ id: "b", type: "bash", command: "true" })
      yield* until(host, HostProcess.answer("b"))
      const first = yield* guarded(host)
      process.kill(first, "SIGKILL")
      yield* gone(first)
      host.send(prompt)
      yield* Processes.count(tag, 2)
      const second = yield* guarded(host, first)
      process.kill(-(host.child.pid ?? 0), "SIGKILL")
      yield* Processes.count(tag, 0)
      yield* gone(second)
    })
  )

  it.scopedLive("the guardian has none of our descriptors but its pipe, and no variable but PATH", () =>
    Effect.gen(function* () {
      const host = yield* open([])
      host.send({ id: "b", type: "bash", command: "true" })
      yield* until(host, HostProcess.answer("b"))
      const guardian = yield* guarded(host)
      const held = readdirSync(`/proc/${guardian}/fd`).map((fd) => readlinkSync(`/proc/${guardian}/fd/${fd}`))
      assert.match(held[0] ?? "", /^pipe:/)
      assert.deepStrictEqual(held.slice(1), ["/dev/null", "/dev/null"])
      const names = read(`/proc/${guardian}/environ`)
        .split("\0")
        .map((text) => text.replace(/=.*/s, ""))
      assert.deepStrictEqual(names, ["PATH", ""])
    })
  )

  it.scopedLive("adopted processes that have ended leave no zombie", () =>
    Effect.gen(function* () {
      const tag = seconds()
      const orphans = "for i in 1 2 3 4 5 6 7 8 9 10; do (setsid sh -c 'true' &); done"
      const host = yield* open([])
      const command = `${orphans}; (ulimit -S -x unlimited; env -i setsid true &); sleep ${tag}`
      host.send({ id: "b", type: "bash", command })
      yield* Processes.count(tag, 1)
      yield* Processes.until(
        () => children(host.child.pid).filter(({ state }) => state === "Z"),
        ({ length }) => length === 0
      )
      // And while nothing runs: a job that was left in background.
      host.send({ id: "c", type: "abort_bash" }, { id: "d", type: "bash", command: "sleep 0.3 > /dev/null 2>&1 &" })
      yield* until(host, HostProcess.answer("d"))
      yield* Processes.until(
        () => children(host.child.pid).length,
        (length) => length === 1
      )
    })
  )
})
