/** Decisions on an exported page: beside the call, in words. */
import { assert, it } from "@effect/vitest"
import * as Approvals from "../../../../src/layers/storage/export/viewer/conversation/Approvals.ts"
import * as Entries from "../../../../src/layers/storage/export/viewer/conversation/Entries.ts"
import * as Items from "../../../../src/layers/storage/export/viewer/conversation/Items.ts"

const decided = (data: object) => ({
  type: "custom",
  customType: "heddle.approval",
  data: { tool: { name: "bash" }, ...data }
})
const of = (...entries: ReadonlyArray<unknown>) => Entries.read({ entries }).entries
const answer = {
  type: "message",
  message: { role: "assistant", content: [{ type: "toolCall", id: "t1", name: "bash", arguments: {} }] }
}
const result = { type: "message", message: { role: "toolResult", toolCallId: "t1", content: [] } }

it("stand with their call, several of them too; others are items of their own", () => {
  const { items } = Items.make(
    of(
      answer,
      decided({ toolCallId: "t1", decision: "allow_once", by: "host" }),
      decided({ toolCallId: "t1", decision: "deny", by: "deadline" }),
      result,
      decided({ requestId: "b", decision: "deny", by: "mirror" }),
      decided({ toolCallId: "c9", subagentId: "0-Fix", decision: "allow_session", by: "host" })
    )
  )
  assert.deepStrictEqual(
    items.map(({ approvals, kind, results }) => [kind, approvals.get("t1")?.length, results.size]),
    [
      ["assistant", 2, 1],
      ["note", undefined, 0],
      ["note", undefined, 0]
    ]
  )
})

it("say what was decided, by whom, and why", () => {
  const words = (data: object) => of(decided(data)).map(Approvals.words).join()
  assert.strictEqual(
    words({ decision: "allow_once", by: "host", reason: "mode ask" }),
    "Allowed once by the user (mode ask)"
  )
  assert.strictEqual(words({ decision: "allow_session", by: "mirror" }), "Allowed for this session by the user")
  assert.strictEqual(
    words({ decision: "allow_rule", by: "host", rule: "bash(ls)" }),
    "Allowed by rule bash(ls) by the user"
  )
  assert.strictEqual(words({ decision: "escalate", by: "host" }), "Run without the sandbox by the user")
  assert.strictEqual(
    words({ decision: "deny", by: "host", message: "no", reason: "mode ask" }),
    "Denied by the user (no; mode ask)"
  )
  assert.strictEqual(words({ decision: "deny", by: "deadline" }), "Denied because nobody answered in time")
  assert.strictEqual(
    words({ decision: "deny", by: "abort", subagentId: "0-Fix" }),
    "0-Fix, bash: Denied because it was aborted"
  )
  assert.strictEqual(words({ decision: 7, by: {}, tool: "x" }), "Denied")
})
