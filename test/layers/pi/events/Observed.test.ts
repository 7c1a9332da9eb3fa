import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AssistantDraft from "../../../../src/domain/conversation/AssistantDraft.ts"
import type { AssistantMessage, ToolResultMessage } from "../../../../src/domain/conversation/Message.ts"
import * as Usage from "../../../../src/domain/model/Usage.ts"
import * as Api from "../../../../src/layers/pi/api/Api.ts"
import * as ScriptedModel from "../../../support/agent/ScriptedModel.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"

const { model } = ScriptedModel
const answer: AssistantMessage = AssistantDraft.toMessage(AssistantDraft.empty(model, 1))
const result: ToolResultMessage = {
  role: "toolResult",
  toolCallId: "c1",
  toolName: "t",
  content: [],
  isError: false,
  timestamp: 1
}
const runId = "r1"
const ref = { toolCallId: "c1", toolName: "t", args: { a: 1 } }

const watchAll = Effect.gen(function* () {
  const loaded = yield* Loaded.make()
  const seen: Array<unknown> = []
  for (const name of Api.eventNames) loaded.pi.on(name, (event: unknown) => void seen.push(event))
  return { ...loaded, seen }
})

it.scoped("runs, turns, messages and tools have pi's names and members", () =>
  Effect.gen(function* () {
    const { hooks, seen } = yield* watchAll
    yield* hooks.ask("RunStarted", { _tag: "RunStarted", runId })
    yield* hooks.ask("TurnStarted", { _tag: "TurnStarted", runId, turnIndex: 0, timestamp: 5 })
    yield* hooks.ask("MessageStarted", { _tag: "MessageStarted", message: answer, runId, messageId: "m1" })
    yield* hooks.ask("ToolStarted", { _tag: "ToolStarted", runId, ...ref })
    yield* hooks.ask("ToolUpdated", { _tag: "ToolUpdated", runId, ...ref, partialResult: { content: [] } })
    const { args: _, ...ended } = ref
    yield* hooks.ask("ToolEnded", {
      _tag: "ToolEnded",
      runId,
      ...ended,
      result: { content: [] },
      isError: true,
      durationMs: 3
    })
    yield* hooks.ask("TurnEnded", { _tag: "TurnEnded", runId, turnIndex: 0, message: answer, toolResults: [result] })
    yield* hooks.ask("RunEnded", { _tag: "RunEnded", runId, messages: [answer] })
    yield* hooks.ask("RunSettled", { _tag: "RunSettled", runId, aborted: true })
    assert.deepStrictEqual(seen, [
      { type: "agent_start" },
      { type: "turn_start", turnIndex: 0, timestamp: 5 },
      { type: "message_start", message: answer },
      { type: "tool_execution_start", ...ref },
      { type: "tool_execution_update", ...ref, partialResult: { content: [] } },
      { type: "tool_execution_end", ...ended, result: { content: [] }, isError: true, durationMs: 3 },
      {
        type: "turn_end",
        turnIndex: 0,
        message: answer,
        toolResults: [result],
        outcome: "completed",
        entries: [],
        continue: false
      },
      { type: "agent_end", messages: [answer] },
      { type: "agent_settled", aborted: true }
    ])
  })
)

it.scoped("retries and compactions that heddle starts by itself are told; one that the user asked for is not", () =>
  Effect.gen(function* () {
    const { hooks, seen } = yield* watchAll
    yield* hooks.ask("RetryScheduled", {
      _tag: "RetryScheduled",
      runId,
      attempt: 1,
      maxAttempts: 3,
      delayMs: 2000,
      errorMessage: "overloaded"
    })
    yield* hooks.ask("RetryEnded", { _tag: "RetryEnded", runId, success: false, attempt: 3, finalError: "no" })
    const automatic = { compactionId: "k1", reason: "threshold", action: "context-full" } as const
    const manual = { ...automatic, reason: "manual" } as const
    yield* hooks.ask("CompactionStarted", { _tag: "CompactionStarted", ...automatic })
    yield* hooks.ask("CompactionStarted", { _tag: "CompactionStarted", ...manual })
    const done = { summary: "s", firstKeptEntryId: "e", tokensBefore: 1 }
    const ended = { _tag: "CompactionEnded", aborted: false, willRetry: false } as const
    yield* hooks.ask("CompactionEnded", { ...ended, ...automatic, result: done })
    yield* hooks.ask("CompactionEnded", { ...ended, ...manual, errorMessage: "no key" })
    assert.deepStrictEqual(seen, [
      { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: "overloaded" },
      { type: "auto_retry_end", success: false, attempt: 3, finalError: "no" },
      { type: "auto_compaction_start", reason: "threshold", action: "context-full" },
      { type: "auto_compaction_end", action: "context-full", result: done, aborted: false, willRetry: false },
      {
        type: "session_compact_failed",
        reason: "manual",
        aborted: false,
        willRetry: false,
        fromExtension: false,
        errorMessage: "no key"
      }
    ])
  })
)

