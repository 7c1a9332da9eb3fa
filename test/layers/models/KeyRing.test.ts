import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import * as AuthFile from "../../../src/layers/models/AuthFile.ts"
import * as KeyRing from "../../../src/layers/models/KeyRing.ts"
import { Credentials } from "../../../src/services/Credentials.ts"
import { catalog, environment, folder, keys, write } from "./support.ts"

const runtime = { provider: "anthropic", key: Redacted.make("typed") }
const stored = { anthropic: { type: "api_key", key: "stored" } }
const inFile = {
  providers: { anthropic: { apiKey: "configured" }, lab: { baseUrl: "http://x", apiKey: "LAB_API_KEY" } }
}
const variables = { ANTHROPIC_OAUTH_TOKEN: "token", ANTHROPIC_API_KEY: "variable" }

interface Places {
  readonly runtime?: typeof runtime
  readonly auth?: unknown
  readonly models?: unknown
  readonly variables?: Readonly<Record<string, string>>
}

const find = (provider: string, { auth, models, variables, ...more }: Places) =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    if (auth !== undefined) yield* write(AuthFile.pathIn(agentDir), auth)
    if (models !== undefined) yield* write(`${agentDir}/models.json`, models)
    const located = yield* Effect.flatMap(KeyRing.makeLocate({ agentDir, ...more }), (locate) => locate(provider)).pipe(
      Effect.provide(catalog(agentDir))
    )
    const found = yield* Effect.gen(function* () {
      const credentials = yield* Credentials
      return [yield* credentials.find(provider), yield* credentials.has(provider)] as const
    }).pipe(Effect.provide(keys(agentDir, more)))
    const [key, has] = found
    assert.strictEqual(has, Option.isSome(key))
    return [Option.getOrUndefined(Option.map(key, Redacted.value)), Option.getOrUndefined(located)?.source]
  }).pipe(environment(variables ?? {}))

describe("a key comes from", () => {
  it.scoped.each<readonly [string, Places, ReadonlyArray<string | undefined>]>([
    ["anthropic", { runtime, auth: stored, variables, models: inFile }, ["typed", "--api-key"]],
    ["anthropic", { auth: stored, variables, models: inFile }, ["stored", "auth.json"]],
    ["anthropic", { variables, models: inFile }, ["token", "environment ANTHROPIC_OAUTH_TOKEN"]],
    ["anthropic", { variables: { ANTHROPIC_API_KEY: "v" }, models: inFile }, ["v", "environment ANTHROPIC_API_KEY"]],
    ["anthropic", { models: inFile }, ["configured", "models.json"]],
    ["anthropic", { variables: { ANTHROPIC_API_KEY: "" } }, [undefined, undefined]],
    ["anthropic", {}, [undefined, undefined]],
    ["openai", { runtime, auth: stored, variables, models: inFile }, [undefined, undefined]],
    ["lab", { models: inFile }, [undefined, undefined]],
    ["lab", { models: inFile, variables: { LAB_API_KEY: "l" } }, ["l", "models.json"]],
    ["lab", { models: inFile, auth: { lab: { type: "api_key", key: "stored" } } }, ["stored", "auth.json"]],
    ["google", { variables: { GEMINI_API_KEY: "g" } }, ["g", "environment GEMINI_API_KEY"]],
    ["nobody", {}, [undefined, undefined]]
  ])("%s %j → %j", ([provider, places, expected]) =>
    Effect.map(find(provider, places), (found) => assert.deepStrictEqual(found, [...expected]))
  )
})

it.scoped("is found as soon as it is stored, and gone when it is removed", () =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    yield* Effect.gen(function* () {
      const credentials = yield* Credentials
      assert.isFalse(yield* credentials.has("openai"))
      yield* AuthFile.set(AuthFile.pathIn(agentDir), "openai", Redacted.make("k"))
      assert.isTrue(yield* credentials.has("openai"))
      yield* AuthFile.remove(AuthFile.pathIn(agentDir), "openai")
      assert.isFalse(yield* credentials.has("openai"))
    }).pipe(Effect.provide(keys(agentDir)))
  }).pipe(environment({}))
)

it.scoped("a command is not run to see whether there is a key, and its failure names the file", () =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    const apiKey = `!touch ${agentDir}/ran; echo sk-secret; exit 1`
    yield* write(`${agentDir}/models.json`, { providers: { lab: { baseUrl: "http://x", apiKey } } })
    yield* Effect.gen(function* () {
      const credentials = yield* Credentials
      assert.isTrue(yield* credentials.has("lab"))
      assert.isFalse(yield* Effect.promise(() => Bun.file(`${agentDir}/ran`).exists()))
      const { message } = yield* Effect.flip(credentials.find("lab"))
      assert.strictEqual(
        message,
        `No API key for lab: ${agentDir}/models.json: providers.lab.apiKey: the command ended with exit code 1`
      )
    }).pipe(Effect.provide(keys(agentDir)))
  }).pipe(environment({}))
)
