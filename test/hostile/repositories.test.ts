/** A stranger's repository, over the real command: none of its programs runs, whatever heddle is asked for. */
import { spawnSync } from "node:child_process"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Repositories from "../support/hostile/Repositories.ts"
import * as TerminalHost from "../support/terminal/TerminalHost.ts"

const { answer, type } = HostProcess

const place = Effect.fnUntraced(function* (attack: (typeof Repositories.attacks)[string]) {
  const [folder, home, away] = [yield* tempFolder, yield* tempFolder, yield* tempFolder]
  const mark = join(away, "ran")
  Repositories.make(folder, mark, attack)
  return { folder, home, mark }
})

const call = (name: string, args: object) => ({ steps: [{ toolCall: { name, arguments: args } }] })
const isolated = call("task", {
  agent: "task",
  isolated: true,
  tasks: [{ id: "One", description: "d", assignment: "a" }]
})
const turns = [
  call("grep", { pattern: "needle" }),
  isolated,
  call("write", { path: "a.txt", content: "c\n" }),
  call("submit_result", { result: "done" }),
  isolated,
  call("write", { path: "new.md", content: "new\n" }),
  call("submit_result", { result: "done" }),
  { steps: [{ text: "ok" }] }
]

describe.each(Object.entries(Repositories.attacks))("%s", (name, attack) => {
  it.scopedLive("runs nothing: state for the prompt, searches, isolated tasks, patches and branches", () =>
    Effect.gen(function* () {
      const { folder, home, mark } = yield* place(attack)
      writeFileSync(join(home, "scenario.json"), JSON.stringify({ turns }))
      const settings = ["task.isolation.mode=worktree", `offline.scenario=${join(home, "scenario.json")}`]
      for (const merge of ["patch", "branch"]) {
        const sets = [...settings, `task.isolation.merge=${merge}`].flatMap((setting) => ["--set", setting])
        const host = yield* HostProcess.open({ home, cwd: folder, args: ["--model", "offline/script", ...sets] })
        yield* Effect.promise(async () => {
          host.send({ id: "s", type: "get_state", verbose: true })
          assert.nestedPropertyVal(await host.until(answer("s")), "data.trust", "untrusted")
          host.send({ id: "p", type: "prompt", message: "go" })
          assert.propertyVal(await host.until(type("prompt_result")), "status", "completed")
          host.closeInput()
          await host.exited
        })
        assert.isFalse(existsSync(mark))
        const [search] = host.frames().filter(type("tool_execution_end"))
        assert.nestedPropertyVal(search, "result.content[0].text", "b.txt:1: needle")
        const ended = host.frames().filter(type("subagent_end"))
        assert.deepStrictEqual(
          ended.map(({ exitCode }) => exitCode),
          Repositories.unusable.has(name) ? [] : [0, 0]
        )
      }
      Repositories.strike(folder)
      assert.isTrue(existsSync(mark), "the attack does nothing")
      rmSync(mark)
    })
  )
})

const others = [
  ["-p", "hello", "--model", "offline/guide"],
  ["-p", "--mode", "json", "hello", "--model", "offline/guide"],
  ["doctor"],
  ["config"],
  ["sessions"],
  ["completions", "bash"],
  ["--list-models"]
]

it.scopedLive.each(["commondir inside of .git", "core.fsmonitor"])(
  "%s: nor on a terminal or by any other command",
  (name) =>
    Effect.gen(function* () {
      const terminal = TerminalHost.makePlace()
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(terminal.root, { recursive: true })))
      const mark = join(terminal.root, "ran")
      Repositories.make(terminal.work, mark, Repositories.attacks[name] ?? (() => {}))
      for (const args of others) {
        const env = { PATH: process.env["PATH"] ?? "", HOME: terminal.home }
        const { status } = spawnSync(process.execPath, [HostProcess.entry, ...args], { cwd: terminal.work, env })
        assert.deepStrictEqual([args, status, existsSync(mark)], [args, 0, false])
      }
      const host = yield* TerminalHost.open({
        place: terminal,
        scenario: { turns: [{ steps: [{ text: "Hello there." }] }] }
      })
      yield* Effect.promise(async () => {
        await host.until(/main|offline/)
        host.type(`hello${TerminalHost.keys.enter}`)
        await host.settled(/Hello there\./)
      })
      assert.isFalse(existsSync(mark))
      Repositories.strike(terminal.work)
      assert.isTrue(existsSync(mark), "the attack does nothing")
    })
)
