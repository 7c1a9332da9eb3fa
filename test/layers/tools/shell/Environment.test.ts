import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Environment from "../../../../src/layers/tools/shell/Environment.ts"

const none = Environment.forCommands({})()
const passed = (names: ReadonlyArray<string>) => {
  const chosen = Environment.forCommands(Object.fromEntries(names.map((name) => [name, "x"])))()
  return names.filter((name) => chosen[name] === "x")
}

it("nobody sits at a terminal", () => {
  assert.deepInclude(none, { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", EDITOR: "true", GIT_TERMINAL_PROMPT: "0" })
})

it("passes what tools need, in any case that the system uses", () => {
  const names = [
    "PATH",
    "HOME",
    "LC_ALL",
    "XDG_CACHE_HOME",
    "https_proxy",
    "SSH_AUTH_SOCK",
    "CARGO_HOME",
    "NODE_OPTIONS"
  ]
  assert.deepStrictEqual(passed(names), names)
  assert.strictEqual(Environment.forCommands({ TERM: "xterm-256color" })()["TERM"], "dumb")
})

it("passes nothing that was given to us alone", () => {
  const secrets = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD"]
  assert.deepStrictEqual(passed([...secrets, "HEDDLE_AGENT_DIR", "PI_OFFLINE", "XDG_API_KEY", "LC_SECRET"]), [])
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("_API_KEY", "_TOKEN", "_SECRET_X", "_PASSWORD"), (name, end) => {
      assert.deepStrictEqual(passed([`${name}${end}`, `XDG_${name}${end}`]), [])
    })
  )
})

it("what the caller names passes as it is", () => {
  assert.deepInclude(Environment.forCommands({})({ API_TOKEN: "given", TERM: "vt100" }), {
    API_TOKEN: "given",
    TERM: "vt100"
  })
})
