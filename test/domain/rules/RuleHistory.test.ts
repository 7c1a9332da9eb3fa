import { assert, describe, it } from "@effect/vitest"
import type { StopReason } from "../../../src/domain/conversation/Message.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"
import { interruptModes, interrupts } from "../../../src/domain/rules/Rule.ts"
import * as RuleHistory from "../../../src/domain/rules/RuleHistory.ts"
import type { NewEntry, SessionEntry } from "../../../src/domain/session/SessionEntry.ts"

const at = (entry: NewEntry): SessionEntry => ({ ...entry, id: "e", parentId: null, timestamp: "" })
const turn = (stopReason: StopReason): SessionEntry =>
  at({
    type: "message",
    message: {
      role: "assistant",
      content: [],
      api: "",
      provider: "",
      model: "",
      usage: Usage.zero,
      stopReason,
      timestamp: 0
    }
  })
const told = (...injectedRules: ReadonlyArray<string>) => at({ type: "ttsr_injection", injectedRules })

describe("which rules were told", () => {
  it("counts completed turns only", () => {
    const history = RuleHistory.extend(RuleHistory.empty, [
      turn("stop"),
      turn("aborted"),
      told("a"),
      turn("error"),
      turn("toolUse"),
      told("b", "c")
    ])
    assert.deepStrictEqual(history, {
      turns: 2,
      reminded: new Map([
        ["a", 1],
        ["b", 2],
        ["c", 2]
      ])
    })
    assert.deepStrictEqual(RuleHistory.extend(history, [turn("length"), told("a")]).reminded.get("a"), 3)
    assert.deepStrictEqual(history.reminded.get("a"), 1)
  })

  it("once, or again after a gap", () => {
    const history = RuleHistory.extend(RuleHistory.empty, [told("a"), turn("stop"), turn("stop")])
    const may = (mode: "once" | "after-gap", gap: number, rule: string) =>
      RuleHistory.mayRemind(history, { mode, gap }, rule)
    assert.deepStrictEqual(
      [
        may("once", 0, "a"),
        may("once", 0, "b"),
        may("after-gap", 2, "a"),
        may("after-gap", 3, "a"),
        may("after-gap", 3, "b")
      ],
      [false, true, true, false, true]
    )
  })
})

describe("what the model is told", () => {
  it("each rule in an element of its own, attributes escaped", () => {
    const { content, ...message } = RuleHistory.injection([
      { name: "a", path: '/x/"<&\n.md', content: "First." },
      { name: "b", path: "/b.md", content: "Second." }
    ])
    assert.deepStrictEqual(message, { customType: "ttsr-injection", display: false, details: { rules: ["a", "b"] } })
    assert.match(
      String(content),
      /^<system-interrupt reason="rule_violation" rule="a" path="\/x\/&quot;&lt;&amp;&#10;\.md">\n.+\n\nFirst\.\n<\/system-interrupt>\n\n<system-interrupt reason="rule_violation" rule="b" path="\/b\.md">\n.+\n\nSecond\.\n<\/system-interrupt>$/
    )
  })

  it("where a rule interrupts", () => {
    assert.deepStrictEqual(
      interruptModes.map((mode) => [mode, interrupts(mode, "prose"), interrupts(mode, "tool")]),
      [
        ["never", false, false],
        ["prose-only", true, false],
        ["tool-only", false, true],
        ["always", true, true]
      ]
    )
  })
})
