import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import { entry } from "../support/host/HostProcess.ts"

const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [entry, ...args], { input: "", encoding: "utf8" })
  const json = stderr.split("\n").find((line) => line.startsWith("{"))
  return { status, stdout, stderr, error: json === undefined ? undefined : JSON.parse(json).error }
}

const noMessage =
  'there is no message: stdin is empty, and the command line has none. Give one: heddle "what is in this folder?"'

const nearCommand = (word: string, meant: string) =>
  `${word} is not a command. Did you mean heddle ${meant}? To send it as a message: heddle -p ${word}`

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
    [["--mode", "bad"], "INVALID_ARG", '--mode must be one of text, json, rpc, rpc-ui; got "bad"'],
    [["--mode=json"], "INVALID_ARG", noMessage],
    [
      ["--mode", "json", "@nope.txt"],
      "INVALID_ARG",
      "@nope.txt: there is no such file. A message that begins with @ goes behind --"
    ],
    [
      ["--mode", "rpc", "--output-schema", "{}"],
      "INVALID_ARG",
      "--output-schema is for text and JSON mode, not for RPC mode"
    ],
    [["--mode", "rpc", "--nope"], "INVALID_ARG", "unknown option, or an option without its value: --nope (see --help)"],
    [
      ["--mode", "rpc", "--model"],
      "INVALID_ARG",
      "unknown option, or an option without its value: --model (see --help)"
    ],
    [["--mode", "rpc", "--model", "a", "--model", "b"], "INVALID_ARG", "--model is given twice"],
    [["--mode", "rpc", "--model=a", "--model=b"], "INVALID_ARG", "--model is given twice"],
    [["--mode", "rpc", "@notes.txt"], "INVALID_ARG", "@file arguments are not supported in RPC mode"],
    [["--mode", "rpc", "hello"], "INVALID_ARG", "messages on the command line are not supported in RPC mode: hello"],
    [["--mode", "rpc", "--cwd", "/does/not/exist"], "INVALID_ARG", "--cwd: no such folder: /does/not/exist"],
    [["--mode", "rpc", "--set", "novalue"], "INVALID_ARG", '--set expects <key>=<value>, got "novalue"'],
    [
      ["--mode", "rpc", "--tools", "rm"],
      "INVALID_ARG",
      "--tools: unknown tool: rm (there are read, bash, edit, write, grep, find, ls, todo_write, ask, task)"
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

  const mistakes: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [[], noMessage],
    [["--verbose"], noMessage],
    [["--print"], noMessage],
    [["--mode", "text"], noMessage],
    [
      ["@notes.txt", "--model", "luna"],
      "@notes.txt: there is no such file. A message that begins with @ goes behind --"
    ],
    [["fix", "--nope"], "unknown option, or an option without its value: --nope (see --help)"],
    [["-r"], "--resume needs the number of a session, or the beginning of its id: `heddle sessions` lists them"],
    [["fix", "--json"], "--json belongs to --list-models, config, sessions and doctor"],
    [
      ["help", "me"],
      'there is no command "me"; there are auth, config, sessions, doctor, completions, help. To ask the model, quote the message: heddle "help …"'
    ],
    [["doctr"], nearCommand("doctr", "doctor")],
    [["session", "--verbose"], nearCommand("session", "sessions")],
    [["conf"], nearCommand("conf", "config")],
    [["auht"], nearCommand("auht", "auth")],
    [["auth", "reset"], "expected: heddle auth set|list|remove (see heddle help auth)"],
    [["auth", "list", "openai"], "expected: heddle auth set|list|remove (see heddle help auth)"],
    [["auth", "list", "--model", "x"], "heddle auth does not take --model (see heddle help auth)"],
    [["doctor", "now"], 'heddle doctor takes no words; got "now" too'],
    [["sessions", "--model", "x"], "heddle sessions does not take --model (see heddle help sessions)"],
    [["completions"], "heddle completions needs the name of a shell: bash, zsh, fish"],
    [["completions", "tcsh"], "heddle completions needs the name of a shell: bash, zsh, fish"]
  ]
  for (const [args, sentence] of mistakes) {
    it(`heddle ${args.join(" ")} → exit 1, told to people in a sentence, without JSON`, () => {
      const { error, status, stderr, stdout } = run(...args)
      assert.deepStrictEqual({ status, stdout, error }, { status: 1, stdout: "", error: undefined })
      assert.strictEqual(
        stderr.split("\n").find((line) => line.startsWith("Error: ")),
        `Error: ${sentence}`
      )
    })
  }

  it("a mistake is told to people alone where no program listens", () => {
    const { error, status, stderr } = run("--list-models", "--nope")
    assert.deepStrictEqual([status, error], [1, undefined])
    assert.strictEqual(stderr, "Error: unknown option, or an option without its value: --nope (see --help)\n")
  })

  it("heddle help is --help", () => {
    assert.deepStrictEqual(run("help"), run("--help"))
  })

  it.each([["auth"], ["auth", "--help"], ["auth", "-h"], ["auth", "set", "--help"], ["help", "auth"]])(
    "heddle %s %s is plain text and offers what works",
    (...args) => {
      const { status, stderr, stdout } = run(...args)
      assert.deepStrictEqual([status, stderr], [0, ""])
      assert.include(stdout, "heddle auth set <provider>")
      assert.notInclude(stdout, "\u001b")
      assert.notMatch(stdout, /wizard|completions/)
    }
  )

  it.each([
    ["--wizard"],
    ["--completions=bash"],
    ["--log-level", "all"],
    ["auth", "--wizard"],
    ["auth", "set", "--log-level=all"]
  ])("%s %s is an unknown option, not a dialog of the parser", (...args) => {
    const { status, stderr, stdout } = run(...args)
    assert.deepStrictEqual([status, stdout], [1, ""])
    assert.match(stderr, /^Error: (?:heddle auth: an )?unknown option, (?:or )?an option without its value/m)
  })
})
