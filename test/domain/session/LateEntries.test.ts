import { assert, describe, it } from "@effect/vitest"
import type { BashExecutionMessage } from "../../../src/domain/conversation/Message.ts"
import * as LateEntries from "../../../src/domain/session/LateEntries.ts"
import * as QueueEntries from "../../../src/domain/session/QueueEntries.ts"
import type { NewEntry, SessionEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as SessionTree from "../../../src/domain/session/SessionTree.ts"

const record = (messageId: string): LateEntries.LateRecord => {
  const rest = { output: "", exitCode: 0, cancelled: false, truncated: false, timestamp: 0 }
  const message: BashExecutionMessage = { role: "bashExecution", command: messageId, ...rest }
  return { messageId, message }
}
const [one, two] = [record("one"), record("two")]
const custom: LateEntries.LateRecord = {
  messageId: "custom",
  message: { role: "custom", customType: "log", content: "x", display: true, details: { n: 1 }, timestamp: 5 }
}
const chained = (...entries: ReadonlyArray<NewEntry>): ReadonlyArray<SessionEntry> =>
  entries.map((entry, n) => ({ ...entry, id: `${n}`, parentId: n === 0 ? null : `${n - 1}`, timestamp: "" }))
const damaged = (data: unknown): NewEntry => ({ type: "custom", customType: QueueEntries.customType, data })

describe("records that wait", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<NewEntry>, ReadonlyArray<LateEntries.LateRecord>]> = [
    ["are those that were recorded, in order", [LateEntries.recorded([two]), LateEntries.recorded([one])], [two, one]],
    ["until they are messages", [LateEntries.recorded([one, two]), LateEntries.stored(one)], [two]],
    ["or in another session", [LateEntries.recorded([one, two]), LateEntries.moved([one, two])], []],
    ["also those of extensions", [LateEntries.recorded([custom, one])], [custom, one]],
    ["until they are custom messages", [LateEntries.recorded([custom, one]), LateEntries.stored(custom)], [one]],
    [
      "are none in damaged entries",
      [damaged(7), damaged({ op: "record", records: "x" }), damaged({ op: "record", records: [{ messageId: "m" }] })],
      []
    ]
  ]
  it.each(cases)("%s", (_, entries, left) => assert.deepStrictEqual(LateEntries.restore(chained(...entries)), left))
})

it("they are neither queued nor on a branch", () => {
  const entries = chained(LateEntries.stored(one), LateEntries.recorded([two]))
  assert.deepStrictEqual(QueueEntries.restore(entries), [])
  assert.strictEqual(SessionTree.make(entries).leafId(), "0")
})
