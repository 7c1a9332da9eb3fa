import { assert, describe, it } from "@effect/vitest"
import * as AssistantDraft from "../../../src/domain/conversation/AssistantDraft.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import { model } from "../../support/agent/ScriptedModel.ts"

const fold = (events: ReadonlyArray<ModelEvent>) => {
  let draft = AssistantDraft.empty(model, 5)
  const updates: Array<AssistantDraft.Update> = []
  for (const event of events) {
    const [next, update] = AssistantDraft.apply(draft, event)
    draft = next
    if (update !== undefined) updates.push(update)
  }
  return { draft, updates }
}

const toolCall = (json: string, ended = true): ReadonlyArray<ModelEvent> => [
  { _tag: "ToolCallStarted", id: "c", name: "read" },
  { _tag: "Delta", delta: json },
  ...(ended ? [{ _tag: "BlockEnded" } as const] : [])
]

describe("AssistantDraft", () => {
  it("folds every kind of block with its index, signature and usage", () => {
    const { draft, updates } = fold([
      { _tag: "ThinkingStarted" },
      { _tag: "Delta", delta: "hm" },
      { _tag: "BlockEnded", signature: "sig" },
      { _tag: "TextStarted" },
      { _tag: "Delta", delta: "Hel" },
      { _tag: "Delta", delta: "lo" },
      { _tag: "BlockEnded" },
      ...toolCall('{"path":"a"}'),
      { _tag: "UsageReported", tokens: { input: 3, output: 4, cacheRead: 1, cacheWrite: 0 } },
      { _tag: "Finished", stopReason: "toolUse", responseId: "resp" }
    ])
    assert.deepStrictEqual(
      updates.map(({ contentIndex, kind, step }) => `${contentIndex} ${kind} ${step}`),
      [
        "0 thinking start",
        "0 thinking delta",
        "0 thinking end",
        "1 text start",
        "1 text delta",
        "1 text delta",
        "1 text end",
        "2 toolCall start",
        "2 toolCall delta",
        "2 toolCall end"
      ]
    )
    assert.deepStrictEqual(AssistantDraft.toMessage(draft).content, [
      { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
      { type: "text", text: "Hello" },
      { type: "toolCall", id: "c", name: "read", arguments: { path: "a" } }
    ])
    assert.deepInclude(AssistantDraft.toMessage(draft), { stopReason: "toolUse", responseId: "resp", timestamp: 5 })
    assert.strictEqual(draft.usage.totalTokens, 8)
  })

  it("a delta or an end without an open block changes nothing", () => {
    const { draft, updates } = fold([{ _tag: "Delta", delta: "x" }, { _tag: "BlockEnded" }])
    assert.deepStrictEqual([draft.blocks, updates.length], [undefined, 0])
  })

  it("a delta or an end behind a block that has ended changes nothing", () => {
    const block: ReadonlyArray<ModelEvent> = [
      { _tag: "TextStarted" },
      { _tag: "Delta", delta: "a" },
      { _tag: "BlockEnded", signature: "mine" }
    ]
    const { draft, updates } = fold([
      ...block,
      { _tag: "Delta", delta: "x" },
      { _tag: "BlockEnded", signature: "late" }
    ])
    assert.deepStrictEqual(draft, fold(block).draft)
    assert.strictEqual(updates.length, 3)
  })

  it("a signature belongs to its block, and only thinking can be redacted", () => {
    const end = { _tag: "BlockEnded", signature: "s", redacted: true } as const
    const { draft } = fold([
      { _tag: "TextStarted" },
      end,
      { _tag: "ThinkingStarted" },
      end,
      ...toolCall("{}", false),
      end
    ])
    assert.deepStrictEqual(AssistantDraft.toMessage(draft).content, [
      { type: "text", text: "", textSignature: "s" },
      { type: "thinking", thinking: "", thinkingSignature: "s", redacted: true },
      { type: "toolCall", id: "c", name: "read", arguments: {} }
    ])
  })

  it("usage is a total: the last report counts, at the prices of the model", () => {
    const tokens = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 })
    const priced = { ...model, cost: tokens(2_000_000) }
    const [first] = AssistantDraft.apply(AssistantDraft.empty(priced, 5), { _tag: "UsageReported", tokens: tokens(3) })
    const [second] = AssistantDraft.apply(first, { _tag: "UsageReported", tokens: tokens(5) })
    assert.deepStrictEqual([second.usage.input, second.usage.totalTokens, second.usage.cost.total], [5, 5, 10])
  })

  it("cutOff closes the open block once, and leaves its tool call unfinished", () => {
    const { draft } = fold([{ _tag: "TextStarted" }, { _tag: "BlockEnded" }, ...toolCall('{"a', false)])
    const [closed, update] = AssistantDraft.cutOff(draft)
    assert.deepStrictEqual(update, { kind: "toolCall", step: "end", contentIndex: 1 })
    assert.strictEqual(AssistantDraft.requestedCalls(closed)[0]?.state, "unfinished")
    assert.deepStrictEqual(AssistantDraft.cutOff(closed), [closed, undefined])
    const empty = AssistantDraft.empty(model, 5)
    assert.deepStrictEqual(AssistantDraft.cutOff(empty), [empty, undefined])
  })

  it("a message says stop while it streams, then what the model said, unless the run ended it", () => {
    const { draft } = fold([{ _tag: "TextStarted" }])
    const { draft: finished } = fold([{ _tag: "Finished", stopReason: "length" }])
    const reason = (...args: Parameters<typeof AssistantDraft.toMessage>) =>
      AssistantDraft.toMessage(...args).stopReason
    assert.deepStrictEqual(
      [reason(draft), reason(finished), reason(finished, { stopReason: "aborted" })],
      ["stop", "length", "aborted"]
    )
    const failed = AssistantDraft.toMessage(finished, { stopReason: "error", errorMessage: "no" })
    assert.deepInclude(failed, { stopReason: "error", errorMessage: "no" })
    assert.notProperty(failed, "responseId")
    assert.notProperty(AssistantDraft.toMessage(finished), "errorMessage")
  })

  it("earlier drafts stay as they were", () => {
    const before = fold([{ _tag: "TextStarted" }, { _tag: "Delta", delta: "a" }]).draft
    AssistantDraft.apply(before, { _tag: "Delta", delta: "b" })
    assert.deepStrictEqual(AssistantDraft.toMessage(before).content, [{ type: "text", text: "a" }])
  })

  const states: ReadonlyArray<readonly [string, ReadonlyArray<ModelEvent>, string]> = [
    ["complete JSON", toolCall('{"a":1}'), "ready"],
    ["no arguments", toolCall(""), "ready"],
    ["broken JSON", toolCall('{"a":'), "malformed"],
    ["an array", toolCall("[1]"), "malformed"],
    ["a cut-off call", toolCall('{"a":"b', false), "unfinished"],
    ["the output limit", [...toolCall('{"a":'), { _tag: "Finished", stopReason: "length" }], "unfinished"],
    ["the output limit behind a whole call", [...toolCall("{}"), { _tag: "Finished", stopReason: "length" }], "ready"]
  ]
  for (const [name, events, state] of states) {
    it(`${name} is ${state}`, () => {
      assert.strictEqual(AssistantDraft.requestedCalls(fold(events).draft)[0]?.state, state)
    })
  }
})
