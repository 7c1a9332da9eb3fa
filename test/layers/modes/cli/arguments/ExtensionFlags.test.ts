import { assert, it } from "@effect/vitest"
import * as ExtensionFlags from "../../../../../src/layers/modes/cli/arguments/ExtensionFlags.ts"

const claimed = new Map([
  ["plan", { type: "boolean" }],
  ["tag", { type: "string" }]
] as const)

it.each<[string, ReadonlyArray<[string, string | true]>, string | undefined]>([
  [
    "all known",
    [
      ["plan", true],
      ["tag", "x"]
    ],
    undefined
  ],
  ["a boolean in words", [["plan", "false"]], undefined],
  [
    "unknown",
    [
      ["plan", true],
      ["nope", "1"]
    ],
    "unknown option, or an option without its value: --nope (see --help)"
  ],
  ["a text without its value", [["tag", true]], "--tag needs a value"],
  ["a boolean with a value", [["plan", "x"]], "--plan takes no value: x"]
])("%s", (_, given, problem) => {
  assert.strictEqual(ExtensionFlags.check(new Map(given), claimed)?.message, problem)
})
