import { assert, describe, it } from "@effect/vitest"
import { readEntry } from "../../../src/domain/session/EntryReading.ts"
import * as SessionContext from "../../../src/domain/session/SessionContext.ts"
import type { SessionEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as SessionTree from "../../../src/domain/session/SessionTree.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"

/** A branch of these, one below the other, named a, b, c, … */
const branch = (...rows: ReadonlyArray<object>): ReadonlyArray<SessionEntry> =>
  rows.flatMap((row, n) => {
    const id = String.fromCharCode(97 + n)
    const parentId = n === 0 ? null : String.fromCharCode(96 + n)
    return readEntry({ id, parentId, timestamp: "1970-01-01T00:00:00.000Z", ...row }) ?? []
  })

const user = (text: string) => ({
  type: "message",
  message: { role: "user", content: [{ type: "text", text }], timestamp: 0 }
})
const assistant = (content: ReadonlyArray<object>, stopReason = "toolUse", model = "m") => ({
  type: "message",
  message: { role: "assistant", content, api: "x", provider: "p", model, usage: Usage.zero, stopReason, timestamp: 0 }
})
const call = (id: string) => ({ type: "toolCall", id, name: `tool-${id}`, arguments: {} })
const result = (toolCallId: string) => ({
  type: "message",
  message: { role: "toolResult", toolCallId, toolName: "t", content: [], isError: false, timestamp: 0 }
})
const edit = (targetId: string, replacement: unknown) => ({ type: "context_edit", targetId, replacement })
const said = (entries: ReadonlyArray<SessionEntry>) =>
  SessionContext.conversation(entries).map((message) => ("content" in message ? message.content : message.role))

const [one, two] = [[{ type: "text", text: "1" }], [{ type: "text", text: "2" }]]

describe("edits of the past", () => {
  const rows: Record<string, readonly [ReadonlyArray<SessionEntry>, ReadonlyArray<unknown>]> = {
    "null leaves a message out": [branch(user("1"), user("2"), edit("a", null)), [two]],
    "content replaces content": [branch(user("1"), edit("a", { content: "2" })), [two]],
    "the latest wins": [branch(user("1"), edit("a", null), edit("a", { content: two })), [two]],
    "another branch's does not count": [branch(user("1"), user("2")), [one, two]],
    "one without sense changes nothing": [branch(user("1"), edit("a", 7), edit("b", null)), [one]]
  }
  for (const [name, [entries, wanted]] of Object.entries(rows)) {
    it(name, () => assert.deepStrictEqual<ReadonlyArray<unknown>>(said(entries), wanted))
  }

  it("apply to a conversation that was read before", () => {
    const [first, change] = branch(user("1"), edit("a", null))
    assert.isTrue(first !== undefined && change !== undefined)
    if (first === undefined || change === undefined) return
    const tree = SessionTree.make([first])
    assert.strictEqual(tree.conversation().length, 1)
    tree.append(change)
    assert.strictEqual(tree.conversation().length, 0)
  })
})

it("system messages and entries of others are no part of a conversation", () => {
  const system = { type: "message", message: { role: "system", content: "x", timestamp: 0 } }
  assert.deepStrictEqual<ReadonlyArray<unknown>>(said(branch(system, user("1"), { type: "weather" })), [one])
})

describe("calls without a result", () => {
  const rows: Record<string, readonly [ReadonlyArray<object>, ReadonlyArray<string>]> = {
    "all of them": [
      [user("1"), assistant([call("x"), call("y")])],
      ["x", "y"]
    ],
    "those that were not answered": [[assistant([call("x"), call("y")]), result("y")], ["x"]],
    "none where all were": [[assistant([call("x")]), result("x")], []],
    "none of an answer that failed": [[assistant([call("x")], "error")], []],
    "none of one that was aborted": [[assistant([call("x")], "aborted")], []],
    "none where the conversation went on": [[assistant([call("x")]), user("2")], []],
    "also behind a change of the model": [
      [assistant([call("x")]), { type: "model_change", provider: "p", modelId: "m" }],
      ["x"]
    ],
    "none in an empty session": [[], []]
  }
  for (const [name, [given, wanted]] of Object.entries(rows)) {
    it(name, () =>
      assert.deepStrictEqual(
        SessionContext.unansweredCalls(branch(...given)).map(({ id }) => id),
        wanted
      )
    )
  }
})
