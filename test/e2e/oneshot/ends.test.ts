/** How a one-shot run ends before its answer: by a signal, or because nobody reads it. Nothing is left running. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Processes from "../../support/host/Processes.ts"
import { makeHome } from "../command.ts"

const home = makeHome()
afterAll(home.remove)

/** A child in the group of its shell that ignores TERM, and one in a session of its own. */
const command = (tag: string) =>
  `export HEDDLE_TEST=${tag}; (setsid sleep 30 &); bash -c "trap '' TERM; sleep 30; sleep 30"; true`

const working = (tag: string) =>
  home.script([{ steps: [{ text: "I begin." }, { toolCall: { name: "bash", arguments: { command: command(tag) } } }] }])

const start = (args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.spawn(home.command(args), { ...home.place(), stdin: "ignore", stdout: "pipe", stderr: "pipe" })
    ),
    (child) => Effect.promise(() => (child.kill("SIGKILL"), child.exited))
  )

const sessionsWith = (text: string) => {
  const folder = join(home.agentDir, "sessions")
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .filter((content) => content.includes(text))
}

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129]
] as const

describe.concurrent("a signal aborts the run, ends its processes and decides about the exit code", () => {
  it.scopedLive.each(signals.flatMap((signal) => [[...signal, "text"] as const, [...signal, "json"] as const]))(
    "%s → %i in %s mode",
    ([signal, code, mode]) =>
      Effect.gen(function* () {
        const tag = `heddle-oneshot-${crypto.randomUUID()}`
        const child = yield* start(["--mode", mode, tag, ...working(tag)])
        yield* Processes.until(
          () => Processes.holding(`HEDDLE_TEST=${tag}`).length,
          (count) => count >= 3
        )
        child.kill(signal)
        assert.strictEqual(yield* Effect.promise(() => child.exited), code)
        assert.deepStrictEqual(Processes.holding(`HEDDLE_TEST=${tag}`), [])
        const [out, err] = yield* Effect.promise(() => Promise.all([child.stdout.text(), child.stderr.text()]))
        assert.strictEqual(err, "")
        const types =
          mode === "json"
            ? out
                .trim()
                .split("\n")
                .map((line) => JSON.parse(line).type)
            : [out]
        assert.strictEqual(types.at(-1), mode === "json" ? "session_settled" : "")
        assert.lengthOf(sessionsWith(tag), 1)
      })
  )
})

describe("a signal while heddle waits for stdin", () => {
  it.scopedLive("ends it as well", () =>
    Effect.gen(function* () {
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.spawn(home.command(["-p", "--verbose", ...home.script([])]), {
            ...home.place(),
            stdin: "pipe",
            stdout: "pipe",
            stderr: "pipe"
          })
        ),
        (child) => Effect.promise(() => (child.kill("SIGKILL"), child.exited))
      )
      // The lowest signal numbers are caught when the process listens; /proc says so.
      yield* Processes.until(
        () => readFileSync(`/proc/${child.pid}/status`, "utf8").match(/^SigCgt:\s*(\w+)/m)?.[1] ?? "0",
        (caught) => (Number.parseInt(caught.slice(-4), 16) & 0x4000) !== 0
      )
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => child.exited), 143)
    })
  )
})

describe("nobody reads stdout", () => {
  const piped = (args: ReadonlyArray<string>, reader: string) => {
    const line = `"$@" | ${reader}; echo "code \${PIPESTATUS[0]}"`
    const child = Bun.spawn(["bash", "-c", line, "bash", ...home.command(args)], {
      ...home.place(),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe"
    })
    return Promise.all([child.stdout.text(), child.stderr.text()])
  }
  const closed = "Error: stdout was closed before all of the answer was written\n"

  it("a reader that leaves early aborts the run of JSON mode", async () => {
    const endless = home.script([{ steps: [{ text: "word ", repeat: 100_000, delayMs: 1 }] }])
    const [out, err] = await piped(["--mode", "json", "go", ...endless], "head -n 1 | cut -c 1-17")
    assert.deepStrictEqual([out, err], ['{"type":"session"\ncode 1\n', closed])
  })

  it("an answer that cannot be written is a failure, and the session has it", async () => {
    const tag = crypto.randomUUID()
    const [out, err] = await piped([tag, ...home.script([{ steps: [{ text: "Unread." }] }])], "true")
    assert.deepStrictEqual([out, err], ["code 1\n", closed])
    assert.include(sessionsWith(tag).join(), "Unread.")
  })

  it("of the commands that print is no failure", async () => {
    const [out, err] = await piped(["--help"], "true")
    assert.deepStrictEqual([out, err], ["code 0\n", ""])
  })
})
