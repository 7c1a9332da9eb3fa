/** One real call to each vendor whose key is in the environment; skipped, and listed as such, where there is none. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"

const vendors = [
  ["anthropic", "ANTHROPIC_API_KEY"],
  ["openai", "OPENAI_API_KEY"]
] as const

for (const [provider, variable] of vendors) {
  const key = process.env[variable] ?? ""
  it.scopedLive.skipIf(key === "")(`${provider} answers a short prompt (${variable})`, () =>
    Effect.gen(function* () {
      const host = yield* HostProcess.open({
        args: ["--provider", provider, "--no-tools", "--thinking", "off"],
        env: { [variable]: key }
      })
      host.send({ id: "p", type: "prompt", message: "Answer with the single word: loom" })
      const result = yield* Effect.promise(() => host.until(HostProcess.type("prompt_result")))
      assert.propertyVal(result, "status", "completed")
      host.send({ id: "t", type: "get_last_assistant_text" })
      const answer = yield* Effect.promise(() => host.until(HostProcess.answer("t")))
      assert.match(JSON.stringify(answer["data"]), /loom/i)
    })
  )
}
