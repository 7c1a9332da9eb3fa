/** The files of the user and of the project that the real command reads, up to the request that a model server gets. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { withFiles } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as LoopbackModel from "../support/LoopbackModel.ts"

const { answer, type } = HostProcess
const refusal = LoopbackModel.json(400, { type: "error", error: { type: "invalid_request_error", message: "no" } })

it.scoped("config.yml, models.yml and heddle.jsonc count: a level has the budget that the settings give it", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackModel.make(refusal, refusal)
    const home = yield* withFiles({})
    const agentDir = join(home, ".heddle/agent")
    mkdirSync(agentDir, { recursive: true })
    writeFileSync(
      join(agentDir, "models.yml"),
      [
        "# a proxy",
        "providers:",
        "  lab:",
        `    baseUrl: ${server.baseUrl}`,
        "    api: anthropic-messages",
        "    apiKey: k",
        "    models:",
        "      - { id: claude-sonnet-4-5, reasoning: true, maxTokens: 64000 }"
      ].join("\n")
    )
    writeFileSync(
      join(agentDir, "config.yml"),
      ["defaultProvider: lab", "defaultThinkingLevel: high", "thinkingBudgets:", "  high: 23456", "  low: 12"].join(
        "\n"
      )
    )
    const folder = yield* withFiles({
      ".heddle/heddle.jsonc": '{ "steeringMode": "all", /* not for projects */ "thinkingBudgets.high": 60000 }'
    })
    const body = (...args: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const host = yield* HostProcess.open({ home, args: ["--cwd", folder, "--no-session", ...args] })
        host.send({ id: 1, type: "get_state" }, { id: 2, type: "prompt", message: "hello" })
        const state = yield* Effect.promise(() => host.until(answer(1)))
        assert.include(JSON.stringify(state["data"]), '"steeringMode":"all"')
        const request = yield* server.requests.take
        yield* Effect.promise(() => host.until(type("agent_end")))
        return { request: JSON.stringify(request.body), stderr: host.stderr() }
      })
    const untrusted = yield* body()
    assert.include(untrusted.request, '"thinking":{"type":"enabled","budget_tokens":23456}')
    assert.include(untrusted.stderr, "so these were left out: thinkingBudgets.high.")
    assert.include(
      untrusted.stderr,
      "config.yml:5:3: thinkingBudgets.low: expected a whole number of at least 1024, got 12"
    )
    assert.include((yield* body("--approve")).request, '"thinking":{"type":"enabled","budget_tokens":60000}')
  })
)
