import { assert, describe, it } from "@effect/vitest"
import * as Abandoned from "../../../src/domain/compaction/Abandoned.ts"
import { branch, left, level, message, says, user } from "./support.ts"

const two = "12345678"

describe("Abandoned", () => {
  const path = branch(message(user(two)), message(says(two)), message(user(two)), level, message(says(two)))
  const ids = (entries: ReadonlyArray<{ readonly id: string }>) => entries.map(({ id }) => id).join(" ")

  it("is what lies behind the point where the ways part", () => {
    const other = [...path.slice(0, 2), { ...level, id: "other", parentId: "e1", timestamp: "" }]
    assert.strictEqual(ids(Abandoned.entries(path, path.slice(0, 2))), "e2 e3 e4")
    assert.strictEqual(ids(Abandoned.entries(path, other)), "e2 e3 e4")
    assert.strictEqual(ids(Abandoned.entries(path, [])), "e0 e1 e2 e3 e4")
    assert.strictEqual(ids(Abandoned.entries(path, path)), "")
    assert.strictEqual(ids(Abandoned.entries(path.slice(0, 2), path)), "")
  })

  it("keeps the newest that fits, and at least one message", () => {
    const roles = (max: number) => Abandoned.messages(path, max).map(({ role }) => role)
    assert.deepStrictEqual(roles(100), ["user", "assistant", "user", "assistant"])
    assert.deepStrictEqual(roles(4), ["user", "assistant"])
    assert.deepStrictEqual(roles(5), ["user", "assistant"])
    assert.deepStrictEqual(roles(0), ["assistant"])
    assert.deepStrictEqual(Abandoned.messages([], 100), [])
  })

  it("knows the files of the summaries in it", () => {
    const details = { readFiles: ["a"] }
    const compacted = { type: "compaction", summary: "s", firstKeptEntryId: "e0", tokensBefore: 1, details } as const
    const entries = branch(compacted, left("x"), message(user(two)))
    assert.deepStrictEqual(Abandoned.details(entries), [details, undefined])
    assert.deepStrictEqual(
      Abandoned.messages(entries, 100).map(({ role }) => role),
      ["compactionSummary", "branchSummary", "user"]
    )
  })
})
