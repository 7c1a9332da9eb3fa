import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { AgentClosing } from "../../../../src/services/Agent.ts"
import { NotStorable } from "../../../../src/services/Sending.ts"
import { EntryNotFound } from "../../../../src/services/session/Session.ts"
import * as SessionTree from "../../../../src/domain/session/SessionTree.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import { say } from "../../../support/agent/ScriptedModel.ts"
import * as SessionHarness from "../../../support/agent/SessionHarness.ts"

it.effect("an entry is stored beside the conversation, and told with its place", () =>
  Harness.run({ turns: [say("ok")] }, ({ agent, events, extensionEntries, session }) =>
    Effect.gen(function* () {
      const data = { count: 42 }
      const id = yield* extensionEntries.append("my-state", data)
      data.count = 43
      const bare = yield* extensionEntries.append("bare")
      const place = { parentId: null, timestamp: "1970-01-01T00:00:00.000Z" }
      const first = { type: "custom", customType: "my-state", data: { count: 42 }, id, ...place } as const
      const second = { type: "custom", customType: "bare", ...place, id: bare, parentId: id } as const
      assert.deepStrictEqual(yield* session.entries, [first, second])
      assert.deepStrictEqual(events, [
        { _tag: "EntryAppended", entry: first },
        { _tag: "EntryAppended", entry: second }
      ])
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      assert.strictEqual((yield* session.messages).length, 2)
    })
  )
)

it.effect("an entry that could not be read back, or could be taken for one of ours, is refused", () =>
  Harness.run({ turns: [], settings: { "queue.maxBytes": 100 } }, ({ events, extensionEntries, session }) =>
    Effect.gen(function* () {
      const item = { messageId: "m", queue: "steering", content: [] }
      const refused = [
        yield* Effect.flip(extensionEntries.append("heddle.queue", { op: "add", items: [item] })),
        yield* Effect.flip(extensionEntries.append("", 1)),
        yield* Effect.flip(extensionEntries.append("x", [1n])),
        yield* Effect.flip(extensionEntries.append("x", "x".repeat(101)))
      ]
      for (const error of refused) assert.instanceOf(error, NotStorable)
      assert.deepStrictEqual(
        refused.map(({ message }) => message),
        [
          'The entry cannot be stored: types that start with "heddle." belong to heddle',
          "The entry cannot be stored: its type must be a text that is not empty",
          "The entry cannot be stored: holds a BigInt",
          "The entry cannot be stored: longer than 100 characters of JSON"
        ]
      )
      assert.deepStrictEqual([yield* session.entries, yield* session.queued, events], [[], [], []])
    })
  )
)

it.effect("labels are set and taken off entries that exist", () =>
  Harness.run({ turns: [] }, ({ events, extensionEntries, session }) =>
    Effect.gen(function* () {
      const id = yield* extensionEntries.append("x")
      const labels = Effect.map(session.entries, (entries) =>
        [...SessionTree.labels(entries)].map(([target, { label }]) => [target, label])
      )
      yield* extensionEntries.setLabel(id, "here")
      assert.deepStrictEqual(yield* labels, [[id, "here"]])
      yield* extensionEntries.setLabel(id, undefined)
      assert.deepStrictEqual(yield* labels, [])
      yield* extensionEntries.setLabel(id, "again")
      yield* extensionEntries.setLabel(id, "")
      assert.deepStrictEqual(yield* labels, [])
      assert.instanceOf(yield* Effect.flip(extensionEntries.setLabel("nowhere", "x")), EntryNotFound)
      assert.strictEqual(events.length, 1)
    })
  )
)

it.effect("a session that the host has left takes neither; what was for its next prompt is gone", () =>
  SessionHarness.run({}, ({ agent, extensionEntries, session, sessions }) =>
    Effect.gen(function* () {
      const [left, entries, stored] = [agent, extensionEntries, session]
      yield* left.send({ customType: "n", content: "x", display: true }, { deliverAs: "nextTurn" })
      const id = yield* entries.append("x")
      yield* sessions.create({})
      assert.instanceOf(yield* Effect.flip(entries.append("y")), AgentClosing)
      assert.instanceOf(yield* Effect.flip(entries.setLabel(id, "y")), AgentClosing)
      assert.deepStrictEqual(yield* stored.queued, [])
    })
  )
)
