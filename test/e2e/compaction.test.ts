/** Compaction in the real command over real pipes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { answer, type Frame, type HostProcess, open, type } from "../support/host/HostProcess.ts"

const says = (text: string, input = 100) => ({ steps: [{ text }], usage: { input, output: 5 } })
const lists = (input: number) => ({
  steps: [{ toolCall: { name: "ls", arguments: { path: "docs" } } }],
  usage: { input, output: 5 }
})
const refuses = { steps: [{ fail: { reason: "context_overflow", message: "prompt is too long" } }] }
const hangs = { steps: [{ hang: true }] }
const story = "A long story about a loom, told at length and with many details."

const start = (turns: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-compaction-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const scenario = join(folder, "scenario.json")
    writeFileSync(scenario, JSON.stringify({ turns }))
    return yield* open({ args: ["--model", "offline/script", "--set", `offline.scenario=${scenario}`] })
  })

const ask = (host: HostProcess, id: string, message: string) => {
  host.send({ id, type: "prompt", message })
  return Effect.promise(() => host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === id))
}

const until = (host: HostProcess, fits: (frame: Frame) => boolean) => Effect.promise(() => host.until(fits))

const compactions = (host: HostProcess) =>
  host
    .frames()
    .map((frame) => `${frame["type"]}`)
    .filter((name) => name.includes("compaction"))

it.scopedLive("a run goes on through a threshold and an overflow, and the model is shown the summary", () =>
  Effect.gen(function* () {
    const summaries = [says("## Goal\nLooms."), says("## Original Request\nList."), says("I listed files.")]
    const turns = [says(story), lists(180_000), ...summaries, says("Done.", 900), refuses, ...summaries, says("Fits.")]
    const host = yield* start(turns)
    yield* ask(host, "1", "Tell me a story")
    const second = yield* ask(host, "2", "List the folder docs, please")
    assert.strictEqual(second["status"], "completed")
    const pair = ["auto_compaction_start", "compaction_start", "compaction_end", "auto_compaction_end"]
    assert.deepStrictEqual(compactions(host), pair)
    assert.strictEqual((yield* ask(host, "3", "Once more"))["status"], "completed")
    assert.deepStrictEqual(compactions(host), [...pair, ...pair])
    const ends = host.frames().filter(type("compaction_end"))
    assert.deepStrictEqual(
      ends.map(({ reason, willRetry }) => [reason, willRetry]),
      [
        ["threshold", false],
        ["overflow", true]
      ]
    )
    host.send({ id: "m", type: "get_messages" }, { id: "s", type: "get_state" })
    assert.include(JSON.stringify(yield* until(host, answer("m"))), '"role":"compactionSummary"')
    assert.include(JSON.stringify(yield* until(host, answer("s"))), '"isCompacting":false,"autoCompactionEnabled":true')
    host.closeInput()
    assert.strictEqual((yield* Effect.promise(() => host.exited)).code, 0)
  })
)

it.scopedLive("the process ends in time while a summary is being written", () =>
  Effect.gen(function* () {
    for (const [how, code] of [
      ["SIGTERM", 143],
      ["EOF", 0]
    ] as const) {
      const host = yield* start([says(story), lists(180_000), hangs, hangs])
      yield* ask(host, "1", "Tell me a story")
      host.send({ id: "2", type: "prompt", message: "List the folder docs, please" })
      yield* until(host, type("compaction_start"))
      if (how === "EOF") host.closeInput()
      else host.child.kill(how)
      assert.strictEqual((yield* Effect.promise(() => host.exited)).code, code)
      const end = host.frames().find(type("compaction_end"))
      assert.strictEqual(end?.["aborted"], true, how)
      assert.strictEqual(host.frames().at(-1)?.["type"], "session_settled", how)
    }
  })
)
