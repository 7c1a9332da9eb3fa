import { assert, describe, it } from "@effect/vitest"
import * as AssistantDraft from "../../../src/domain/conversation/AssistantDraft.ts"
import * as Blocks from "../../../src/domain/conversation/Blocks.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import type { UpdateForm } from "../../../src/rpc/connection/Preferences.ts"
import * as UpdateFrames from "../../../src/rpc/outbox/UpdateFrames.ts"
import { model } from "../../support/agent/ScriptedModel.ts"

/** Streams `count` deltas, a millisecond apart if `paced`, and returns the frames. */
const stream = (form: UpdateForm, count: number, msPerDelta = 0) => {
  const updates = UpdateFrames.make(
    () => form,
    () => ""
  )
  const events: ReadonlyArray<ModelEvent> = [
    { _tag: "TextStarted" },
    ...Array.from({ length: count }, (_, i) => ({ _tag: "Delta", delta: `tok${i} `.padEnd(20, "x") }) as const),
    { _tag: "BlockEnded" }
  ]
  let draft = AssistantDraft.empty(model, 0)
  let text = ""
  for (const [i, event] of events.entries()) {
    const [next, update] = AssistantDraft.apply(draft, event)
    draft = next
    if (update !== undefined) {
      text += updates.push({ _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update }, i * msPerDelta)
    }
  }
  return {
    text,
    frames: text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    draft
  }
}

const joined = (frames: ReadonlyArray<{ readonly assistantMessageEvent: { readonly delta?: string } }>) =>
  frames.map(({ assistantMessageEvent }) => assistantMessageEvent.delta ?? "").join("")

describe("UpdateFrames", () => {
  it("delta form: a frame for each step, no copy of the message, bytes linear", () => {
    const [one, two] = [stream("delta", 500), stream("delta", 1000)]
    assert.strictEqual(one.frames.length, 502)
    assert.isTrue(one.frames.every((frame) => !("message" in frame) && !("partial" in frame.assistantMessageEvent)))
    assert.isBelow(two.text.length / one.text.length, 2.1)
  })

  it("full form: short messages are token-exact and carry the message twice", () => {
    const { draft, frames } = stream("full", 10)
    assert.strictEqual(frames.length, 12)
    const last = frames.at(-1)
    assert.deepStrictEqual(last.message, AssistantDraft.toMessage(draft))
    assert.deepStrictEqual(last.assistantMessageEvent.partial, last.message)
  })

  it("full form: the message has the usage that has been reported so far", () => {
    const updates = UpdateFrames.make(
      () => "full",
      () => ""
    )
    const tokens = { input: 7, output: 1, cacheRead: 0, cacheWrite: 0 }
    let draft = AssistantDraft.empty(model, 0)
    const push = (event: ModelEvent) => {
      const [next, update] = AssistantDraft.apply(draft, event)
      draft = next
      const said = { _tag: "MessageUpdated", runId: "r", messageId: "m", draft } as const
      return update === undefined ? undefined : JSON.parse(updates.push({ ...said, update }, 0))
    }
    push({ _tag: "TextStarted" })
    const first = push({ _tag: "Delta", delta: "a" })
    assert.deepStrictEqual([first.usage.input, first.message.usage.input], [0, 0])
    push({ _tag: "UsageReported", tokens })
    const frame = push({ _tag: "Delta", delta: "b" })
    assert.deepStrictEqual(frame.usage, draft.usage)
    assert.deepStrictEqual(frame.message.usage, draft.usage)
    assert.strictEqual(frame.message.usage.input, 7)
    assert.deepStrictEqual(frame.assistantMessageEvent.partial.usage, draft.usage)
  })

  it("full form: joined deltas are exactly the text, and bytes grow in proportion to it", () => {
    const sizes = [2000, 4000, 8000].map((count) => {
      const { draft, frames, text } = stream("full", count)
      assert.strictEqual(joined(frames), draft.blocks?.last.text)
      return text.length
    })
    const [a = 0, b = 0, c = 0] = sizes
    assert.isBelow(b / a, 2.3)
    assert.isBelow(c / b, 2.3)
  })

  it("full form: what is held back is due after 100 ms", () => {
    const updates = UpdateFrames.make(
      () => "full",
      () => ""
    )
    const block = { type: "text", text: "x".repeat(10_000) } as const
    const draft = { ...AssistantDraft.empty(model, 0), blocks: Blocks.append(undefined, block), open: true }
    const update = { kind: "text", step: "delta", contentIndex: 0, delta: "y" } as const
    assert.strictEqual(updates.push({ _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update }, 1000), "")
    assert.strictEqual(updates.dueAt(), 1100)
    assert.include(updates.flush(), '"delta":"y"')
    assert.isUndefined(updates.dueAt())
  })

  it("full form: beyond 256 KiB only time makes an update due", () => {
    const { frames, draft } = stream("full", 20_000)
    const sizes = frames.flatMap(({ message }) => message.content.map((block: { text: string }) => block.text.length))
    const before = Math.max(...sizes.filter((size) => size < 400_000))
    assert.strictEqual(joined(frames), draft.blocks?.last.text)
    assert.strictEqual(sizes.at(-1), 400_000)
    assert.isBelow(before, 270_000)
    assert.isAbove(stream("full", 20_000, 1).frames.length, frames.length + 20)
  })
})
