import { assert, describe, it } from "@effect/vitest"
import * as SessionEntries from "../../../../../src/layers/pi/modules/agent/SessionEntries.ts"
import { header } from "../../../../support/sessions/SampleSessions.ts"
import { holding } from "../../../../support/extensions/PlainBindings.ts"

const timestamp = "2026-01-01T00:00:00.000Z"
const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
}
const user = (id: string, parentId: string | null, text = id) => ({
  type: "message",
  id,
  parentId,
  timestamp,
  message: { role: "user" as const, content: [{ type: "text" as const, text }], timestamp: 0 }
})
const assistant = (id: string, parentId: string | null, stopReason = "stop") => ({
  type: "message",
  id,
  parentId,
  timestamp,
  message: {
    role: "assistant",
    content: [{ type: "text", text: id }],
    api: "a",
    provider: "p",
    model: "m",
    usage,
    stopReason,
    timestamp: 0
  }
})
const ids = (entries: ReadonlyArray<Readonly<Record<string, unknown>>>) => entries.map(({ id }) => id)

const tree = [user("1", null), assistant("2", "1"), user("3", "2"), user("4", "2"), assistant("5", "4")]
const functions = SessionEntries.make(holding())

describe("the branch of a leaf", () => {
  it.each([
    [undefined, ["1", "2", "4", "5"]],
    ["3", ["1", "2", "3"]],
    [null, []],
    ["unknown", []]
  ])("%s", (leaf, expected) => assert.deepStrictEqual(ids(SessionEntries.branchOf(tree, leaf)), expected))

  it("ends where parents go in a circle", () => {
    assert.deepStrictEqual(ids(SessionEntries.branchOf([user("a", "b"), user("b", "a")])), ["a", "b"])
  })
})

describe("a compaction", () => {
  const compaction = {
    type: "compaction",
    id: "6",
    parentId: "5",
    timestamp,
    summary: "so far",
    firstKeptEntryId: "4",
    tokensBefore: 9
  }
  const compacted = [...tree, compaction, user("7", "6")]

  it("comes first, with what it kept", () => {
    assert.deepStrictEqual(ids(SessionEntries.buildContextEntries(compacted)), ["6", "4", "5", "7"])
    assert.deepStrictEqual(ids(SessionEntries.buildContextEntries(tree)), ["1", "2", "4", "5"])
    assert.strictEqual(SessionEntries.getLatestCompactionEntry(compacted), compaction)
    assert.isNull(SessionEntries.getLatestCompactionEntry(tree))
  })

  it("is the first message of the context", () => {
    const { messages, model, thinkingLevel } = functions.buildSessionContext(compacted)
    assert.deepStrictEqual(
      messages.map(({ role }) => role),
      ["compactionSummary", "user", "assistant", "user"]
    )
    assert.deepStrictEqual([model, thinkingLevel], [{ provider: "p", modelId: "m" }, "off"])
  })
})

it("the last change of model and level counts", () => {
  const changes = [
    ...tree,
    { type: "model_change", id: "6", parentId: "5", timestamp, provider: "q", modelId: "n" },
    { type: "thinking_level_change", id: "7", parentId: "6", timestamp, thinkingLevel: "high" }
  ]
  const { model, thinkingLevel } = functions.buildSessionContext(changes)
  assert.deepStrictEqual([model, thinkingLevel], [{ provider: "q", modelId: "n" }, "high"])
  assert.isNull(functions.buildSessionContext([]).model)
})

it("the last usage is that of an answer that came to its end", () => {
  assert.deepStrictEqual(
    SessionEntries.getLastAssistantUsage([assistant("1", null), assistant("2", "1", "error")]),
    usage
  )
  assert.isUndefined(SessionEntries.getLastAssistantUsage([user("1", null)]))
})

it("messages become what a model reads", () => {
  const { message } = user("1", null, "hello")
  assert.deepStrictEqual(functions.convertToLlm([message]), [message])
  assert.include(functions.serializeConversation([message]), "[User]: hello")
  assert.strictEqual(functions.estimateTokens(message), 2)
  assert.deepStrictEqual(functions.sessionEntryToContextMessages(user("1", null, "hello")), [message])
})

it("the text of a session file becomes its lines", () => {
  const text = [header, user("1", null)].map((line) => `${JSON.stringify(line)}\n`).join("")
  assert.deepStrictEqual(functions.parseSessionEntries(text), [{ ...header }, user("1", null)])
  assert.deepStrictEqual(functions.parseSessionEntries("no session"), [])
})
