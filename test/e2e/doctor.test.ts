/** `heddle doctor`: every check finds what is wrong, names the line that fixes it, and shows no secret. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { canHold, canLock } from "../support/sandbox/Confined.ts"
import { makeHome, type RunOptions } from "./command.ts"

let home = makeHome()
beforeEach(() => {
  home.remove()
  home = makeHome()
})
afterEach(() => home.remove())

interface Check {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly fix?: string
}

const examine = async (args: ReadonlyArray<string> = [], options: RunOptions = {}) => {
  const { code, err, out } = await home.run(["doctor", "--json", ...args], options)
  assert.strictEqual(err, "")
  const checks: ReadonlyArray<Check> = JSON.parse(out)
  const of = (name: string) => checks.filter((check) => check.name === name)
  return { code, checks, of }
}

describe("heddle doctor", () => {
  it("looks at everything, and is content with a machine without keys", async () => {
    const { checks, code } = await examine()
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(
      checks.map(({ name }) => name),
      [
        "version",
        "heddle",
        "node",
        "git",
        "shell",
        "ripgrep",
        "terminal",
        "sandbox",
        "agent folder",
        "sessions",
        "working folder",
        "settings",
        "keys",
        "models"
      ]
    )
    const [keys] = checks.filter(({ name }) => name === "keys")
    assert.strictEqual(keys?.fix, "heddle auth set anthropic (or another provider)")
  })

  it.skipIf(process.platform !== "linux")("says by what means commands can be held, or what is missing", async () => {
    const found = (await examine()).of("sandbox")
    assert.strictEqual(found.length, 1)
    const isHeld = /^bubblewrap can hold commands and file tools, but not code of extensions, host tools/
    assert.match(found[0]?.message ?? "", canHold ? isHeld : /cannot be held/)
    const without = await examine([], { variables: { PATH: "/nowhere" } })
    const [missing] = without.of("sandbox")
    assert.strictEqual(missing?.status, "warning")
    assert.match(missing?.message ?? "", canLock ? /^landlock can hold .* processes, git,/ : /cannot be held/)
    assert.match(missing?.fix ?? "", /apt-get install bubblewrap/)
    home.write("settings.json", '{ "sandbox": "read-only" }')
    const wanted = await examine([], { variables: { PATH: "/nowhere" } })
    assert.deepStrictEqual([wanted.code, wanted.of("sandbox")[0]?.status], [1, canLock ? "warning" : "problem"])
  })

  it("for people: a line for each check in 80 columns, and a summary", async () => {
    home.write("settings.json", '{ "shellPath": "/does/not/exist" }')
    const { code, err, out } = await home.run(["doctor"])
    assert.deepStrictEqual([code, err], [1, ""])
    assert.match(out, /^problem shell +\/does\/not\/exist cannot be used/m)
    assert.match(out, /^ +fix: install bash/m)
    assert.match(out, /\n\n1 problem, \d+ warnings?\.\n$/)
    // A path is not cut in two, and a fix is a line to copy.
    const long = out.split("\n").filter((line) => line.length > 80 && !/fix: |\S{50}/.test(line))
    assert.deepStrictEqual(long, [])
  })

  it("says where keys come from and never what they are", async () => {
    const secret = "sk-very-secret-0123456789"
    home.write("auth.json", { openai: { type: "api_key", key: secret } })
    chmodSync(join(home.agentDir, "auth.json"), 0o644)
    const { code, of } = await examine([], { variables: { ANTHROPIC_API_KEY: `${secret}-too` } })
    assert.strictEqual(code, 0)
    const path = join(home.agentDir, "auth.json")
    assert.deepStrictEqual(of("keys"), [
      {
        name: "keys",
        status: "warning",
        message: `${path} can be read by others (mode 0644)`,
        fix: `chmod 600 ${path}`
      },
      { name: "keys", status: "ok", message: "anthropic (environment ANTHROPIC_API_KEY), openai (auth.json)" }
    ])
    const all = await home.run(["doctor", "--json"], { variables: { ANTHROPIC_API_KEY: `${secret}-too` } })
    assert.notInclude(all.out + all.err, "very-secret")
  })

  it("a login that has expired and a file that is broken are problems", async () => {
    home.write("auth.json", { anthropic: { type: "oauth", access: "token", expires: 1 } })
    chmodSync(join(home.agentDir, "auth.json"), 0o600)
    const expired = await examine()
    assert.strictEqual(expired.code, 1)
    assert.deepInclude(expired.of("keys")[0], { status: "problem", fix: "heddle auth set anthropic" })
    home.write("auth.json", "{ broken")
    const broken = await examine()
    assert.strictEqual(broken.code, 1)
    assert.deepInclude(broken.of("keys")[0], { status: "problem" })
  })

  it("settings and models that have no effect are named", async () => {
    home.write("settings.json", { "retry.enabledd": true, defaultModel: "no-such-model" })
    home.write("models.json", { providers: { mine: { models: [{}] } } })
    chmodSync(join(home.agentDir, "models.json"), 0o600)
    const { of } = await examine()
    const messages = of("settings").map(({ fix, message, status }) => `${status} ${fix}: ${message}`)
    assert.isTrue(messages.some((text) => /^warning heddle config: .*retry\.enabledd.*retry\.enabled/.test(text)))
    assert.isTrue(messages.some((text) => text.includes("no-such-model")))
    assert.isTrue(of("models").some(({ status }) => status === "warning"))
  })

  it("a default model without a key is a problem", async () => {
    home.write("settings.json", { defaultProvider: "anthropic" })
    const { code, of } = await examine()
    assert.strictEqual(code, 1)
    assert.match(of("models")[0]?.message ?? "", /^anthropic\/\S+ is the default, but has no key$/)
  })

  it("folders that cannot be written are problems with the line that fixes them", async () => {
    writeFileSync(join(home.folder, "file"), "")
    const { code, of } = await examine(["--session-dir", join(home.folder, "file/sessions")])
    assert.strictEqual(code, 1)
    assert.match(of("sessions")[0]?.message ?? "", /cannot be written .*: conversations are lost when heddle ends$/)
    assert.match(of("sessions")[0]?.fix ?? "", /^chmod u\+rwx '.*', or choose another folder with --session-dir$/)
  })

  it("programs that are missing are named", async () => {
    const empty = join(home.folder, "bin")
    mkdirSync(empty)
    symlinkSync("/bin/bash", join(empty, "bash"))
    const { code, of } = await examine([], { variables: { PATH: empty } })
    assert.strictEqual(code, 0)
    assert.strictEqual(of("git")[0]?.status, "warning")
    assert.strictEqual(of("node")[0]?.status, "warning")
    rmSync(join(empty, "bash"))
    const without = await examine([], { variables: { PATH: empty } })
    assert.strictEqual(without.code, 1)
    assert.strictEqual(without.of("shell")[0]?.status, "problem")
  })

  it("a folder that does not exist is refused", async () => {
    const { code, err } = await home.run(["doctor", "--cwd", "/does/not/exist"])
    assert.deepStrictEqual([code, err], [1, "Error: --cwd: no such folder: /does/not/exist\n"])
  })
})
