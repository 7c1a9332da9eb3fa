import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import * as ContextTokens from "../../../src/domain/compaction/ContextTokens.ts"
import * as Ledger from "../../../src/domain/session/Ledger.ts"
import type { NewEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as SessionContext from "../../../src/domain/session/SessionContext.ts"
import * as SessionStats from "../../../src/domain/session/SessionStats.ts"
import {
  answers,
  assistant,
  compaction,
  line,
  message,
  says,
  toolResult,
  usage
} from "../../support/sessions/Entries.ts"
import { model } from "../../support/agent/ScriptedModel.ts"

const call: NewEntry = {
  type: "usage",
  source: "compaction",
  provider: "p",
  model: "m",
  usage: usage({ input: 40, output: 2 })
}

describe("Ledger.total", () => {
  const tokens = (input: number, output = 0) => ({ input, output, cacheRead: 0, cacheWrite: 0, total: input + output })
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<NewEntry>, Ledger.Spent]> = [
    ["nothing", [says("a")], Ledger.nothing],
    [
      "an answer",
      [answers("a", 100)],
      { tokens: tokens(100), cost: 0.0001, toolCalls: 0, subagents: 0, turns: 1, wallTimeMs: 0 }
    ],
    [
      "attempts that failed or were cut off",
      [answers("a", 100, "error"), answers("a", 10, "aborted"), answers("a", 1)],
      { tokens: tokens(111), cost: 0.000111, toolCalls: 0, subagents: 0, turns: 3, wallTimeMs: 0 }
    ],
    [
      "a call that is no message",
      [call],
      { tokens: tokens(40, 2), cost: 0.000042, toolCalls: 0, subagents: 0, turns: 0, wallTimeMs: 0 }
    ],
    [
      "a tool that reports usage, and one whose report is no usage",
      [message(toolResult({ usage: usage({ input: 5 }) })), message(toolResult({ usage: "much" }))],
      { tokens: tokens(5), cost: 0.000005, toolCalls: 2, subagents: 0, turns: 0, wallTimeMs: 0 }
    ],
    [
      "what was compacted away still counts",
      [answers("a", 100), call, compaction("e2"), answers("b", 3)],
      { tokens: tokens(143, 2), cost: 0.000145, toolCalls: 0, subagents: 0, turns: 2, wallTimeMs: 0 }
    ]
  ]
  it.each(cases)("%s", (_, entries, spent) => {
    const { cost, ...counted } = Ledger.total(line(...entries))
    expect({ ...counted, cost: Number(cost.toFixed(9)) }).toEqual(spent)
  })

  it("never shrinks as entries are added", () => {
    const entry = fc.oneof(
      fc.nat(1000).map((input) => answers("a", input)),
      fc.constantFrom(call, compaction("e0"), says("x"), message(toolResult(undefined)))
    )
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        const all = line(...entries)
        const totals = all.map((_, at) => Ledger.total(all.slice(0, at + 1)))
        for (const [at, now] of totals.entries()) {
          const before = totals[at - 1] ?? Ledger.nothing
          expect(now.tokens.total).toBeGreaterThanOrEqual(before.tokens.total)
          expect(now.cost).toBeGreaterThanOrEqual(before.cost)
        }
      })
    )
  })
})

describe("SessionStats", () => {
  const withCall = {
    ...assistant("", 10, "toolUse"),
    content: [{ type: "toolCall" as const, id: "c", name: "t", arguments: {} }]
  }
  const branch = line(says("a"), message(withCall), message(toolResult(undefined)), compaction("e1"), answers("b", 20))
  const aside = line(answers("left", 1000))

  it("counts messages of the conversation, and tokens of everything", () => {
    const messages = SessionContext.conversation(branch)
    const stats = SessionStats.make({ messages, branch, entries: [...branch, ...aside], model })
    expect({ ...stats, cost: undefined, allBranches: stats.allBranches.tokens.total }).toEqual({
      userMessages: 0,
      assistantMessages: 2,
      toolCalls: 1,
      toolResults: 1,
      totalMessages: 4,
      tokens: { input: 30, output: 0, cacheRead: 0, cacheWrite: 0, total: 30 },
      cost: undefined,
      allBranches: 1030,
      contextUsage: { tokens: 20, contextWindow: 1000, percent: 2 }
    })
  })

  it("the context is the same from the end of the branch alone", () => {
    const basis = branch.findLastIndex(ContextTokens.isBasis)
    for (const cut of [branch, branch.slice(0, 4), line(says("a"), answers("b", 7), says("c"))]) {
      const from = Math.max(0, cut.findLastIndex(ContextTokens.isBasis))
      expect(SessionStats.contextUsage(cut.slice(from), model)).toEqual(SessionStats.contextUsage(cut, model))
    }
    expect(basis).toBe(4)
  })

  it.each([
    ["without a model", [says("a")], undefined, undefined],
    ["a window of zero", [says("a")], { ...model, contextWindow: 0 }, undefined],
    ["nothing said", [], model, { tokens: 0, contextWindow: 1000, percent: 0 }],
    [
      "after a compaction",
      [answers("a", 9), compaction("e0")],
      model,
      { tokens: null, contextWindow: 1000, percent: null }
    ]
  ] as const)("the context: %s", (_, entries, model, expected) =>
    expect(SessionStats.contextUsage(line(...entries), model)).toEqual(expected)
  )
})
