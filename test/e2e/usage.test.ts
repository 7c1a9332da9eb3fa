/** The real command under a limit, with providers that do not say what they use: a server without usage, and an extension that lies. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import type { Api } from "../support/hostile/Wire.ts"
import * as Usages from "../support/hostile/Usages.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as LoopbackModel from "../support/LoopbackModel.ts"

const { answer, type } = HostProcess

/** Prompts, waits for the end of the run, and returns what it came to. */
const spend = (host: HostProcess.HostProcess) =>
  Effect.promise(async () => {
    host.send({ id: "p", type: "prompt", message: "Look around, for ever" })
    const { error, status } = await host.until(type("prompt_result"))
    host.send({ id: "b", type: "get_budget" }, { id: "again", type: "prompt", message: "More" })
    const { snapshot } = Object(await host.until(answer("b")))["data"]
    const refused = await host.until(answer("again"))
    const usages = host
      .frames()
      .filter((frame) => type("message_end")(frame) && Object(frame["message"])["role"] === "assistant")
      .map((frame) => Object(frame["message"])["usage"])
    const notices = host
      .frames()
      .flatMap((frame) => (type("notice")(frame) ? [[frame["source"], frame["message"]]] : []))
    return { error, status, snapshot, refused, usages, notices }
  })

const exceeded = { code: "budget_exceeded", message: "Budget exceeded (total_tokens)", retryable: false }

const apis: ReadonlyArray<Api> = ["anthropic-messages", "openai-completions", "openai-responses"]

describe.each(apis)("a server of %s without a usage", (api) => {
  it.scopedLive("ends at a limit of some thousand tokens, also after a restart", () =>
    Effect.gen(function* () {
      const home = yield* tempFolder
      let nth = 0
      const { baseUrl } = yield* LoopbackModel.serve(() => Usages.toolAnswer(api, nth++, undefined))
      const lab = { baseUrl, api, apiKey: "sk-test", models: [{ id: "m", cost: { input: 1, output: 2 } }] }
      writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { lab } }))
      const args = ["--model", "lab/m", "--max-tokens", "8000"]
      const open = (more: ReadonlyArray<string> = []) =>
        HostProcess.open({ home, cwd: home, args: [...args, ...more], env: { HEDDLE_AGENT_DIR: home } })
      const host = yield* open()
      const { error, notices, refused, snapshot, status, usages } = yield* spend(host)
      assert.deepStrictEqual([status, error], ["error", exceeded])
      assert.include(refused, { success: false, code: "budget_exceeded" })
      assert.isBelow(nth, 10)
      assert.isTrue(usages.every(({ estimated, input, output }) => estimated === true && input > 100 && output > 0))
      assert.deepStrictEqual(notices, [])
      assert.isAbove(snapshot.costUsd, 0)
      yield* Effect.promise(async () => {
        host.closeInput()
        await host.exited
      })
      const again = yield* open(["--continue"])
      const data = yield* Effect.promise(async () => {
        again.send({ id: "b", type: "get_budget" })
        return Object(await again.until(answer("b")))["data"]
      })
      assert.deepInclude(data.snapshot, { totalTokens: snapshot.totalTokens, costUsd: snapshot.costUsd, turns: nth })
    })
  )
})

describe("an extension that provides a model", () => {
  const usages: ReadonlyArray<readonly [string, usage: string]> = [
    ["negative tokens", "{ input: -31500, output: -31500, cacheRead: 0, cacheWrite: 0 }"],
    ["NaN", "{ input: NaN, output: NaN, cacheRead: NaN, cacheWrite: NaN }"],
    ["texts", '{ input: "1", output: "1", cacheRead: "0", cacheWrite: "0" }'],
    ["1e308", "{ input: 1e308, output: 1e308, cacheRead: 1e308, cacheWrite: 1e308 }"]
  ]
  const source = (usage: string) => `
    let nth = 0
    export default (pi) =>
      pi.registerProvider("liar", {
        baseUrl: "http://127.0.0.1:9/v1",
        api: "liar-api",
        apiKey: "none",
        models: [{ id: "m", name: "M", cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } }],
        async *streamSimple(model) {
          const call = { type: "toolCall", id: "call_" + nth++, name: "ls", arguments: {} }
          const content = [{ type: "text", text: "I will look again." }, call]
          const message = { role: "assistant", content, api: model.api, provider: model.provider, model: model.id, stopReason: "toolUse", timestamp: 0, usage: ${usage} }
          yield { type: "start", partial: message }
          yield { type: "done", reason: "toolUse", message }
        }
      })
  `
  it.scopedLive.each(usages)("and reports %s ends at the limit, and is named once", ([, usage]) =>
    Effect.gen(function* () {
      const home = yield* tempFolder
      mkdirSync(join(home, "own"))
      const file = join(home, "own/liar.ts")
      writeFileSync(file, source(usage))
      const args = ["-e", file, "--model", "liar/m", "--max-tokens", "8000"]
      const host = yield* HostProcess.open({ home, cwd: home, args, env: { HEDDLE_AGENT_DIR: home } })
      const { error, notices, snapshot, status, usages } = yield* spend(host)
      assert.deepStrictEqual([status, error], ["error", exceeded])
      assert.isTrue(usages.length > 0 && usages.length < 10)
      assert.isTrue(usages.every(({ estimated, totalTokens }) => estimated === true && totalTokens > 0))
      assert.strictEqual(
        snapshot.totalTokens,
        usages.reduce((sum, { totalTokens }) => sum + totalTokens, 0)
      )
      assert.deepStrictEqual(
        notices.map(([from]) => from),
        ["usage"]
      )
      assert.match(String(notices[0]?.[1]), /^liar\/m has reported a usage that cannot be right \(/)
    })
  )
})
