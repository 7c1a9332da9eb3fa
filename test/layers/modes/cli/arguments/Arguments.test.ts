import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { normalize } from "../../../../../src/layers/modes/cli/arguments/Arguments.ts"
import { optionTable } from "../../../../../src/layers/modes/cli/arguments/OptionTable.ts"
import * as Process from "../../../../../src/layers/machine/processes/Process.ts"

it.each([
  ["-v", "--version"],
  ["--list-models", "--list-models "],
  ["--list-models sonnet", "--list-models sonnet"],
  ["--list-models --json", "--list-models  --json"],
  ["--json --list-models gpt --set a=1", "--json --list-models gpt --set a=1"],
  ["--list-models=x", "--list-models=x"],
  ["auth set anthropic", "auth set anthropic"],
  ["--verbose auth list", "--verbose auth list"],
  ["auth --help", "auth --help"],
  ["--system-prompt auth", "--system-prompt auth"],
  ["--mode rpc", "--mode rpc"],
  [
    "-nt -nbt -ne -ns -np -nc -na",
    "--no-tools --no-builtin-tools --no-extensions --no-skills --no-prompt-templates --no-context-files --no-approve"
  ],
  ["-t a,b -xt c -e d -p", "--tools a,b --exclude-tools c --extension d --print "]
])("%s → %s", (given, expected) => {
  assert.strictEqual(normalize(given.split(" ")).join(" "), expected)
})

it("leaves alone what it does not know", () => {
  const known = new Set(["-v", ...optionTable.flatMap(({ name, short = "" }) => [`--${name}`, short])])
  const word = fc.string().filter((text) => !known.has(text))
  fc.assert(fc.property(fc.array(word), (args) => assert.deepStrictEqual(normalize(args), args)))
})

it("a table has aligned columns and no spaces at the ends of lines", () => {
  const rows = [
    ["A", "LONG NAME", "C"],
    ["first", "b", ""],
    ["2", "", "see"]
  ]
  assert.strictEqual(Process.table(rows), "A      LONG NAME  C\nfirst  b\n2                 see")
  assert.strictEqual(Process.table([]), "")
})
