import { assert, it } from "@effect/vitest"
import * as Ledger from "../../../src/domain/session/Ledger.ts"
import { type SessionEntry, toJson } from "../../../src/domain/session/SessionEntry.ts"
import * as SessionHandoff from "../../../src/domain/session/SessionHandoff.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"

const at = (id: string, parentId: string | null) => ({ id, parentId, timestamp: "t" })
const spent = (input: number, total: number): Usage.Usage => ({
  ...Usage.zero,
  input,
  totalTokens: input,
  cost: { ...Usage.zero.cost, total }
})
const call = (id: string, usage: Usage.Usage): SessionEntry => ({
  ...at(id, null),
  type: "usage",
  source: "compaction",
  provider: "p",
  model: "m",
  usage
})
const answer = (id: string, usage: Usage.Usage): SessionEntry => ({
  ...at(id, null),
  type: "message",
  message: {
    role: "assistant",
    content: [],
    api: "a",
    provider: "p",
    model: "m",
    usage,
    stopReason: "stop",
    timestamp: 0
  }
})
const older: SessionEntry = {
  ...at("c", null),
  type: "compaction",
  summary: "s",
  firstKeptEntryId: "a",
  tokensBefore: 1
}
const foreign: SessionEntry = {
  ...at("f", "gone"),
  type: "foreign",
  raw: { type: "mode_change", id: "f", parentId: "gone", timestamp: "t", mode: "x" }
}
const mended: SessionEntry = {
  ...at("n", "gone"),
  type: "session_info",
  name: "x",
  original: { type: "session_info", id: "n", parentId: "gone", timestamp: "t", name: "x", more: 1 }
}

it("what is kept leaves older summaries and calls behind", () => {
  const branch = [answer("a", Usage.zero), answer("b", Usage.zero), call("u", Usage.zero), older, foreign]
  assert.deepStrictEqual(
    SessionHandoff.kept(branch, "b").map(({ id }) => id),
    ["b", "f"]
  )
  assert.deepStrictEqual(SessionHandoff.kept(branch, "not there"), [])
})

it("every entry hangs on the one before it, in the file too", () => {
  const chained = SessionHandoff.chain([answer("a", Usage.zero), foreign, mended])
  assert.deepStrictEqual(
    chained.map(({ parentId }) => parentId),
    [null, "a", "f"]
  )
  assert.deepStrictEqual(chained.slice(1).map(toJson), [
    { type: "mode_change", id: "f", parentId: "a", timestamp: "t", mode: "x" },
    { type: "session_info", id: "n", parentId: "f", timestamp: "t", name: "x", more: 1 }
  ])
})

it("the sum of what was spent stays the same", () => {
  const copied = [answer("b", spent(20, 2))]
  const entries = [answer("a", spent(100, 10)), call("u", spent(3, 1)), ...copied]
  const model = { provider: "p", modelId: "m" }
  const inForce = SessionHandoff.inForce({ entries, branch: entries, copied, name: "Looms" }, model)
  assert.deepStrictEqual(
    inForce.map(({ type }) => type),
    ["usage", "session_info", "model_change"]
  )
  const next = [...inForce.map((entry): SessionEntry => ({ ...entry, ...at("x", null) })), ...copied]
  assert.deepStrictEqual(Ledger.total(next), Ledger.total(entries))
  assert.deepStrictEqual(SessionHandoff.inForce({ entries: [], branch: [], copied: [], name: undefined }, model), [])
})
