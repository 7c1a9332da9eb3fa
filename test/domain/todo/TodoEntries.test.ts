import { assert, describe, it } from "@effect/vitest"
import type { ToolResultMessage } from "../../../src/domain/conversation/Message.ts"
import type { SessionEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as TodoEntries from "../../../src/domain/todo/TodoEntries.ts"
import { list, task } from "../../support/todo/Lists.ts"

const place = { id: "a", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" }
const one = list(task(1, "one"))
const two = list(task(1, "two"), task(2, "three"))

const result = (details: ToolResultMessage["details"], more: Partial<ToolResultMessage> = {}): SessionEntry => ({
  ...place,
  type: "message",
  message: {
    role: "toolResult",
    toolCallId: "c",
    toolName: "todo_write",
    content: [],
    isError: false,
    timestamp: 0,
    ...(details === undefined ? {} : { details }),
    ...more
  }
})
const written = result({ phases: one, storage: "session" })
const set: SessionEntry = { ...place, type: "todo_state", phases: two }
const told: SessionEntry = { ...place, type: "custom_message", customType: "todo-update", content: "", display: false }
const other: SessionEntry = { ...told, customType: "todo-reminder" }
const compaction: SessionEntry = {
  ...place,
  type: "compaction",
  summary: "s",
  firstKeptEntryId: "a",
  tokensBefore: 1
}

describe("the list that is left", () => {
  const none = { phases: [], isTold: true }
  const rows: Record<string, readonly [ReadonlyArray<SessionEntry>, TodoEntries.TodosLeft]> = {
    "of an empty branch": [[], none],
    "of a branch without one": [[told, compaction], none],
    "after todo_write": [[written], { phases: one, isTold: true }],
    "after the host has set it": [[written, set], { phases: two, isTold: false }],
    "after todo_write once more": [[written, set, written], { phases: one, isTold: true }],
    "after the model was told": [[set, told], { phases: two, isTold: true }],
    "after it was reminded only": [[set, other], { phases: two, isTold: false }],
    "after a compaction": [[written, compaction], { phases: one, isTold: false }],
    "after a compaction of which it was told": [[written, compaction, told], { phases: one, isTold: true }],
    "after a compaction, with nothing open": [
      [result({ phases: list(task(1, "x", "completed")) }), compaction],
      { phases: list(task(1, "x", "completed")), isTold: true }
    ],
    "after a call that failed": [[written, result({ phases: two }, { isError: true })], { phases: one, isTold: true }],
    "after another tool": [[written, result({ phases: two }, { toolName: "todo" })], { phases: one, isTold: true }],
    "after results that have none": [
      [written, result(undefined), result({}), result({ phases: 3 }), result({ phases: [{ id: "p" }] })],
      { phases: one, isTold: true }
    ]
  }
  for (const [name, [entries, left]] of Object.entries(rows)) {
    it(name, () => assert.deepStrictEqual(TodoEntries.restore(entries), left))
  }
})

it("a list that hooks or other programs have damaged is none", () => {
  const damaged = [{ status: "done" }, { content: 1 }, { id: null }, { notes: null }, { details: {} }]
  for (const members of damaged) {
    const phases = [{ id: "p", name: "n", tasks: [{ ...task(1, "x"), ...members }] }]
    assert.isUndefined(TodoEntries.phasesOf(result({ phases })), JSON.stringify(members))
  }
  assert.isTrue(TodoEntries.isSource(result({ phases: [{ ...one[0], more: 1 }] })))
})

it("the newest list goes along in a handoff", () => {
  const set = (phases: typeof one): SessionEntry => ({ ...place, type: "todo_state", phases })
  assert.deepStrictEqual(TodoEntries.handedOff([set(two), written, set(two)]), [{ type: "todo_state", phases: two }])
  assert.deepStrictEqual(TodoEntries.handedOff([set(two), written]), [{ type: "todo_state", phases: one }])
  assert.deepStrictEqual(TodoEntries.handedOff([]), [])
})
