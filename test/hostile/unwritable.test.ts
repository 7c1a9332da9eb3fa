/** A home that cannot be written, over real pipes: it is said at start, once, and heddle works in memory. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { withFiles } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, type } = HostProcess

const warnings = (host: HostProcess.HostProcess) =>
  host
    .stderr()
    .split("\n")
    .filter((line) => line.includes("sessions cannot be stored in"))

/** What the host is told up to the end of a prompt. */
const prompted = (options: HostProcess.HostOptions) =>
  Effect.gen(function* () {
    const host = yield* HostProcess.open({ ...options, args: ["--model", "offline/guide", ...(options.args ?? [])] })
    yield* Effect.promise(() => host.until(type("ready")))
    host.send({ id: 1, type: "prompt", message: "hello" })
    const result = yield* Effect.promise(() => host.until(type("prompt_result")))
    assert.strictEqual(result["status"], "completed")
    host.send({ id: 2, type: "get_state" })
    yield* Effect.promise(() => host.until(answer(2)))
    const notices = host.frames().filter((frame) => frame["source"] === "session-persistence").length
    return { warnings: warnings(host), notices }
  })

it.scoped("an agent folder below a file", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ taken: "a file" })
    const found = yield* prompted({ env: { HEDDLE_AGENT_DIR: join(folder, "taken/agent") } })
    assert.strictEqual(found.warnings.length, 1)
    assert.match(
      found.warnings[0] ?? "",
      /^heddle warn: .*taken\/agent\/sessions\/.*taken: it is a file, not a folder\. /
    )
    assert.match(found.warnings[0] ?? "", /works in memory.*--session-dir or HEDDLE_AGENT_DIR, or pass --no-session\.$/)
    assert.strictEqual(found.notices, 1)
  })
)

it.scoped("a session folder below a file, and one that can be written where the agent folder cannot", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ taken: "a file" })
    assert.strictEqual((yield* prompted({ args: ["--session-dir", join(folder, "taken/x")] })).warnings.length, 1)
    const env = { HEDDLE_AGENT_DIR: join(folder, "taken/agent") }
    const found = yield* prompted({ env, args: ["--session-dir", join(folder, "sessions")] })
    assert.deepStrictEqual(found, { warnings: [], notices: 0 })
    assert.isTrue(readdirSync(join(folder, "sessions")).some((name) => name.endsWith(".jsonl")))
    assert.deepStrictEqual(yield* prompted({ env, args: ["--no-session"] }), { warnings: [], notices: 0 })
  })
)

it.scoped("an ordinary home is not mentioned, also before its folders exist", () =>
  Effect.gen(function* () {
    const home = yield* withFiles({})
    assert.deepStrictEqual(yield* prompted({ home }), { warnings: [], notices: 0 })
    assert.deepStrictEqual(yield* prompted({ home }), { warnings: [], notices: 0 })
  })
)
