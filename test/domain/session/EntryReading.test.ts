import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, FastCheck as fc, Schema } from "effect"
import { readEntry, readMessage } from "../../../src/domain/session/EntryReading.ts"
import { isAgentMessage, isOwnEntry } from "../../../src/domain/session/EntryShape.ts"
import { AgentMessage } from "../../../src/domain/conversation/Message.ts"
import { NewEntry, toJson } from "../../../src/domain/session/SessionEntry.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"

const place = { id: "a1", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" }
const at = Date.parse(place.timestamp)
const fromDisk = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const entries = Arbitrary.make(NewEntry).map((entry) => ({ ...place, ...entry }))

describe("what we write", () => {
  it("is read as it is, without a copy", () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const value = fromDisk(entry)
        assert.strictEqual(readEntry(value), value)
      })
    )
  })

  it("is told from what lacks a member as the schemas tell it", () => {
    const [isNew, isMessage] = [Schema.is(NewEntry), Schema.is(AgentMessage)]
    fc.assert(
      fc.property(entries, fc.nat(20), (entry, n) => {
        const key = Object.keys(entry)[n % Object.keys(entry).length] ?? ""
        const less = Object.fromEntries(Object.entries(entry).filter(([name]) => name !== key))
        if (!(key in place)) assert.strictEqual(isOwnEntry(less), isNew(less), key)
        if (entry.type !== "message") return
        const members = Object.entries(entry.message).filter((_, index) => index !== n % 4)
        const message = Object.fromEntries(members)
        assert.strictEqual(isAgentMessage(message), isMessage(message), JSON.stringify(message))
      }),
      { numRuns: 300 }
    )
  })
})

const usage = Usage.zero
const text = (said: string) => ({ type: "text", text: said })
const answer = { role: "assistant", content: [text("hi")], api: "x", provider: "p", model: "m", usage, timestamp: 1 }

const messages: Record<string, { readonly given: object; readonly read: object | undefined }> = {
  "plain text of a user": {
    given: { role: "user", content: "hello", timestamp: 1 },
    read: { role: "user", content: [text("hello")], timestamp: 1 }
  },
  "an old answer without usage or reason": {
    given: { role: "assistant", content: "hi", provider: "p", model: "m" },
    read: { ...answer, api: "", stopReason: "stop", timestamp: at }
  },
  "an answer that took tokens back": {
    given: { ...answer, usage: { ...usage, input: -31_500, totalTokens: -31_500 }, stopReason: "stop" },
    read: { ...answer, stopReason: "stop" }
  },
  "an answer that took more than there can be": {
    given: { ...answer, usage: { ...usage, output: 1e308 }, stopReason: "stop" },
    read: { ...answer, stopReason: "stop" }
  },
  "a block that we do not know": {
    given: { ...answer, content: [{ type: "hologram" }, text("hi")], stopReason: "stop" },
    read: { ...answer, stopReason: "stop" }
  },
  "a reason that we do not know": {
    given: { ...answer, stopReason: "tired" },
    read: { ...answer, stopReason: "stop" }
  },
  "a result whose details are no object": {
    given: { role: "toolResult", toolCallId: "c", toolName: "t", content: "out", details: [1], timestamp: 1 },
    read: { role: "toolResult", toolCallId: "c", toolName: "t", content: [text("out")], isError: false, timestamp: 1 }
  },
  "a command that was killed": {
    given: { role: "bashExecution", command: "ls", output: "", exitCode: null, cancelled: true, timestamp: 1 },
    read: { role: "bashExecution", command: "ls", output: "", cancelled: true, truncated: false, timestamp: 1 }
  },
  "a hook's message": {
    given: { role: "hookMessage", customType: "lint", content: "x", display: true, timestamp: 1 },
    read: { role: "custom", customType: "lint", content: "x", display: true, timestamp: 1 }
  },
  "a developer's message": {
    given: { role: "developer", content: "be brief", timestamp: 1 },
    read: { role: "custom", customType: "developer", content: "be brief", display: false, timestamp: 1 }
  },
  "a system message": { given: { role: "system", content: "you are", timestamp: 1 }, read: undefined },
  "a role of tomorrow": { given: { role: "oracle", content: [], timestamp: 1 }, read: undefined }
}

describe("messages of others", () => {
  for (const [name, { given, read }] of Object.entries(messages)) {
    it(name, () => assert.deepStrictEqual<unknown>(readMessage(given, at), read))
  }

  it("members we do not know stay, as do members of blocks", () => {
    const given = { ...answer, stopReason: "stop", ttft: 3, content: [{ ...text("hi"), cache: true }] }
    assert.deepStrictEqual<unknown>(readMessage(given, at), given)
  })
})

const others: Record<string, { readonly given: object; readonly read: object | undefined }> = {
  "xcsh names a model in one word": {
    given: { type: "model_change", model: "anthropic/claude/x" },
    read: { type: "model_change", provider: "anthropic", modelId: "claude/x", model: "anthropic/claude/x" }
  },
  "a model for another role does not change the conversation's": {
    given: { type: "model_change", model: "a/b", role: "smol" },
    read: undefined
  },
  "a compaction by a hook that keeps nothing": {
    given: { type: "compaction", summary: "s", fromHook: true, systemMessage: { role: "system" } },
    read: {
      type: "compaction",
      summary: "s",
      fromExtension: true,
      firstKeptEntryId: "a1",
      tokensBefore: 0,
      systemMessage: { role: "system" }
    }
  },
  "a label that is cleared": {
    given: { type: "label", targetId: "b", label: null },
    read: { type: "label", targetId: "b" }
  },
  "usage in pi's form": { given: { type: "usage", kind: "compaction" }, read: undefined },
  "an edit": { given: { type: "context_edit", targetId: "b", replacement: null }, read: undefined },
  "a thinking level of tomorrow": { given: { type: "thinking_level_change", thinkingLevel: "galaxy" }, read: undefined }
}

describe("entries of others", () => {
  for (const [name, { given, read }] of Object.entries(others)) {
    it(name, () => {
      const raw = { ...given, ...place }
      const entry = readEntry(raw)
      const wanted = read === undefined ? { type: "foreign", raw, ...place } : { ...read, ...place, original: raw }
      assert.deepStrictEqual<unknown>(entry, wanted)
      assert.strictEqual(entry === undefined ? undefined : toJson(entry), raw)
    })
  }

  for (const value of [
    null,
    3,
    "x",
    [],
    {},
    { type: "message" },
    { id: "a" },
    { type: 1, id: "a" },
    { type: "x", id: "" }
  ]) {
    it(`${JSON.stringify(value)} has no place in a tree`, () => assert.isUndefined(readEntry(value)))
  }

  it("are read whatever they hold", () => {
    fc.assert(
      fc.property(
        fc.object({ maxDepth: 3 }),
        fc.constantFrom(...NewEntry.members.map((m) => m.fields.type.literals[0])),
        (body, type) => {
          const entry = readEntry(fromDisk({ ...body, type, ...place, message: { ...body, role: "assistant" } }))
          assert.isTrue(entry !== undefined && (entry.type === "foreign" || isOwnEntry(entry)))
        }
      )
    )
  })
})
