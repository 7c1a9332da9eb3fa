/**
 * Hostile model servers against the real process, over pipes: whatever a server sends, the prompt ends once, the memory
 * stays bounded, nothing reaches another origin, and the next prompt works.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"
import { attack, faults, type ProviderId, residentMb } from "../support/hostile/Attack.ts"
import { cases } from "../support/hostile/HostileCases.ts"
import * as HostileProvider from "../support/hostile/HostileProvider.ts"

const mostOverIdleMb = 300

const agentDir = (modelsFile: object) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "heddle-hostile-"))
      writeFileSync(join(folder, "models.json"), JSON.stringify(modelsFile))
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const open = (folder: string, provider: string, ...settings: ReadonlyArray<string>) =>
  HostProcess.open({
    env: { HEDDLE_AGENT_DIR: folder },
    args: [
      "--no-session",
      "--provider",
      provider,
      "--model",
      "good",
      ...["retry.enabled=false", ...settings].flatMap((setting) => ["--set", setting])
    ]
  })

describe("whatever a model server does, the prompt ends once and the next one works", () => {
  it.scoped.each<ProviderId>(["hostile-anthropic", "hostile-openai"])(
    "%s",
    (provider) =>
      Effect.gen(function* () {
        const server = yield* HostileProvider.make({ bytes: 2_000_000 })
        const folder = yield* agentDir(server.modelsFile)
        const host = yield* open(folder, provider, "providers.maxAnswerBytes=131072")
        yield* Effect.promise(() => host.until(HostProcess.type("ready")))
        const mostMb = residentMb(host) + mostOverIdleMb
        const found: Array<string> = []
        for (const one of cases) {
          const outcome = yield* Effect.promise(() => attack(host, provider, one))
          found.push(...faults(one, outcome, mostMb).map((fault) => `${one.name}: ${fault}`))
        }
        assert.deepStrictEqual(found, [])
        assert.deepStrictEqual(server.trapped, [])
        assert.notInclude(host.lines.join("\n"), HostileProvider.key)
      }),
    60_000
  )
})

const messageOf = (frame: HostProcess.Frame): string => {
  const { error } = frame
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : ""
}

const promptTo = Effect.fnUntraced(function* (host: HostProcess.HostProcess, modelId: string) {
  host.send(
    { type: "set_model", id: "m", provider: "hostile-openai", modelId },
    { type: "prompt", id: modelId, message: "Go on." }
  )
  const isResult = (frame: HostProcess.Frame) => frame["type"] === "prompt_result" && frame["id"] === modelId
  return yield* Effect.promise(() => host.until(isResult))
})

it.scoped("an answer that is too large is not tried again, and the error names limit and setting", () =>
  Effect.gen(function* () {
    const server = yield* HostileProvider.make({ bytes: 2_000_000 })
    const folder = yield* agentDir(server.modelsFile)
    const host = yield* open(folder, "hostile-openai", "retry.enabled=true", "providers.maxAnswerBytes=65536")
    const result = yield* promptTo(host, "gzip-bomb")
    assert.strictEqual(
      messageOf(result),
      "hostile-openai sent more than 65536 bytes in one answer, so heddle stopped reading. The setting providers.maxAnswerBytes allows more."
    )
    assert.nestedPropertyVal(result, "error.retryable", false)
    assert.lengthOf(server.received("gzip-bomb"), 1)
  })
)

it.scoped("a redirect to another origin is refused, is not tried again, and the error names both", () =>
  Effect.gen(function* () {
    const server = yield* HostileProvider.make({ bytes: 1000 })
    const folder = yield* agentDir(server.modelsFile)
    const host = yield* open(folder, "hostile-openai", "retry.enabled=true")
    const result = yield* promptTo(host, "redirect-307")
    const message = messageOf(result)
    assert.include(message, server.origin)
    assert.include(message, server.trapOrigin)
    assert.match(message, /redirects to another origin/)
    assert.nestedPropertyVal(result, "error.retryable", false)
    assert.lengthOf(server.received("redirect-307"), 1)
    assert.deepStrictEqual(server.trapped, [])
  })
)

describe("a server whose models are asked for", () => {
  it.scoped.each([
    ["redirect-308", /no models from lab: .*redirects to another origin, http:\/\/127/],
    ["redirect-302", /no models from lab: .*redirects to another origin, http:\/\/127/],
    ["gzip-bomb", /no models from lab: .*answered with more than 8 MB/],
    ["huge-json", /no models from lab: .*answered with more than 8 MB/],
    ["zstd-bomb-error", /no models from lab: .*answered with status 500/]
  ] as const)("%s", ([name, warning]) =>
    Effect.gen(function* () {
      const server = yield* HostileProvider.make({ bytes: 40_000_000 })
      const lab = { baseUrl: `${server.origin}/${name}`, api: "openai-completions", apiKey: HostileProvider.key }
      const good = { ...lab, baseUrl: `${server.origin}/good`, models: [{ id: "good" }] }
      const folder = yield* agentDir({ providers: { lab, good } })
      const host = yield* open(folder, "good", 'models.discover=["lab"]')
      yield* Effect.promise(() => host.until(HostProcess.type("ready")))
      const before = residentMb(host)
      yield* Effect.promise(() => host.untilStderr(warning))
      assert.isAtMost(residentMb(host), before + mostOverIdleMb)
      assert.deepStrictEqual(server.trapped, [])
    })
  )
})
