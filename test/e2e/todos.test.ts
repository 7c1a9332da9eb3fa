/** The todo list of the real command: it outlives the process, and its timers do not hold the process up. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"
import { list, plan, task, update } from "../support/todo/Lists.ts"

const { answer, type } = HostProcess

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-todos-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const scenario = {
  turns: [
    {
      steps: [{ toolCall: { name: "todo_write", arguments: { ops: [plan("one", "two"), update(1, "completed")] } } }]
    },
    { steps: [{ text: "Half of it." }] }
  ]
}

const todoPhases = async (host: HostProcess.HostProcess, id: string) => {
  host.send({ id, type: "get_state" })
  const { data } = await host.until(answer(id))
  return typeof data === "object" && data !== null && "todoPhases" in data ? data.todoPhases : undefined
}

const inFolder = (path: string, ...args: ReadonlyArray<string>) => {
  const file = join(path, "scenario.json")
  writeFileSync(file, JSON.stringify(scenario))
  const sets = ["--set", `offline.scenario=${file}`, "--set", "todo.reminders=false"]
  return HostProcess.open({ home: path, args: ["--model", "offline/script", ...sets, ...args] })
}

it.scopedLive("a list is there again when the session is continued, without what was done", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const first = yield* inFolder(path)
    yield* Effect.promise(async () => {
      first.send({ id: "p", type: "prompt", message: "Weave" })
      await first.until(type("session_settled"))
      assert.deepStrictEqual(
        await todoPhases(first, "s"),
        list(task(1, "one", "completed"), task(2, "two", "in_progress"))
      )
      first.closeInput()
      assert.deepStrictEqual(await first.exited, { code: 0, signal: null })
    })
    const second = yield* inFolder(path, "--continue")
    yield* Effect.promise(async () => {
      assert.deepStrictEqual(await todoPhases(second, "s"), list(task(2, "two", "in_progress")))
      second.send({ id: "t", type: "set_todos", phases: list({ ...task(7, "mine"), details: "d" }) })
      await second.until(answer("t"))
      second.closeInput()
      assert.deepStrictEqual(await second.exited, { code: 0, signal: null })
    })
    const third = yield* inFolder(path, "--continue")
    yield* Effect.promise(async () => {
      assert.deepStrictEqual(await todoPhases(third, "s"), list({ ...task(7, "mine"), details: "d" }))
    })
  })
)

it.scopedLive("finished tasks leave the list by the clock of the process", () =>
  Effect.gen(function* () {
    const host = yield* inFolder(yield* folder, "--set", "tasks.todoClearDelay=0", "--no-session")
    yield* Effect.promise(async () => {
      host.send({ id: "t", type: "set_todos", phases: list(task(1, "one", "completed"), task(2, "two")) })
      await host.until(type("todo_auto_clear"))
      assert.deepStrictEqual(await todoPhases(host, "s"), list(task(2, "two")))
    })
  })
)
