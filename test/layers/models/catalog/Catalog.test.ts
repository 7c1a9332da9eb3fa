import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Catalog } from "../../../../src/layers/models/catalog/Catalog.ts"
import { unknownModel } from "../../../../src/layers/models/catalog/CatalogMerge.ts"
import { bench, catalog, environment, folder, withLog, write } from "../support.ts"

/** Writes the files, then reads them as the process would. */
const load = (files: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    for (const [name, content] of Object.entries(files)) yield* write(`${agentDir}/${name}`, content)
    const { log, value } = yield* withLog(
      Effect.gen(function* () {
        const { find, models } = yield* Catalog
        return { mock: find("mock", "mock-model"), count: (yield* models).length }
      }).pipe(Effect.provide(catalog(agentDir)))
    )
    return { ...value, log: log.map((line) => line.replaceAll(agentDir, "DIR")) }
  }).pipe(environment({}))

describe("the models file", () => {
  it.scoped("may be absent", () =>
    Effect.gen(function* () {
      const { count, log, mock } = yield* load({})
      assert.deepStrictEqual([log, mock === undefined, count > 25], [[], true, true])
    })
  )

  it.scoped.each([
    ["models.json", bench],
    ["models.jsonc", `// mine\n${JSON.stringify(bench).slice(0, -1)}, /* the end */ }`],
    ["models.yml", bench],
    [
      "models.yml",
      "# mine\nproviders:\n  mock:\n    baseUrl: http://127.0.0.1:1/v1\n    api: openai-completions\n    models:\n      - id: mock-model\n"
    ],
    [
      "models.yaml",
      "providers: { mock: { baseUrl: 'http://127.0.0.1:1', api: openai-completions, models: [{ id: mock-model }] } }"
    ],
    ["models.json", `// comments are fine here, too\n${JSON.stringify(bench)}`]
  ] as const)("may be %s", ([name, content]) =>
    Effect.gen(function* () {
      const { log, mock } = yield* load({ [name]: content })
      assert.deepStrictEqual([log, mock !== undefined], [[], true])
    })
  )

  it.scoped("that wins is the one without the c", () =>
    Effect.gen(function* () {
      const { mock } = yield* load({ "models.json": { providers: {} }, "models.jsonc": bench })
      assert.isTrue(mock === undefined)
    })
  )

  it.scoped("that wins is JSON", () =>
    Effect.gen(function* () {
      const { log, mock } = yield* load({ "models.jsonc": bench, "models.yml": "providers: [", "models.yaml": "a: *a" })
      assert.deepStrictEqual([log, mock !== undefined], [[], true])
    })
  )

  it.scoped.each([
    "providers: sk-secret: [",
    "providers: &a { x: *a }",
    "a: &a [x, x, x, x, x, x, x, x, x, x]\n" +
      [..."bcdefghij"].map((n, i) => `${n}: &${n} [${Array(10).fill(`*${"abcdefghij"[i]}`).join(", ")}]\n`).join("")
  ])("that is no YAML, or without an end, is reported without a word of it: %j", (text) =>
    Effect.gen(function* () {
      const { count, log } = yield* load({ "models.yml": text })
      assert.deepStrictEqual(log, ["ignored in the models file: DIR/models.yml: is not valid YAML"])
      assert.isTrue(count > 25)
    })
  )

  it.scoped("that is too large is not read", () =>
    Effect.gen(function* () {
      const { log } = yield* load({ "models.yaml": `# ${"x".repeat(2 ** 20)}` })
      assert.deepStrictEqual(log, ["ignored in the models file: DIR/models.yaml: is larger than 1024 KiB"])
    })
  )

  it.scoped("that is no JSON is reported without a word of it, and the built-in models stay", () =>
    Effect.gen(function* () {
      const { count, log } = yield* load({ "models.json": '{ "providers": sk-secret }' })
      assert.deepStrictEqual(log, ["ignored in the models file: DIR/models.json: is not valid JSON"])
      assert.isTrue(count > 25)
    })
  )

  it.scoped("with a typo is reported by file, path and reason while the rest counts", () =>
    Effect.gen(function* () {
      const { log, mock } = yield* load({
        "models.json": { providers: { ...bench.providers, x: { baseURL: "http://x" } } }
      })
      assert.isTrue(mock !== undefined)
      assert.deepStrictEqual(log, [
        "ignored in the models file: DIR/models.json: providers.x.baseURL: unknown key, ignored; did you mean baseUrl?"
      ])
    })
  )
})

it.scoped("the environment overrides built-in addresses", () =>
  Effect.gen(function* () {
    const { providers } = yield* Effect.provide(Catalog, catalog(yield* folder))
    const address = (id: string) => providers.get(id)?.baseUrl
    assert.deepStrictEqual(["anthropic", "openai", "azure-openai"].map(address), [
      "http://a",
      "http://o/v1",
      "http://z"
    ])
  }).pipe(
    environment({ ANTHROPIC_BASE_URL: "http://a", OPENAI_BASE_URL: "http://o/v1", AZURE_OPENAI_BASE_URL: "http://z" })
  )
)

it.scoped("models that are found later join once and replace nothing", () =>
  Effect.gen(function* () {
    const { add, find, models, providers } = yield* Effect.provide(Catalog, catalog(yield* folder))
    const anthropic = providers.get("anthropic")
    assert(anthropic !== undefined)
    const before = yield* models
    const found = ["claude-next", "claude-next", "claude-opus-5-5"].map((id) => unknownModel(anthropic, id))
    for (const entry of found) yield* add([entry])
    assert.deepStrictEqual((yield* models).slice(before.length), found.slice(0, 1))
    assert.strictEqual(find("anthropic", "claude-opus-5-5")?.model.name, "Claude Opus 5.5")
  }).pipe(environment({}))
)

it.scoped("of two models with the same name the first counts, and one that joined is found", () =>
  Effect.gen(function* () {
    const { add, find, providers } = yield* Effect.provide(Catalog, catalog(yield* folder))
    const [anthropic, openai] = [providers.get("anthropic"), providers.get("openai")]
    assert(anthropic !== undefined && openai !== undefined)
    const known = find("anthropic", "claude-opus-5-5")
    const joining = ["next", "next", "claude-opus-5-5"].map((id) => unknownModel(anthropic, id))
    assert.isUndefined(find("anthropic", "next"))
    yield* add([...joining, unknownModel(openai, "other")])
    assert.strictEqual(find("anthropic", "next"), joining[0])
    assert.strictEqual(find("anthropic", "claude-opus-5-5"), known)
    assert.strictEqual(find("openai", "other")?.model.provider, "openai")
    assert.deepStrictEqual([find("openai", "next"), find("nobody", "next")], [undefined, undefined])
  }).pipe(environment({}))
)
