/** `--list-models`, and what the command line and a models.json with mistakes in it lead to. */
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { bench } from "../layers/models/support.ts"
import { forPeople, makeHome } from "./command.ts"

let home = makeHome()
beforeEach(() => {
  home = makeHome()
})
afterEach(() => home.remove())

const ids = (out: string): ReadonlyArray<unknown> => {
  const list: ReadonlyArray<{ readonly provider: string; readonly id: string; readonly available: boolean }> =
    JSON.parse(out)
  return list.map(({ available, id, provider }) => `${provider}/${id}${available ? "" : " (no key)"}`)
}

describe("--list-models", () => {
  it("prints a table of everything", async () => {
    const { code, err, out } = await home.run(["--list-models"], { variables: { OPENAI_API_KEY: "k" } })
    assert.deepStrictEqual([code, err], [0, ""])
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/\s{2,}/))
    assert.deepStrictEqual(lines[0], [
      "PROVIDER",
      "MODEL",
      "CONTEXT",
      "OUTPUT",
      "THINKING",
      "IMAGES",
      "PRICE IN / OUT",
      "USABLE"
    ])
    assert.deepStrictEqual(lines[1], [
      "anthropic",
      "claude-sonnet-5-5",
      "1M",
      "128K",
      "up to max",
      "yes",
      "$2 / $10",
      "no key"
    ])
    assert.deepInclude(lines, ["openai", "gpt-6-luna", "1.05M", "128K", "up to max", "yes", "$0.1 / $0.5", "yes"])
    assert.deepInclude(lines, ["offline", "guide", "200K", "16K", "up to high", "yes", "-", "yes"])
    assert.isTrue(lines.length > 25)
  })

  it("takes a search before or after other options, and prints JSON", async () => {
    home.write("models.json", bench)
    const expected = ["mock/mock-model"]
    assert.deepStrictEqual(ids((await home.run(["--list-models", "MOCK", "--json"])).out), expected)
    assert.deepStrictEqual(ids((await home.run(["--json", "--list-models=mock"])).out), expected)
    assert.deepStrictEqual(ids((await home.run(["--json", "--list-models", "haiku-5*"])).out), [])
    assert.deepStrictEqual(ids((await home.run(["--json", "--list-models", "claude-haiku-5*"])).out), [
      "anthropic/claude-haiku-5-5 (no key)"
    ])
  })

  const defaults = async (variables: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
    const table = (await home.run(["--list-models", ...args], { variables })).out.split("\n")
    const list: ReadonlyArray<{ readonly provider: string; readonly id: string; readonly default: boolean }> =
      JSON.parse((await home.run(["--list-models", "--json", ...args], { variables })).out)
    const marked = list.filter((model) => model.default).map(({ id, provider }) => `${provider}/${id}`)
    const rows = table.filter((line) => line.endsWith("default")).map((line) => line.split(/\s+/, 2).join("/"))
    assert.deepStrictEqual(rows, marked)
    return marked
  }

  it("marks the model that a session starts with", async () => {
    assert.deepStrictEqual(await defaults({}), ["offline/guide"])
    assert.deepStrictEqual(await defaults({ ANTHROPIC_API_KEY: "k" }), ["anthropic/claude-sonnet-5-5"])
    assert.deepStrictEqual(await defaults({ DEEPSEEK_API_KEY: "k" }), ["deepseek/deepseek-v4-pro"])
    home.write("settings.json", { defaultModel: "luna" })
    assert.deepStrictEqual(await defaults({ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }), ["openai/gpt-6-luna"])
    home.write("config.yml", "defaultProvider: ollama")
    home.write("settings.json", { defaultModel: "qwen3:8b" })
    assert.deepStrictEqual(await defaults({ ANTHROPIC_API_KEY: "k" }), ["ollama/qwen3:8b"])
  }, 30_000)

  it("says when nothing matches", async () => {
    assert.deepStrictEqual(await home.run(["--list-models", "xyzzy"]), {
      code: 0,
      out: "",
      err: 'No model matches "xyzzy".\n'
    })
  })

  it("asks the servers of models.discover", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ data: [{ id: "qwen3:8b" }] })
    })
    home.write("models.json", { providers: { ollama: { baseUrl: `http://127.0.0.1:${server.port}/v1` } } })
    home.write("settings.json", { models: { discover: ["ollama", "vllm"] } })
    const { err, out } = await home.run(["--list-models", "ollama/", "--json", "--set", 'models.discover=["ollama"]'])
    assert.deepStrictEqual([ids(out), err], [["ollama/qwen3:8b"], ""])
    assert.deepStrictEqual(ids((await home.run(["--list-models", "ollama/", "--json", "--offline"])).out), [])
    await server.stop(true)
  })

  it("belongs to --json", async () => {
    const result = await home.run(["--json"])
    assert.deepStrictEqual(
      [result.code, forPeople(result)],
      [1, "Error: --json belongs to --list-models, config, sessions and doctor"]
    )
  })
})

