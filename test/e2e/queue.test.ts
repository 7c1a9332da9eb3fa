import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, type } = HostProcess

interface Scene {
  readonly host: HostProcess.HostProcess
  /** Ends the tool call that waits. */
  readonly release: () => void
}

const say = (text: string) => ({ steps: [{ text }] })
const hang = { steps: [{ text: "begun" }, { hang: true }] }

/** A host, and a model whose first turn calls a command that waits for `release` and then writes a file. */
const scene = (
  name: string,
  args: ReadonlyArray<string>,
  turns: ReadonlyArray<object> | "tools",
  body: (scene: Scene) => Promise<void>
) =>
  it.scopedLive(name, () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-queue-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const flag = join(folder, "go")
      const waits = { name: "bash", arguments: { command: `until [ -e ${flag} ]; do sleep 0.02; done; echo waited` } }
      const writes = { name: "write", arguments: { path: join(folder, "b.txt"), content: "b" } }
      const tools = [{ steps: [{ toolCall: waits }, { toolCall: writes }] }, say("one"), say("two")]
      const file = join(folder, "scenario.json")
      writeFileSync(file, JSON.stringify({ turns: turns === "tools" ? tools : turns }))
      const host = yield* HostProcess.open({
        args: ["--model", "offline/script", "--set", `offline.scenario=${file}`, "--rpc-updates", "delta", ...args]
      })
      yield* Effect.promise(() => body({ host, release: () => writeFileSync(flag, "") }))
    })
  )

/** What a person would see of it: user messages, results of tools, ends. */
const story = (host: HostProcess.HostProcess) =>
  host.frames().flatMap((frame) => {
    if (frame["type"] === "tool_execution_end")
      return [`${JSON.stringify(frame["result"])}`.match(/"text":"([^"]*)"/)?.[1] ?? ""]
    if (frame["type"] === "prompt_result") return [`${frame["id"]}:${frame["status"]}:${frame["agentInvoked"]}`]
    const [, user] =
      /"message":\{"role":"user","content":\[\{"type":"text","text":"([^"]*)"/.exec(JSON.stringify(frame)) ?? []
    return frame["type"] === "message_end" && user !== undefined ? [user] : []
  })

const settled = (host: HostProcess.HostProcess) => host.until(type("session_settled"))

scene(
  "steer in the middle of a tool skips what is left, follow_up comes last",
  ["--set", "interruptMode=immediate"],
  "tools",
  async ({ host, release }) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("tool_execution_start"))
    host.send({ id: "f", type: "follow_up", message: "F" }, { id: "s", type: "steer", message: "S" })
    await host.until(answer("s"))
    release()
    await settled(host)
    assert.deepStrictEqual(story(host), [
      "go",
      "waited\\n",
      "Skipped due to queued user message.",
      "S",
      "F",
      "p:completed:true"
    ])
  }
)

scene(
  "abort with a queue hands it back, and the next prompt does not see it",
  [],
  [hang, say("next")],
  async ({ host }) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("message_update"))
    host.send(
      { id: "s", type: "steer", message: "S" },
      { id: "q", type: "prompt", message: "Q", streamingBehavior: "followUp" },
      { id: "a", type: "abort" }
    )
    const aborted = await host.until(answer("a"))
    assert.deepStrictEqual(aborted["data"], { cleared: { steering: ["S"], followUp: ["Q"] } })
    host.send({ id: "n", type: "prompt", message: "next" })
    await host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === "n")
    assert.deepStrictEqual(story(host), ["go", "p:aborted:true", "q:aborted:false", "next", "n:completed:true"])
  }
)

scene("prompt, steer and abort in one write: one run, nothing lost", [], [hang, say("next")], async ({ host }) => {
  host.send(
    { id: "p", type: "prompt", message: "go" },
    { id: "s", type: "steer", message: "S" },
    { id: "a", type: "abort" }
  )
  const aborted = await host.until(answer("a"))
  assert.deepStrictEqual(aborted["data"], { cleared: { steering: ["S"], followUp: [] } })
  assert.deepStrictEqual(story(host), ["go", "p:aborted:true"])
  host.send({ id: "g", type: "get_queue" })
  assert.deepStrictEqual((await host.until(answer("g")))["data"], { revision: 2, items: [] })
})

scene(
  "an abort before the first model call does not spoil the next one",
  [],
  [say("a"), say("b")],
  async ({ host }) => {
    host.send({ id: "p", type: "prompt", message: "go" }, { id: "a", type: "abort" })
    await host.until(answer("a"))
    host.send({ id: "n", type: "prompt", message: "next" })
    await host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === "n")
    assert.deepStrictEqual(story(host), ["go", "p:aborted:true", "next", "n:completed:true"])
  }
)

for (const [how, end, code] of [
  ["EOF", (host: HostProcess.HostProcess) => host.closeInput(), 0],
  ["SIGTERM", (host: HostProcess.HostProcess) => void host.child.kill("SIGTERM"), 143]
] as const) {
  scene(
    `${how} reports on queued prompts, too, also where aborts keep the queue`,
    ["--set", "abortQueue=keep"],
    [hang],
    async ({ host }) => {
      host.send({ id: "p", type: "prompt", message: "go" })
      await host.until(type("message_update"))
      host.send({ id: "q", type: "prompt", message: "Q", streamingBehavior: "steer" })
      await host.until(answer("q"))
      end(host)
      assert.deepStrictEqual(await host.exited, { code, signal: null })
      assert.deepStrictEqual(story(host), ["go", "p:aborted:true", "q:aborted:false"])
    }
  )
}

scene(
  "with --drain what is queued is done before the process ends",
  ["--drain"],
  "tools",
  async ({ host, release }) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("tool_execution_start"))
    host.send({ id: "q", type: "prompt", message: "Q", streamingBehavior: "followUp" })
    await host.until(answer("q"))
    host.closeInput()
    release()
    assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
    assert.deepStrictEqual(story(host).slice(3), ["Q", "p:completed:true", "q:completed:true"])
  }
)
