/** `heddle auth` and keys as hosts and people meet them. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { forPeople, makeHome } from "./command.ts"

let home = makeHome()
beforeEach(() => {
  home = makeHome()
})
afterEach(() => home.remove())

const authFile = () => join(home.agentDir, "auth.json")
const stored = (): unknown => JSON.parse(readFileSync(authFile(), "utf8"))

describe("heddle auth", () => {
  it("stores a key from stdin, lists where keys come from, and removes it", async () => {
    const set = await home.run(["auth", "set", "anthropic"], { input: "sk-secret\n" })
    assert.deepStrictEqual([set.code, set.err], [0, ""])
    assert.match(set.out, /^Stored the key of anthropic in .*auth\.json\n$/)
    assert.deepStrictEqual(stored(), { anthropic: { type: "api_key", key: "sk-secret" } })
    assert.strictEqual(statSync(authFile()).mode & 0o777, 0o600)
    assert.deepStrictEqual(readdirSync(home.agentDir), ["auth.json"])

    home.write("models.json", { providers: { lab: { baseUrl: "http://x", apiKey: "!echo sk-secret" } } })
    const variables = { OPENAI_API_KEY: "sk-secret", ANTHROPIC_API_KEY: "sk-secret" }
    const list = await home.run(["auth", "list"], { variables })
    assert.deepStrictEqual(list, {
      code: 0,
      err: "",
      out: "PROVIDER   KEY FROM\nanthropic  auth.json\nopenai     environment OPENAI_API_KEY\nlab        models.json\n"
    })

    const remove = await home.run(["auth", "remove", "anthropic"], { variables })
    assert.match(
      remove.out,
      /^Removed the key of anthropic .*\nIt still has one from: environment ANTHROPIC_API_KEY\n$/
    )
    assert.deepStrictEqual(stored(), {})
    assert.notInclude([set, list, remove].map(({ err, out }) => err + out).join(), "sk-secret")
  })

  it.each([
    [
      ["auth", "set", "anthropic", "sk-secret"],
      "",
      /A key is read from stdin or asked for, never from the command line/
    ],
    [["auth", "set"], "sk-secret", /expected: heddle auth set <provider>/],
    [["auth", "set", "nobody"], "sk-secret", /^Error: Unknown provider: nobody\. Known providers: anthropic, /],
    [["auth", "set", "anthropic"], "", /no key was given: pipe it into stdin/],
    [["auth", "set", "anthropic"], "sk-secret\nand more", /a key is one word/],
    [["auth", "remove", "anthropic"], "", /DIR\/auth\.json has no key of anthropic/]
  ])("%j with %j is refused, and no key is repeated", async (args, input, message) => {
    const result = await home.run(args, { input })
    assert.deepStrictEqual([result.code, result.out], [1, ""])
    assert.match(forPeople(result), message)
    assert.notMatch(result.err, /sk-secret|\n\s+at /)
    assert.deepStrictEqual(readdirSync(home.agentDir), [])
  })

  it("never replaces an auth.json that it cannot read", async () => {
    home.write("auth.json", "{ sk-secret")
    const result = await home.run(["auth", "set", "openai"], { input: "sk-other" })
    assert.strictEqual(result.code, 1)
    assert.strictEqual(forPeople(result), "Error: DIR/auth.json: is not a JSON object of keys by provider")
    assert.strictEqual(readFileSync(authFile(), "utf8"), "{ sk-secret")
  })

  it("changes the file that a linked auth.json leads to, for its owner alone, and leaves the link", async () => {
    const target = join(home.agentDir, "elsewhere.json")
    writeFileSync(target, "{}", { mode: 0o644 })
    symlinkSync("elsewhere.json", authFile())
    assert.strictEqual((await home.run(["auth", "set", "openai"], { input: "sk-secret" })).code, 0)
    assert.deepStrictEqual(JSON.parse(readFileSync(target, "utf8")), { openai: { type: "api_key", key: "sk-secret" } })
    assert.strictEqual(statSync(target).mode & 0o777, 0o600)
    assert.strictEqual(readlinkSync(authFile()), "elsewhere.json")
  })

  it("says what to do when there is no key at all", async () => {
    const { code, out } = await home.run(["auth", "list"])
    assert.deepStrictEqual(
      [code, out],
      [0, "No keys found. Set ANTHROPIC_API_KEY, or run: heddle auth set anthropic (or another provider)\n"]
    )
  })
})

const rpc = async (
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>>,
  ...frames: ReadonlyArray<object>
) => {
  const input = frames.map((frame) => `${JSON.stringify(frame)}\n`).join("")
  const result = await home.run(["--mode", "rpc", "--drain", ...args], { input, variables })
  const lines = result.out
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line))
  return { ...result, responses: lines.filter(({ type }) => type === "response"), lines }
}

describe("a session", () => {
  it("names the variable to set when a model has no key", async () => {
    const { err, responses } = await rpc(
      ["--model", "claude-opus-5-5"],
      {},
      { id: 1, type: "prompt", message: "hi" },
      { id: 2, type: "set_model", provider: "openai", modelId: "gpt-6-luna" }
    )
    assert.deepStrictEqual(
      responses.map(({ error }) => error),
      [
        "No API key found for anthropic. Set ANTHROPIC_API_KEY, or run: heddle auth set anthropic",
        "No API key for openai/gpt-6-luna. Set OPENAI_API_KEY, or run: heddle auth set openai"
      ]
    )
    assert.strictEqual(err, "")
  })

  const projectWithKeys = () => {
    const project = join(home.agentDir, "project")
    mkdirSync(project)
    const env = "OPENAI_API_KEY=sk-secret\nANTHROPIC_API_KEY='sk-secret'\nANTHROPIC_BASE_URL=http://elsewhere\n"
    writeFileSync(join(project, ".env"), env)
    return project
  }

  it("finds no keys in the `.env` of a folder that is not trusted, and says so once", async () => {
    const { err, lines, out, responses } = await rpc(
      ["--cwd", projectWithKeys()],
      {},
      { id: 1, type: "get_available_models" }
    )
    assert.notMatch(JSON.stringify(responses), /"provider":"(openai|anthropic)"/)
    assert.notMatch(out + err, /sk-secret|elsewhere/)
    assert.deepStrictEqual(
      lines.flatMap(({ message, source, type }) => (type === "notice" ? [[source, message]] : [])),
      [
        [
          "trust",
          "This project is not trusted, so these were left out: ANTHROPIC_API_KEY in .env, OPENAI_API_KEY in .env. " +
            "To allow them, start heddle with --approve, or put the settings into your own settings.json."
        ]
      ]
    )
  })

  it("finds keys in the `.env` of a trusted folder, takes nothing else from it, and hands nothing on", async () => {
    const { err, out, responses } = await rpc(
      ["--cwd", projectWithKeys(), "--approve"],
      {},
      { id: 1, type: "get_available_models" },
      { id: 2, type: "bash", command: "env" }
    )
    assert.include(JSON.stringify(responses), '"provider":"openai"')
    assert.include(JSON.stringify(responses), '"provider":"anthropic"')
    assert.include(JSON.stringify(responses), "PATH=")
    assert.notMatch(out + err, /sk-secret|elsewhere/)
  })

  it("takes --api-key for the provider of the chosen model, and shows it nowhere", async () => {
    const available = { id: 1, type: "get_available_models" }
    const { err, out, responses } = await rpc(["--model", "gpt-6-luna", "--api-key", "sk-secret"], {}, available)
    assert.include(JSON.stringify(responses), '"provider":"openai"')
    assert.notInclude(JSON.stringify(responses), '"provider":"anthropic"')
    assert.notInclude(out + err, "sk-secret")
  })

  it("does not know whose key --api-key is without a model", async () => {
    const result = await home.run(["--mode", "rpc", "--api-key", "sk-secret"])
    assert.deepStrictEqual([result.code, result.out], [1, ""])
    assert.strictEqual(forPeople(result), "Error: --api-key needs --model or --provider, to say whose key it is")
  })
})