describe("a models.json with mistakes", () => {
  it.each([
    ["{ sk-secret", /^heddle warn: ignored in the models file: DIR\/models\.json: is not valid JSON$/],
    [{ providers: { x: { apiKey: ["sk-secret"] } } }, /DIR\/models\.json: providers\.x\.apiKey: Expected/],
    [{ providers: { x: { apikey: "sk-secret" } } }, /providers\.x\.apikey: unknown key, ignored; did you mean apiKey\?/]
  ])("%j is reported on stderr, and the rest is listed", async (content, message) => {
    home.write("models.json", content)
    const result = await home.run(["--list-models"])
    assert.strictEqual(result.code, 0)
    assert.match(result.err.trim(), message)
    assert.include(result.out, "claude-sonnet-5-5")
    assert.notMatch(result.err + result.out, /sk-secret|\n\s+at /)
  })
})

describe("a session", () => {
  const state = (args: ReadonlyArray<string>, variables: Readonly<Record<string, string>> = {}) =>
    home.run(["--mode", "rpc", ...args], { input: '{"id":1,"type":"get_state"}\n', variables })
  const model = (out: string) =>
    /"model":\{"id":"([^"]*)".*?"provider":"([^"]*)"/.exec(out)?.slice(1).toReversed().join("/")

  it("starts as the test bench starts it", async () => {
    home.write("models.json", bench)
    const { err, out } = await state(["--provider", "mock", "--model", "mock-model"])
    assert.deepStrictEqual([model(out), err], ["mock/mock-model", ""])
    assert.notInclude(out, "mock-key")
  })

  it("starts with a model of a local server that no table knows", async () => {
    assert.strictEqual(model((await state(["--model", "ollama/qwen3:8b"])).out), "ollama/qwen3:8b")
  })

  it("starts with the best model there is a key for, else offline with a hint", async () => {
    const keyed = await state([], { DEEPSEEK_API_KEY: "k" })
    assert.deepStrictEqual([model(keyed.out), keyed.err], ["deepseek/deepseek-v4-pro", ""])
    const offline = await state([])
    assert.strictEqual(model(offline.out), "offline/guide")
    assert.match(offline.err, /^heddle info: no API key found: using offline\/guide/)
  })

  it.each([
    [["--provider", "nobody"], /^Error: Unknown provider: nobody\. Known providers: /],
    [["--provider", "anthropic", "--model", "xyzzy"], /^Error: No model matches "xyzzy"\. Known models: anthropic\//],
    [["--provider", "vllm"], /^Error: No models of vllm are known\. Name one with --model/]
  ])("%j does not start", async (args, message) => {
    const result = await state(args)
    assert.deepStrictEqual([result.code, result.out], [1, ""])
    assert.match(forPeople(result), message)
    assert.match(result.err, /^\{"error":\{"code":"NO_MODEL"/m)
  })
})
