/** What a signal does where it comes upon something else than a run: another signal, the end of the input, a start, a question. */
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import { play } from "../support/extensions/Pipes.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Processes from "../support/host/Processes.ts"
import * as TerminalHost from "../support/terminal/TerminalHost.ts"

const endless = { extensions: ["hostile/never-ends.ts"] }

/** The end after a signal has 700 ms, after EOF 3 seconds. */
const [atOnce, afterSignal, slack] = [600, 800, 700]

play("a second signal ends at once what the first would wait for", endless, async ({ host, until }) => {
  await until(({ phase }) => phase === "done")
  const began = performance.now()
  host.child.kill("SIGINT")
  host.child.kill("SIGTERM")
  const { code } = await host.exited
  // The later one decides. Where both have come before the process looks, the engine chooses.
  assert.include([130, 143], code)
  assert.isBelow(performance.now() - began, atOnce)
})

play("a signal shortens the end after EOF", endless, async ({ host, until }) => {
  await until(({ phase }) => phase === "done")
  host.send({ id: "last", type: "ping" })
  host.closeInput()
  await until(HostProcess.answer("last"))
  const began = performance.now()
  host.child.kill("SIGTERM")
  assert.deepStrictEqual(await host.exited, { code: 143, signal: null })
  assert.isBelow(performance.now() - began, afterSignal + slack)
})

it.scopedLive("a signal ends the run that --drain waits for, with all its events", () =>
  Effect.gen(function* () {
    const scenario = join(yield* tempFolder, "scenario.json")
    writeFileSync(scenario, JSON.stringify({ turns: [{ steps: [{ text: "Begun.", cutOff: true }, { hang: true }] }] }))
    const host = yield* HostProcess.open({
      args: ["--drain", "--model", "offline/script", "--set", `offline.scenario=${scenario}`]
    })
    host.send({ id: "p", type: "prompt", message: "go" })
    host.closeInput()
    yield* Effect.promise(() => host.until(HostProcess.type("message_update")))
    host.child.kill("SIGTERM")
    assert.deepStrictEqual(yield* Effect.promise(() => host.exited), { code: 143, signal: null })
    const ends = ["agent_end", "prompt_result", "agent_settled", "session_settled"]
    assert.deepStrictEqual(HostProcess.types(host).slice(-4), ends)
  })
)

describe.skipIf(process.platform !== "linux")("after two signals", () => {
  it.scopedLive("nothing is left of the commands", () =>
    Effect.gen(function* () {
      const tag = `heddle-e2e-${crypto.randomUUID()}`
      const command = `export HEDDLE_TEST=${tag}; trap '' TERM; (setsid sleep 30 &); echo begun; sleep 30; sleep 30`
      const host = yield* HostProcess.open({})
      host.send({ id: "b", type: "bash", command })
      yield* Effect.promise(() => host.until(HostProcess.type("bash_execution_update")))
      host.child.kill("SIGHUP")
      host.child.kill("SIGTERM")
      yield* Effect.promise(() => host.exited)
      yield* Processes.count(tag, 0)
    })
  )
})

describe("the question for a key", () => {
  const asked = (act: (host: TerminalHost.TerminalHost) => void) =>
    Effect.gen(function* () {
      const host = yield* TerminalHost.open({
        command: [process.execPath, HostProcess.entry, "auth", "set", "anthropic"]
      })
      yield* Effect.promise(() => host.until(/API key for anthropic/))
      host.type("sk-secret")
      // Drawn once for the question, and once for each key.
      yield* Effect.promise(() => host.until(/(?:›[^]*){10}/))
      act(host)
      const code = yield* Effect.promise(() => host.exited)
      assert.notInclude(host.raw(), "sk-secret")
      assert.match(host.modes(), /(?<!-)icanon/)
      assert.match(host.modes(), /(?<!-)echo\b/)
      return { host, code, files: readdirSync(host.place.home, { recursive: true }) }
    }).pipe(Effect.scoped)

  it.live("hides it, and stores it", () =>
    Effect.gen(function* () {
      const { code, files, host } = yield* asked((host) => host.type(TerminalHost.keys.enter))
      assert.strictEqual(code, 0)
      assert.match(host.raw(), /Stored the key of anthropic in/)
      assert.include(files.join(), "auth.json")
    })
  )

  it.live("is given up with Ctrl-C: nothing is stored", () =>
    Effect.gen(function* () {
      const { code, files, host } = yield* asked((host) => host.type(TerminalHost.keys.ctrl("c")))
      assert.strictEqual(code, 1)
      assert.match(host.raw(), /cancelled, nothing was stored/)
      assert.notInclude(files.join(), "auth.json")
    })
  )

  it.live("SIGTERM gives the terminal back", () =>
    Effect.gen(function* () {
      const { code, files } = yield* asked((host) => host.kill("SIGTERM"))
      assert.strictEqual(code, 143)
      assert.notInclude(files.join(), "auth.json")
    })
  )
})
