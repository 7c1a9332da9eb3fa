import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join, resolve } from "node:path"
import * as TestHost from "../../support/extensions/TestHost.ts"

const script = join(resolve(import.meta.dirname, "../../support/extensions"), "isolated.ts")

/** What a process of its own says that runs these samples. */
const isolated = (...samples: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn([process.execPath, script, ...samples], { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const [out, err, code] = yield* Effect.promise(() =>
      Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    )
    const said: unknown = JSON.parse(out === "" ? "null" : out)
    return { said, err, code }
  })

describe("a process with extensions", () => {
  it.scopedLive("survives errors that nobody catches, and puts them down to their extension", () =>
    Effect.gen(function* () {
      const { code, err, said } = yield* isolated("greeter.ts", "late-errors.ts")
      assert.deepStrictEqual([code, err], [5, ""])
      assert.deepStrictEqual(said, {
        reports: [
          ["late-errors.ts", "async", "in a promise", `${TestHost.sample("late-errors.ts")}:7:29`],
          ["extensions", "async", "without a stack"],
          ["late-errors.ts", "async", "in a timer", `${TestHost.sample("late-errors.ts")}:5:17`]
        ],
        notes: [],
        fences: { during: 2, after: 0, isKillBack: true }
      })
    })
  )

  it.scopedLive("is not ended by an extension in any way, and ends by its own", () =>
    Effect.gen(function* () {
      const { code, err, said } = yield* isolated("ends-process.ts")
      assert.deepStrictEqual([code, err], [5, ""])
      const refused = (call: string) => `${call} would end heddle. An extension ends the session with ctx.shutdown().`
      const shape = typeof said === "object" && said !== null ? said : {}
      const reports: unknown = "reports" in shape ? shape.reports : undefined
      const notes: unknown = "notes" in shape ? shape.notes : undefined
      const told = (notes: unknown): ReadonlyArray<unknown> =>
        Array.isArray(notes) ? notes.map((note: ReadonlyArray<{ readonly message: string }>) => note[1]?.message) : []
      assert.deepStrictEqual(
        told(notes).map((text) => String(text).replace(/kill\(\d\d+\)/, "kill(pid)")),
        [
          refused("process.exit()"),
          refused("process.reallyExit()"),
          refused("process.abort()"),
          refused("process.kill(pid)"),
          refused("process.kill(0)"),
          "went on: true"
        ]
      )
      const events = Array.isArray(reports) ? reports.map(([name, event]: ReadonlyArray<unknown>) => [name, event]) : []
      assert.deepStrictEqual(
        events,
        Array.from({ length: 6 }, () => ["ends-process.ts", "exit"])
      )
    })
  )
})

it.scoped("texts of any length are cut before they are reported", () =>
  Effect.gen(function* () {
    const { open } = yield* TestHost.make([TestHost.sample("huge.ts")])
    const { commands, hooks } = yield* open({ reason: "startup" })
    yield* hooks.ask("input", { text: "hi", images: [], source: "host" })
    const [command] = commands
    if (command?.action._tag !== "Run") return yield* Effect.dieMessage("no command")
    const failure = yield* Effect.flip(command.action.run(""))
    const lengths = [...hooks.reports.map(({ message }) => message.length), failure.message.length]
    assert.deepStrictEqual(
      lengths.map((length) => length < 9000),
      [true, true, true]
    )
  })
)
