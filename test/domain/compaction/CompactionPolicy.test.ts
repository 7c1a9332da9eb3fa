import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Policy from "../../../src/domain/compaction/CompactionPolicy.ts"
import * as ContextTokens from "../../../src/domain/compaction/ContextTokens.ts"
import type { StopReason } from "../../../src/domain/conversation/Message.ts"
import type { NewEntry } from "../../../src/domain/session/SessionEntry.ts"
import type { Tokens } from "../../../src/domain/model/Usage.ts"
import { assistant, branch, compaction, message, says, user } from "./support.ts"

const limits = (overrides: Partial<Policy.CompactionLimits> = {}): Policy.CompactionLimits => ({
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
  thresholdPercent: -1,
  thresholdTokens: -1,
  ...overrides
})

describe("threshold", () => {
  const cases: ReadonlyArray<readonly [string, number, Partial<Policy.CompactionLimits>, number]> = [
    ["15 % of a large window", 200_000, {}, 170_000],
    ["the reserve of a smaller one", 64_000, {}, 47_616],
    ["15 % where the reserve would be everything", 8192, {}, 6964],
    ["tokens come first", 200_000, { thresholdTokens: 5000, thresholdPercent: 50 }, 5000],
    ["tokens stay below the window", 1000, { thresholdTokens: 5000 }, 999],
    ["tokens are at least one", 1000, { thresholdTokens: 0.5 }, 1],
    ["percent", 1000, { thresholdPercent: 33.37 }, 333],
    ["percent is at most 99", 1000, { thresholdPercent: 400 }, 990],
    ["percent is at least 1", 1000, { thresholdPercent: 0.1 }, 10],
    ["zero counts as unset", 200_000, { thresholdTokens: 0, thresholdPercent: 0 }, 170_000]
  ]
  for (const [why, window, overrides, tokens] of cases) {
    it(why, () => assert.strictEqual(Policy.threshold(window, limits(overrides)), tokens))
  }
})

describe("isOverThreshold", () => {
  const prompt = message(user("1234"))
  const answer = (input: number) => message(says("", { input }))
  const silent = message(says("12345678"))
  const failed = message(assistant([], { input: 999 }, "error"))
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<NewEntry>, number, boolean]> = [
    ["nothing was said", [], 1000, false],
    ["exactly the threshold is not over it", [prompt, answer(850)], 1000, false],
    ["one token more is", [prompt, answer(850), prompt], 1000, true],
    ["a window that is not known", [prompt, answer(850), prompt], 0, false],
    ["what a failed call reports does not count", [prompt, failed], 1000, false],
    ["usage from before a compaction does not count", [prompt, answer(900), compaction("e0"), prompt], 1000, false],
    ["nor while no answer has come", [prompt, answer(900), compaction("e0"), prompt, failed], 1000, false],
    ["usage from after it does", [prompt, answer(9), compaction("e0"), prompt, answer(900)], 1000, true],
    ["a provider that never reports is estimated", [prompt, silent, compaction("e0"), prompt, silent], 5, true]
  ]
  for (const [why, entries, window, isOver] of cases) {
    it(why, () =>
      assert.strictEqual(Policy.isOverThreshold(branch(...entries), window, limits({ reserveTokens: 1 })), isOver)
    )
  }
})

it("the end of a branch from its newest basis tells the same as all of it", () => {
  const entry = fc.oneof(
    fc.nat(60).map((length) => message(user("x".repeat(length)))),
    fc.nat(40).map((input) => message(says("", { input }))),
    fc.constant(message(assistant([], {}, "error"))),
    fc.nat(9).map((at) => compaction(`e${at}`))
  )
  const few = limits({ thresholdTokens: 20 })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 10 }), (entries) => {
      const all = branch(...entries)
      const recent = all.slice(Math.max(0, all.findLastIndex(ContextTokens.isBasis)))
      // Answers without a count behind a compaction: then all of the branch is asked for.
      if (recent[0]?.type === "compaction" && recent.length > 1) return
      assert.strictEqual(Policy.isOverThreshold(recent, 100, few), Policy.isOverThreshold(all, 100, few))
    })
  )
})

describe("isSilentOverflow", () => {
  const cases: ReadonlyArray<readonly [string, Partial<Tokens>, StopReason, boolean]> = [
    ["a prompt as long as the window", { input: 1000 }, "stop", false],
    ["longer, with what was cached", { input: 600, cacheRead: 401 }, "stop", true],
    ["also with calls", { input: 1001 }, "toolUse", true],
    ["no room for an answer", { input: 990 }, "length", true],
    ["some room", { input: 990, output: 1 }, "length", false],
    ["a short prompt", { input: 989 }, "length", false],
    ["failures say so themselves", { input: 2000 }, "error", false],
    ["aborted", { input: 2000 }, "aborted", false]
  ]
  for (const [why, tokens, stopReason, isOverflow] of cases) {
    it(why, () => assert.strictEqual(Policy.isSilentOverflow(assistant([], tokens, stopReason), 1000), isOverflow))
  }
  it("an estimate of heddle is no report of the provider", () => {
    const answer = says("", { input: 2000 })
    assert.isTrue(Policy.isSilentOverflow(answer, 1000))
    assert.isFalse(Policy.isSilentOverflow({ ...answer, usage: { ...answer.usage, estimated: true } }, 1000))
  })
  it("a window that is not known overflows never", () =>
    assert.isFalse(Policy.isSilentOverflow(says("", { input: 1 }), 0)))
})

describe("how much stays", () => {
  it("is what the settings say, divided by how far the estimate was off", () => {
    const context = [user("12345678"), says("x", { input: 6, cacheRead: 1, cacheWrite: 1 }), user("later")]
    assert.strictEqual(Policy.underestimate(context), 4)
    assert.strictEqual(Policy.tokensToKeep(200_000, limits(), 4), 5000)
  })
  it("an estimate that was enough changes nothing", () => {
    assert.strictEqual(Policy.underestimate([user("12345678"), says("x", { input: 1 })]), 1)
    assert.strictEqual(Policy.underestimate([user("12345678")]), 1)
  })
  it("is less than what triggers the next compaction", () => {
    assert.strictEqual(Policy.tokensToKeep(8192, limits(), 1), 3482)
    assert.strictEqual(Policy.tokensToKeep(0, limits(), 1), 20_000)
    const at = (keepRecentTokens: number) =>
      Policy.tokensToKeep(1000, limits({ thresholdTokens: 500, keepRecentTokens }), 1)
    assert.deepStrictEqual([at(499), at(500), at(501)], [499, 250, 250])
  })
})
