import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import * as Scenario from "../../../../src/layers/models/offline/Scenario.ts"

const problems = (value: unknown): unknown => Either.merge(Scenario.decode(JSON.stringify(value)))
const step = (value: unknown) => problems({ turns: [{ steps: [{ text: "a" }, value] }] })
const kinds = "A step has exactly one of text, thinking, toolCall, wait, hang, fail, disconnect; this one has "

const wrong: ReadonlyArray<readonly [name: string, problem: unknown, text: string]> = [
  ["a file without turns", problems({}), "turns: is missing"],
  ["an empty list of turns", problems({ turns: [] }), "turns[0]: is missing"],
  [
    "an unknown field",
    problems({ turns: [{ steps: [] }], atend: "stay" }),
    'atend: is unexpected, expected: "$schema" | "description" | "atEnd" | "turns"'
  ],
  [
    "a wrong word",
    problems({ turns: [{ steps: [], stopReason: "tool_use" }], atEnd: "loop" }),
    'atEnd: Expected one of repeat, stay, fail, actual "loop"; ' +
      'turns[0].stopReason: Expected one of stop, length, toolUse, actual "tool_use"'
  ],
  ["a wrong type", step({ text: 5 }), "turns[0].steps[1].text: Expected string, actual 5"],
  ["a typo in an option", step({ wait: 5, ms: 1 }), 'turns[0].steps[1].ms: is unexpected, expected: "wait"'],
  ["an unknown kind of step", step({ txt: "a" }), `turns[0].steps[1]: ${kinds}txt`],
  ["two kinds in one step", step({ text: "a", wait: 1 }), `turns[0].steps[1]: ${kinds}text, wait`],
  ["a step that is no object", step("a"), `turns[0].steps[1]: ${kinds}none of them`],
  [
    "numbers out of range",
    step({ text: "a", chunk: 0, delayMs: -1 }),
    "turns[0].steps[1].chunk: Expected a number greater than or equal to 1, actual 0; " +
      "turns[0].steps[1].delayMs: Expected a non-negative number, actual -1"
  ],
  [
    "a tool call with both kinds of arguments",
    step({ toolCall: { name: "ls", arguments: {}, rawArguments: "{}" } }),
    "turns[0].steps[1].toolCall: has exactly one of arguments (an object) and rawArguments (text)"
  ],
  [
    "an unknown reason",
    step({ fail: { reason: "overload", message: "x" } }),
    "turns[0].steps[1].fail.reason: Expected one of overloaded, rate_limit, server, connection, timeout, stream_ended, " +
      "authentication, invalid_request, not_found, context_overflow, refusal, quota, configuration, protocol, " +
      'actual "overload"'
  ],
  [
    "a step that is never played",
    problems({ turns: [{ steps: [{ hang: true }, { text: "a" }] }] }),
    "turns[0].steps[1]: is never played: the step before it ends the call"
  ],
  [
    "a block inside a block",
    problems({ turns: [{ steps: [{ text: "a", cutOff: true }, { wait: 1 }, { text: "b" }] }] }),
    "turns[0].steps[2]: cannot follow steps[0], whose block is cut off and still open"
  ]
]

describe("a bad file is refused with the place and the reason", () => {
  for (const [name, problem, text] of wrong) it(name, () => assert.strictEqual(problem, text))
  it("text that is not JSON", () => assert.match(String(Either.merge(Scenario.decode("{"))), /^not JSON: /))
})

it("a minimal scenario is taken as it is", () => {
  const scenario = { turns: [{ steps: [{ text: "a" }] }] }
  assert.deepStrictEqual(problems(scenario), scenario)
})

const folder = new URL("../../../../examples/scenarios/", import.meta.url)

describe("the examples are valid", () => {
  for (const name of readdirSync(folder)) {
    it(name, () => {
      const decoded = Scenario.decode(readFileSync(new URL(name, folder), "utf8"))
      assert.isTrue(Either.isRight(decoded), Either.isLeft(decoded) ? decoded.left : "")
    })
  }
})

it("every complete example in the documentation is valid", () => {
  const page = readFileSync(new URL("../../../../docs/scenarios.md", import.meta.url), "utf8")
  const blocks = [...page.matchAll(/```json\n([^]*?)```/g)].map(([, block = ""]) => block)
  assert.isAbove(blocks.length, 5)
  assert.deepStrictEqual(
    blocks.flatMap((block) => Either.match(Scenario.decode(block), { onLeft: (left) => [left], onRight: () => [] })),
    []
  )
})
