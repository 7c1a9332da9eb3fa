import { assert, it } from "@effect/vitest"
import { fuzzyFilter, fuzzyMatch } from "../../../../../src/layers/pi/modules/tui/Fuzzy.ts"

it("matches letters in order, and nothing else", () => {
  assert.deepStrictEqual(fuzzyMatch("zz", "abc"), { matches: false, score: 0 })
  assert.deepStrictEqual(fuzzyMatch("", "abc"), { matches: true, score: 0 })
  assert.isFalse(fuzzyMatch("ba", "ab").matches)
  assert.isTrue(fuzzyMatch("ABC", "a-b-c").matches)
})

it("the nearer, the lower the score", () => {
  const scores = ["abc", "abcd", "a_b_c", "aXbXc"].map((text) => fuzzyMatch("abc", text).score)
  assert.isBelow(scores[0] ?? 0, scores[1] ?? 0)
  assert.isBelow(scores[1] ?? 0, scores[3] ?? 0)
  assert.isBelow(scores[2] ?? 0, scores[3] ?? 0)
})

it("filters by every word of the query, the best first", () => {
  const items = ["foo bar", "barfoo", "zed"].map((name) => ({ name }))
  const names = (query: string) => fuzzyFilter(items, query, ({ name }) => name).map(({ name }) => name)
  assert.deepStrictEqual(names("foo bar"), ["foo bar", "barfoo"])
  assert.deepStrictEqual(names("  "), ["foo bar", "barfoo", "zed"])
  assert.deepStrictEqual(names("zed bar"), [])
})
