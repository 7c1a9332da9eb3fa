import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted, TestClock } from "effect"
import { mkdir } from "node:fs/promises"
import * as AuthFile from "../../../../src/layers/models/keys/AuthFile.ts"
import * as KeyRing from "../../../../src/layers/models/keys/KeyRing.ts"
import { Credentials } from "../../../../src/services/model/Credentials.ts"
import { catalog, environment, folder, keys, write } from "../support.ts"

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
  /** Texts of `.env` files, best first. */
  readonly files?: ReadonlyArray<string>
}

const find = (provider: string, { auth, files = [], models, runtime, variables }: Places) =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    const envFolders = yield* Effect.forEach(files, (text) => Effect.tap(folder, (path) => write(`${path}/.env`, text)))
    const more = { envFolders, ...(runtime === undefined ? {} : { runtime }) }
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
    const source = envFolders.reduce(
      (text, path, i) => text?.replace(path, `folder ${i}`),
      Option.getOrUndefined(located)?.source
    )
    return [Option.getOrUndefined(Option.map(key, Redacted.value)), source]
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
    ["openai", { files: ["OPENAI_API_KEY=one", "OPENAI_API_KEY=two"] }, ["one", "folder 0/.env OPENAI_API_KEY"]],
    [
      "openai",
      { files: ["OTHER=1", "# two\nexport OPENAI_API_KEY='two' # mine"] },
      ["two", "folder 1/.env OPENAI_API_KEY"]
    ],
    ["openai", { files: ["OPENAI_API_KEY=", "="] }, [undefined, undefined]],
    ["anthropic", { files: ["ANTHROPIC_OAUTH_TOKEN=f"], variables }, ["token", "environment ANTHROPIC_OAUTH_TOKEN"]],
    [
      "anthropic",
      { files: ["ANTHROPIC_OAUTH_TOKEN=f"], variables: { ANTHROPIC_API_KEY: "v" } },
      ["v", "environment ANTHROPIC_API_KEY"]
    ],
    ["anthropic", { files: ["ANTHROPIC_API_KEY=f"], auth: stored }, ["stored", "auth.json"]],
    ["anthropic", { files: ["ANTHROPIC_API_KEY=f"], models: inFile }, ["f", "folder 0/.env ANTHROPIC_API_KEY"]],
    ["lab", { files: ["LAB_API_KEY=f"], models: inFile }, ["f", "models.json"]],
    [
      "anthropic",
      { auth: { anthropic: { type: "oauth", access: "token", refresh: "r", expires: 1 } } },
      ["token", "auth.json (OAuth)"]
    ],
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

it.scoped("a token that has expired is said to be, and nothing else is taken in its place", () =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    yield* write(AuthFile.pathIn(agentDir), {
      anthropic: { type: "oauth", access: "token", refresh: "r", expires: 1000 }
    })
    yield* Effect.gen(function* () {
      const credentials = yield* Credentials
      assert.isTrue(yield* credentials.has("anthropic"))
      yield* TestClock.adjust("1 second")
      const { message } = yield* Effect.flip(credentials.find("anthropic"))
      assert.strictEqual(
        message,
        "The OAuth token of anthropic in auth.json has expired. Log in again with the program that stored it, " +
          "or store an API key: heddle auth set anthropic"
      )
    }).pipe(Effect.provide(keys(agentDir)))
  }).pipe(environment(variables))
)

it.scoped("a `.env` that is no plain file is as good as none", () =>
  Effect.gen(function* () {
    const [agentDir, pipes, folders] = [yield* folder, yield* folder, yield* folder]
    yield* Effect.promise(() => Bun.spawn(["mkfifo", `${pipes}/.env`]).exited)
    yield* Effect.promise(() => mkdir(`${folders}/.env`))
    yield* Effect.gen(function* () {
      assert.isFalse(yield* Effect.flatMap(Credentials, ({ has }) => has("openai")))
    }).pipe(Effect.provide(keys(agentDir, { envFolders: [pipes, folders] })))
  }).pipe(environment({}))
)

it.scoped("the `.env` of a trusted project comes before that of the home folder, and is told from it", () =>
  Effect.gen(function* () {
    const [agentDir, project, home] = [yield* folder, yield* folder, yield* folder]
    yield* write(`${project}/.env`, "OPENAI_API_KEY=p\nGROQ_API_KEY=p\nXAI_API_KEY=p\nLAB_API_KEY=p")
    yield* write(`${home}/.env`, "OPENAI_API_KEY=h\nMISTRAL_API_KEY=h")
    yield* write(`${agentDir}/models.json`, { providers: { lab: { baseUrl: "http://x", apiKey: "LAB_API_KEY" } } })
    const seen = yield* Effect.gen(function* () {
      const { find, isOnlyFromProject = () => Effect.succeed(undefined) } = yield* Credentials
      return yield* Effect.forEach(["openai", "groq", "xai", "mistral", "lab", "google"], (id) =>
        Effect.all([Effect.map(find(id), Option.map(Redacted.value)), isOnlyFromProject(id)])
      )
    }).pipe(Effect.provide(keys(agentDir, { project, envFolders: [home] })))
    assert.deepStrictEqual(seen, [
      [Option.some("p"), false],
      [Option.some("p"), true],
      [Option.some("own"), false],
      [Option.some("h"), false],
      [Option.some("p"), true],
      [Option.none(), false]
    ])
  }).pipe(environment({ XAI_API_KEY: "own" }))
)
