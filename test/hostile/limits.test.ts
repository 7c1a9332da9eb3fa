/** The limit on processes is reached while heddle runs: whoever needs one more is told so, at once. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ThreadCheck from "../../src/layers/machine/processes/ThreadCheck.ts"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"

const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
const run = (...command: ReadonlyArray<string>) => spawnSync("setpriv", [...nobody, ...command]).status

/** The kernel knows no such limit for root, and other users have processes of their own that count. */
const canLimit =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  run("test", "-r", HostProcess.entry) === 0 &&
  run("prlimit", "--version") === 0

const open = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const host = yield* HostProcess.open({
    command: ["setpriv", ...nobody, process.execPath, HostProcess.entry],
    args: ["--no-session", ...args],
    env: { HEDDLE_AGENT_DIR: "/nonexistent", HOME: "/nonexistent" }
  })
  yield* Effect.promise(() => host.until(HostProcess.type("ready")))
  return { ...host, limit: () => run("prlimit", `--pid=${host.child.pid}`, "--nproc=1:1") }
})

describe.skipIf(!canLimit).concurrent("no more processes", () => {
  it.scopedLive("a command is an error that names the limit, and heddle goes on", () =>
    Effect.gen(function* () {
      const host = yield* open()
      // What it needs threads for has begun before.
      host.send({ id: "a", type: "bash", command: "echo well" })
      yield* Effect.promise(() => host.until(HostProcess.answer("a")))
      assert.strictEqual(host.limit(), 0)
      host.send({ id: "b", type: "bash", command: "echo well" }, { id: "s", type: "get_state" })
      const answer = yield* Effect.promise(() => host.until(HostProcess.answer("b")))
      assert.deepInclude(answer, { success: false, code: "not_started" })
      assert.match(String(answer["error"]), /the limit on processes is reached \(EAGAIN\).*ulimit -u/)
      yield* Effect.promise(() => host.until(HostProcess.answer("s")))
    })
  )

  it.scopedLive("without a single thread for files heddle ends and says why", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const file = join(folder, "scenario.json")
      writeFileSync(file, JSON.stringify({ turns: [{ steps: [{ text: "done" }] }] }))
      const host = yield* open("--model", "offline/script", "--set", `offline.scenario=${file}`)
      assert.strictEqual(host.limit(), 0)
      host.send({ id: "p", type: "prompt", message: "go" })
      assert.deepStrictEqual(yield* Effect.promise(() => host.exited), { code: 1, signal: null })
      assert.include(host.stderr(), "lets heddle start no thread")
    })
  )
})

it.skipIf(process.platform !== "linux")("the threads for files are known by their name", async () => {
  await Bun.file(HostProcess.entry).text()
  assert.isAbove(ThreadCheck.poolThreads(), 0)
})
