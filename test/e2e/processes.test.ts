/** Whatever ends the agent, nothing that its commands have started is left: not even what ignores polite signals. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Processes from "../support/host/Processes.ts"

/** Each leaves a plain child, one in a session of its own, and one in background of a command that has ended. */
const command = (tag: string) =>
  `export HEDDLE_TEST=${tag}; (setsid sleep 30 &); bash -c "trap '' TERM; echo begun; sleep 30; sleep 30"; true`
const left = (tag: string) => `HEDDLE_TEST=${tag} sleep 30 > /dev/null 2>&1 &`

const ways: Readonly<Record<string, readonly [end: (host: HostProcess.HostProcess) => void, code: number]>> = {
  "end of input": [(host) => host.closeInput(), 0],
  SIGTERM: [(host) => host.child.kill("SIGTERM"), 143],
  SIGINT: [(host) => host.child.kill("SIGINT"), 130]
}

// Side by side: each waits a second for what does not want to end.
describe.skipIf(process.platform !== "linux").concurrent("processes", () => {
  it.scopedLive.each(Object.entries(ways))("%s", ([, [end, code]]) =>
    Effect.gen(function* () {
      const tag = `heddle-e2e-${crypto.randomUUID()}`
      const folder = yield* tempFolder
      const call = (text: string) => ({ toolCall: { name: "bash", arguments: { command: text } } })
      const turns = [{ steps: [call(left(tag))] }, { steps: [call(command(tag))] }]
      writeFileSync(join(folder, "scenario.json"), JSON.stringify({ turns }))
      const host = yield* HostProcess.open({
        args: ["--model", "offline/script", "--set", `offline.scenario=${join(folder, "scenario.json")}`]
      })
      host.send({ id: "p", type: "prompt", message: "go" }, { id: "b", type: "bash", command: command(tag) })
      yield* Effect.promise(() => host.until(HostProcess.type("bash_execution_update")))
      yield* Effect.promise(() => host.until(HostProcess.type("tool_execution_update")))
      yield* Processes.until(
        () => Processes.holding(tag).length,
        (now) => now >= 7
      )
      const began = performance.now()
      end(host)
      assert.deepStrictEqual(yield* Effect.promise(() => host.exited), { code, signal: null })
      assert.deepStrictEqual(Processes.holding(tag), [])
      assert.isBelow(performance.now() - began, 4000)
    })
  )
})
