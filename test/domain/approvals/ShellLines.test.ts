import { assert, describe, it } from "@effect/vitest"
import { type Policy, judge, noRules } from "../../../src/domain/approvals/Policy.ts"
import { corpus } from "./corpus.ts"
import { bash } from "./subjects.ts"

const policy: Policy = {
  ...noRules,
  mode: "ask",
  unasked: "reads",
  timeoutMs: 1000,
  allow: [{ tool: "bash", pattern: "*" }],
  deny: [{ tool: "bash", pattern: "rm *" }]
}

describe("The verdict on a line", () => {
  it.each(corpus.map(([line, verdict]) => ({ line: line.slice(0, 200), whole: line, verdict })))(
    "$line: $verdict",
    ({ verdict, whole }) => {
      const subject = bash(whole)
      assert.strictEqual(judge(policy, subject).verdict, verdict, JSON.stringify(subject.line.unknown).slice(0, 500))
    }
  )
})
