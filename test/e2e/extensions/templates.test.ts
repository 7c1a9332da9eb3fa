/**
 * An extension that registers templates as commands of its own: its model answers, and the one before it comes back. What it adds
 * to the conversation can name the models of earlier answers, also after a restart.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../support/extensions/Pipes.ts"
import * as HostProcess from "../../support/host/HostProcess.ts"

const { answer, type } = HostProcess

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-templates-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const extension = `
  import { appendFileSync } from "node:fs"
  export default (pi) => {
    let started = () => {}
    pi.on("agent_start", () => started())
    pi.on("session_start", () =>
      pi.registerCommand("fix", {
        description: "with its own model",
        handler: async (args, ctx) => {
          const before = ctx.model
          await pi.setModel(ctx.modelRegistry.find("offline", "guide"))
          const begun = new Promise((resolve) => (started = resolve))
          pi.sendUserMessage("help " + args)
          await begun
          await ctx.waitForIdle()
          await pi.setModel(before)
        }
      })
    )
    pi.on("context", ({ messages }) => {
      const models = messages.filter(({ role }) => role === "assistant").map(({ model }) => model)
      const text = "Answered before: " + models.join(", ")
      appendFileSync(process.env.SEEN, text + "\\n")
      return { messages: [{ role: "user", content: [{ type: "text", text }], timestamp: 0 }, ...messages] }
    })
  }
`
const template = "---\ndescription: ours\nmodel: offline/guide\n---\nFix $1.\n"

const start = (home: string, ...args: ReadonlyArray<string>) => {
  const path = (name: string) => join(home, name)
  writeFileSync(path("extension.ts"), extension)
  writeFileSync(path("fix.md"), template)
  writeFileSync(path("scenario.json"), JSON.stringify({ atEnd: "repeat", turns: [{ steps: [{ text: "So be it." }] }] }))
  const model = ["--model", "offline/script", "--set", `offline.scenario=${path("scenario.json")}`]
  const loaded = ["-e", path("extension.ts"), "--prompt-template", path("fix.md")]
  return HostProcess.open({ home, env: { SEEN: path("seen") }, args: [...model, ...loaded, ...args] })
}

const models = (host: HostProcess.HostProcess) =>
  host
    .frames()
    .filter((frame) => frame["type"] === "message_end" && at(frame, "message", "role") === "assistant")
    .map((frame) => at(frame, "message", "model"))

it.scopedLive("the extension's command wins over our template, and its model is there for its run only", () =>
  Effect.gen(function* () {
    const home = yield* folder
    const host = yield* start(home)
    yield* Effect.promise(async () => {
      host.send({ id: "p", type: "prompt", message: "Hello" })
      await host.until(type("session_settled"))
      host.send({ id: "c", type: "get_commands" })
      const { data } = await host.until(answer("c"))
      const commands = at(data, "commands")
      const named = Array.isArray(commands) ? commands.map((one) => [at(one, "name"), at(one, "source")]) : commands
      assert.deepStrictEqual(named, [["fix", "extension"]])
      host.send({ id: "f", type: "prompt", message: "/fix now" })
      await host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === "f")
      const answered = models(host)
      assert.strictEqual(answered[0], "script")
      assert.deepStrictEqual([...new Set(answered.slice(1))], ["guide"])
      host.send({ id: "s", type: "get_state" })
      assert.strictEqual(at((await host.until(answer("s"))).data, "model", "id"), "script")
      host.closeInput()
      await host.exited
    })
    const again = yield* start(home, "--continue")
    yield* Effect.promise(async () => {
      again.send({ id: "p", type: "prompt", message: "Again" })
      await again.until(type("session_settled"))
    })
    const seen = readFileSync(join(home, "seen"), "utf8").trimEnd().split("\n")
    assert.deepStrictEqual(seen.slice(0, 2), ["Answered before: ", "Answered before: script"])
    assert.match(seen.at(-1) ?? "", /^Answered before: script(, guide)+$/)
  })
)