it.scoped("a reminder of todos is told, with a copy of them", () =>
  Effect.gen(function* () {
    const { hooks, seen } = yield* watchAll
    const todos = [{ id: "task-1", content: "Weave", status: "pending" }] as const
    yield* hooks.ask("TodoReminder", { _tag: "TodoReminder", runId, todos, attempt: 1, maxAttempts: 3 })
    assert.deepStrictEqual(seen, [{ type: "todo_reminder", todos, attempt: 1, maxAttempts: 3 }])
  })
)

it.scoped("a change of model or level says what was in force before", () =>
  Effect.gen(function* () {
    const { hooks, seen } = yield* watchAll
    const other = { ...model, id: "other" }
    yield* hooks.ask("ModelChanged", { _tag: "ModelChanged", model: other })
    yield* hooks.ask("ModelChanged", { _tag: "ModelChanged", model })
    yield* hooks.ask("ThinkingLevelChanged", { _tag: "ThinkingLevelChanged", level: "high" })
    yield* hooks.ask("ThinkingLevelChanged", { _tag: "ThinkingLevelChanged", level: "low" })
    yield* hooks.ask("SessionNamed", { _tag: "SessionNamed", name: "Work" })
    assert.deepStrictEqual(seen, [
      { type: "model_select", model: other, previousModel: model, source: "set" },
      { type: "model_select", model, previousModel: other, source: "set" },
      { type: "thinking_level_select", level: "high", previousLevel: "off" },
      { type: "thinking_level_select", level: "low", previousLevel: "high" },
      { type: "session_info_changed", name: "Work" }
    ])
  })
)

describe("message_update", () => {
  type Update = {
    readonly message: unknown
    readonly assistantMessageEvent: { readonly type: string; readonly partial: unknown; readonly delta?: string }
  }

  const updates = () => {
    const events = ScriptedModel.call(["c1", "read", { path: "a" }]).events
    const said = ScriptedModel.say("hello").events.slice(0, 3)
    let draft = AssistantDraft.empty(model, 1)
    const found: Array<{ readonly draft: AssistantDraft.AssistantDraft; readonly update: AssistantDraft.Update }> = []
    for (const event of [...said, ...events]) {
      const [next, update] = AssistantDraft.apply(draft, event)
      draft = next
      if (update !== undefined) found.push({ draft, update })
    }
    return found
  }

  it.scoped("has each step, with the members that pi gives it", () =>
    Effect.gen(function* () {
      const { hooks, pi } = yield* Loaded.make()
      const seen: Array<unknown> = []
      pi.on("message_update", ({ assistantMessageEvent: { partial, ...event } }: Update) => {
        seen.push(event)
        assert.deepInclude(partial, { role: "assistant", model: "test-model" })
      })
      for (const { draft, update } of updates()) {
        yield* hooks.ask("MessageUpdated", { _tag: "MessageUpdated", runId, messageId: "m", draft, update })
      }
      assert.deepStrictEqual(hooks.reports, [])
      assert.deepStrictEqual(seen, [
        { type: "text_start", contentIndex: 0 },
        { type: "text_delta", contentIndex: 0, delta: "hello" },
        { type: "text_end", contentIndex: 0, content: "hello" },
        { type: "toolcall_start", contentIndex: 1, id: "c1", toolName: "read" },
        { type: "toolcall_delta", contentIndex: 1, delta: '{"path":"a"}' },
        {
          type: "toolcall_end",
          contentIndex: 1,
          toolCall: { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } }
        }
      ])
    })
  )

  it.scoped("costs no effect with a handler that answers at once, and builds the message only when it is read", () =>
    Effect.gen(function* () {
      const { hooks, pi } = yield* Loaded.make()
      let last: Update | undefined
      pi.on("message_update", (event: Update) => {
        last = event
      })
      let reads = 0
      const draft: AssistantDraft.AssistantDraft = {
        ...AssistantDraft.empty(model, 1),
        get usage() {
          reads++
          return Usage.zero
        }
      }
      const update = { kind: "text", step: "delta", contentIndex: 0, delta: "x" } as const
      const event = { _tag: "MessageUpdated", runId, messageId: "m", draft, update } as const
      assert.deepStrictEqual(hooks.poll("MessageUpdated", event), [undefined])
      assert.strictEqual(reads, 0)
      assert.strictEqual(last?.assistantMessageEvent.partial, last?.message)
      assert.strictEqual(reads, 1)
    })
  )
})

it.scoped("an extension that is still loading, or stale, is not called", () =>
  Effect.gen(function* () {
    const one = yield* Loaded.make()
    const other = yield* Loaded.add(one, { shared: one.shared, path: "/x/two.ts" })
    other.pi.on("agent_start", () => assert.fail("called"))
    assert.deepStrictEqual(yield* one.hooks.ask("RunStarted", { _tag: "RunStarted", runId }), [undefined])
    other.instance.activate()
    yield* other.close
    assert.deepStrictEqual(yield* one.hooks.ask("RunStarted", { _tag: "RunStarted", runId }), [])
  })
)
