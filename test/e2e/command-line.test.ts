import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import { entry } from "../support/host/HostProcess.ts"

const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [entry, ...args], { input: "", encoding: "utf8" })
  const json = stderr.split("\n").find((line) => line.startsWith("{"))
  return { status, stdout, stderr, error: json === undefined ? undefined : JSON.parse(json).error }
}

describe("the command line", () => {
  it("--version, alone and among others", () => {
    for (const args of [["--version"], ["-v"], ["--mode", "rpc", "--version"]]) {
      assert.deepInclude(run(...args), { status: 0, stdout: `${packageJson.version}\n` })
    }
  })

  it("--help is plain text on stdout", () => {
    const { status, stdout } = run("--help")
    assert.strictEqual(status, 0)
    assert.include(stdout, "heddle --mode rpc")
    assert.notInclude(stdout, "\u001b")
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string, string]> = [
    [[], "INVALID_ARG", "--mode text is not there yet; start with --mode rpc"],
    [["--mode", "bad"], "INVALID_ARG", '--mode must be one of text, json, rpc; got "bad"'],
    [["--mode", "rpc", "--nope"], "INVALID_ARG", "unknown option, or an option without its value: --nope (see --help)"],
    [
      ["--mode", "rpc", "--model"],
      "INVALID_ARG",
      "unknown option, or an option without its value: --model (see --help)"
    ],
    [["--mode", "rpc", "@notes.txt"], "INVALID_ARG", "@file arguments are not supported in RPC mode"],
    [["--mode", "rpc", "hello"], "INVALID_ARG", "messages on the command line are not supported in RPC mode: hello"],
    [["--mode", "rpc", "--cwd", "/does/not/exist"], "INVALID_ARG", "--cwd: no such folder: /does/not/exist"],
    [["--mode", "rpc", "--set", "novalue"], "INVALID_ARG", '--set expects <key>=<value>, got "novalue"'],
    [
      ["--mode", "rpc", "--tools", "rm"],
      "INVALID_ARG",
      "--tools: unknown tool: rm (there are read, bash, edit, write, grep, find, ls)"
    ]
  ]
  for (const [args, code, message] of wrong) {
    it(`${args.join(" ")} → exit 1, told to people and programs, nothing on stdout`, () => {
      const { error, status, stderr, stdout } = run(...args)
      assert.deepStrictEqual({ status, stdout, error }, { status: 1, stdout: "", error: { code, message } })
      assert.include(stderr, `Error: ${message}\n`)
    })
  }

  it("an unknown model names what is known", () => {
    const { error, status } = run("--mode", "rpc", "--model", "no-such-model")
    assert.strictEqual(status, 1)
    assert.strictEqual(error.code, "NO_MODEL")
    assert.match(error.message, /no-such-model/)
  })
})
