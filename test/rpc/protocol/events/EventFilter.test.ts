import { assert, describe, it } from "@effect/vitest"
import * as AssistantDraft from "../../../../src/domain/conversation/AssistantDraft.ts"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as EventFilter from "../../../../src/rpc/protocol/events/EventFilter.ts"
import { events } from "../../../../src/rpc/protocol/events/EventSchemas.ts"
import * as UpdateFrames from "../../../../src/rpc/outbox/UpdateFrames.ts"
import { model } from "../../../support/agent/ScriptedModel.ts"

describe("EventFilter", () => {
  it("hides session events only", () => {
    const nothing = EventFilter.make([])
    const shown = events.filter((event) => !EventFilter.hides(nothing, event)).map(({ type }) => type)
    const always = [
      "extension_error",
      "host_tool_call",
      "host_tool_cancel",
      "prompt_result",
      "ready",
      "session_settled"
    ]
    assert.includeMembers(shown, [...always, "startup"])
    const hidden = ["agent_start", "agent_end", "agent_settled", "message_update", "queue_update", "notice"]
    for (const type of hidden) assert.notInclude(shown, type)
    const future = [
      "extension_ui_request",
      "subagent_lifecycle",
      "subagent_start",
      "approval_request",
      "host_uri_request"
    ]
    for (const type of future) assert.isFalse(EventFilter.hides(nothing, { type }), type)
    assert.isTrue(EventFilter.hides(EventFilter.make(["agent_end"]), { type: "agent_start" }))
    assert.isFalse(EventFilter.hides(EventFilter.make(["agent_end"]), { type: "agent_end" }))
    assert.isFalse(EventFilter.hides(EventFilter.make(null), { type: "agent_start" }))
  })

  it("a filter that comes while deltas are held back drops them, and one that goes shows the whole message again", () => {
    let filter: EventFilter.EventFilter | undefined
    let numbers = 0
    const updates = UpdateFrames.make(
      () => filter?.form ?? "full",
      () => `,"seq":${++numbers}`
    )
    let draft = AssistantDraft.empty(model, 0)
    const push = (event: ModelEvent) => {
      const [next, update] = AssistantDraft.apply(draft, event)
      draft = next
      return update === undefined
        ? ""
        : updates.push({ _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update }, 0)
    }
    push({ _tag: "TextStarted" })
    push({ _tag: "Delta", delta: "a".repeat(1000) })
    assert.strictEqual(push({ _tag: "Delta", delta: "b" }), "", "held back")
    filter = EventFilter.make([])
    assert.strictEqual(updates.flush() + push({ _tag: "Delta", delta: "c" }), "")
    assert.isUndefined(updates.dueAt())
    filter = EventFilter.make(null)
    const last = JSON.parse(push({ _tag: "Delta", delta: "d".repeat(1000) }))
    assert.strictEqual(last.message.content[0].text, `${"a".repeat(1000)}bc${"d".repeat(1000)}`)
    assert.strictEqual(last.seq, 3, "only what is sent is numbered")
  })
})
