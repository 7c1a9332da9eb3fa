import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Subcommand from "../../../../../src/layers/modes/cli/arguments/Subcommand.ts"
import { config } from "../../../../../src/layers/modes/cli/Subcommands.ts"

const words = (line: string) => (line === "" ? [] : line.split(" "))

describe("heddle config", () => {
  const cases: ReadonlyArray<readonly [string, boolean]> = [
    ["config", true],
    ["config retry.enabled --json", true],
    ["--cwd folder config retry", true],
    ["--cwd=folder --json config", true],
    ["--cwd config", false],
    ["--mode rpc --name config", false],
    ["auth config", false],
    ["-- config", false],
    ["", false]
  ]
  for (const [line, expected] of cases) {
    it(`${expected ? "is" : "is not"}: ${line}`, () =>
      assert.strictEqual(Subcommand.split(words(line)).words[0] === "config", expected))
  }

  const parse = (line: string) =>
    Either.map(Subcommand.parse(config, words(line)), ({ messages, values }) => ({ messages, values: [...values] }))

  it("takes a setting and options in any order", () => {
    const expected = Either.right({
      messages: ["retry"],
      values: [
        ["set", ["a=1", "b=2"]],
        ["json", [""]]
      ]
    })
    assert.deepStrictEqual<unknown>(parse("config retry --set a=1 --set b=2 --json"), expected)
    assert.deepStrictEqual<unknown>(parse("--set a=1 config --set=b=2 --json retry"), expected)
  })

  const refused: ReadonlyArray<readonly [string, string]> = [
    ["config a b", 'heddle config takes one setting; got "b" too'],
    ["config --model x", "heddle config does not take --model (see heddle help config)"],
    ["--mode rpc config", "heddle config does not take --mode (see heddle help config)"],
    [
      "config --nope",
      "heddle config: an unknown option, an option without its value, or one twice (see heddle help config)"
    ],
    [
      "config --cwd",
      "heddle config: an unknown option, an option without its value, or one twice (see heddle help config)"
    ]
  ]
  for (const [line, message] of refused) {
    it(`refuses ${line}`, () => assert.deepStrictEqual(parse(line), Either.left(message)))
  }
})
