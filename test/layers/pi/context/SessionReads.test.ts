import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AgentMessage } from "../../../../src/domain/conversation/Message.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"

const said = (text: string): AgentMessage => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 })

const typesOf = (entries: ReadonlyArray<object>) => entries.map((entry) => ("type" in entry ? entry.type : undefined))

it.scoped("an empty session has a header and an id, and nothing else", () =>
  Effect.gen(function* () {
    const { ctx } = yield* Loaded.make()
    const manager = ctx.sessionManager
    assert.deepStrictEqual(
      [
        manager.getCwd(),
        manager.getSessionFile(),
        manager.getSessionDir(),
        manager.isPersisted(),
        manager.getSessionName(),
        manager.getLeafId(),
        manager.getLeafEntry(),
        manager.getEntries(),
        manager.getBranch(),
        manager.getTree(),
        manager.getEntryCount()
      ],
      ["/project", undefined, "", false, undefined, null, undefined, [], [], [], 0]
    )
    assert.deepInclude(manager.getHeader(), { type: "session", id: manager.getSessionId(), version: 3 })
    assert.deepStrictEqual(manager.buildSessionContext(), { messages: [], thinkingLevel: "off", model: null })
  })
)

it.scoped("entries have pi's shape; the queue's own are not among them", () =>
  Effect.gen(function* () {
    const { ctx, session } = yield* Loaded.make()
    const manager = ctx.sessionManager
    const first = yield* session.append({ type: "message", message: said("hi") })
    const custom = yield* session.append({ type: "custom", customType: "todo", data: { n: 1 } })
    yield* session.append({ type: "custom", customType: "heddle.queue", data: {} })
    const label = yield* session.append({ type: "label", targetId: first.id, label: "start" })
    yield* session.append({ type: "session_info", name: "Work" })
    const { id, parentId, timestamp } = custom
    const shown = { type: "custom", id, parentId, timestamp, customType: "todo", data: { n: 1 } }
    assert.deepStrictEqual(manager.getEntry(custom.id), shown)
    assert.deepStrictEqual(typesOf(manager.getEntries()), ["message", "custom", "label", "session_info"])
    assert.deepStrictEqual(typesOf(manager.getBranch()), ["message", "custom", "label", "session_info"])
    assert.deepStrictEqual(typesOf(manager.getBranch(custom.id)), ["message", "custom"])
    assert.deepStrictEqual(typesOf(manager.getChildren(first.id)), ["custom"])
    assert.deepStrictEqual([manager.getLabel(first.id), manager.getLabel(label.id)], ["start", undefined])
    assert.deepStrictEqual([manager.getSessionName(), manager.getEntryCount()], ["Work", 4])
    assert.deepStrictEqual([manager.getEntry("nowhere"), manager.getEntry(5)], [undefined, undefined])
    const [root] = manager.getTree()
    assert.deepStrictEqual([root?.entry, root?.label], [manager.getEntry(first.id), "start"])
    assert.strictEqual(
      Loaded.thrown(() => manager.getBranch("nowhere")),
      "Entry not found: nowhere"
    )
  })
)

it.scoped("an entry is copied once, so that a change of it stays with the extensions", () =>
  Effect.gen(function* () {
    const { ctx, session } = yield* Loaded.make()
    const manager = ctx.sessionManager
    const message = said("hi")
    const { id } = yield* session.append({ type: "message", message })
    const entry = manager.getEntry(id)
    assert.strictEqual(manager.getEntries()[0], entry)
    assert.strictEqual(manager.getBranch()[0], entry)
    if (entry !== undefined && "message" in entry) Object.assign(entry.message ?? {}, { content: "changed" })
    assert.deepInclude(message, { content: [{ type: "text", text: "hi" }] })
    yield* session.append({ type: "message", message: said("later") })
    assert.strictEqual(manager.getEntries().length, 2)
    assert.notStrictEqual(manager.getEntry(manager.getLeafId()), entry)
  })
)

it.scoped("the context is what the model is sent: the newest summary, what it kept, and what came later", () =>
  Effect.gen(function* () {
    const { ctx, session } = yield* Loaded.make()
    const manager = ctx.sessionManager
    yield* session.append({ type: "message", message: said("old") })
    const kept = yield* session.append({ type: "message", message: said("kept") })
    yield* session.append({ type: "compaction", summary: "s", firstKeptEntryId: kept.id, tokensBefore: 9 })
    yield* session.append({ type: "message", message: said("new") })
    yield* session.append({ type: "thinking_level_change", thinkingLevel: "high" })
    yield* session.append({ type: "model_change", provider: "p", modelId: "m" })
    assert.deepStrictEqual(typesOf(manager.buildContextEntries()), [
      "compaction",
      "message",
      "message",
      "thinking_level_change",
      "model_change"
    ])
    const { messages, model, thinkingLevel } = manager.buildSessionContext()
    assert.deepStrictEqual(
      messages.map((message) => JSON.stringify(message).includes("kept")),
      [false, true, false]
    )
    assert.deepStrictEqual([model, thinkingLevel], [{ provider: "p", modelId: "m" }, "high"])
  })
)
