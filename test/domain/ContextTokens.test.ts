import { describe, expect, it } from "@effect/vitest"
import { text } from "../../src/domain/Content.ts"
import * as ContextTokens from "../../src/domain/ContextTokens.ts"
import type { AgentMessage, AssistantMessage, StopReason } from "../../src/domain/Message.ts"
import type { NewEntry, SessionEntry } from "../../src/domain/SessionEntry.ts"
import * as Usage from "../../src/domain/Usage.ts"

const user = (said: string): AgentMessage => ({ role: "user", content: [text(said)], timestamp: 0 })

const assistant = (said: string, tokens: number, stopReason: StopReason = "stop"): AssistantMessage => ({
  role: "assistant",
  content: [text(said)],
  api: "a",
  provider: "p",
  model: "m",
  usage: Usage.make({ ...Usage.zeroTokens, input: tokens }, Usage.zeroTokens),
  stopReason,
  timestamp: 0
})

const branch = (...entries: ReadonlyArray<NewEntry>): ReadonlyArray<SessionEntry> =>
  entries.map((entry, at) => ({
    ...entry,
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    timestamp: "1970-01-01T00:00:00.000Z"
  }))

const message = (message: AgentMessage): NewEntry => ({ type: "message", message })
const compaction: NewEntry = { type: "compaction", summary: "12345678", firstKeptEntryId: "e1", tokensBefore: 9 }

describe("ContextTokens.estimate", () => {
  const cases: ReadonlyArray<readonly [string, AgentMessage, number]> = [
    ["text, rounded up", user("12345"), 2],
    ["nothing", user(""), 0],
    ["an image", { role: "user", content: [{ type: "image", data: "x", mimeType: "image/png" }], timestamp: 0 }, 1200],
    [
      "thinking and a call: name and arguments",
      {
        ...assistant("", 0),
        content: [
          { type: "thinking", thinking: "1234" },
          { type: "toolCall", id: "c", name: "read", arguments: { path: "a" } }
        ]
      },
      5
    ],
    ["a failed attempt", assistant("12345678", 0, "error"), 0],
    [
      "a command and its output",
      { role: "bashExecution", command: "ls", output: "ab", cancelled: false, truncated: false, timestamp: 0 },
      1
    ],
    [
      "a command that models are not shown",
      {
        role: "bashExecution",
        command: "ls",
        output: "ab",
        cancelled: false,
        truncated: false,
        excludeFromContext: true,
        timestamp: 0
      },
      0
    ],
    ["a custom text", { role: "custom", customType: "t", content: "1234", display: true, timestamp: 0 }, 1],
    ["a summary", { role: "compactionSummary", summary: "12345678", tokensBefore: 0, timestamp: 0 }, 2]
  ]
  it.each(cases)("%s", (_, input, tokens) => expect(ContextTokens.estimate(input)).toBe(tokens))
})

describe("ContextTokens.ofBranch", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<SessionEntry>, ContextTokens.ContextSize]> = [
    ["an empty one", [], { tokens: 0, basis: "estimate" }],
    ["only a prompt", branch(message(user("1234"))), { tokens: 1, basis: "estimate" }],
    [
      "what was reported and what came later",
      branch(message(user("1234")), message(assistant("ok", 100)), message(user("12345678"))),
      { tokens: 102, basis: "usage" }
    ],
    [
      "failed and aborted calls report nothing",
      branch(
        message(assistant("ok", 100)),
        message(assistant("1234", 500, "aborted")),
        message(assistant("1234", 700, "error"))
      ),
      { tokens: 101, basis: "usage" }
    ],
    [
      "a report of zero is none",
      branch(message(user("1234")), message(assistant("1234", 0))),
      { tokens: 2, basis: "estimate" }
    ],
    [
      "a report from before a compaction counts no more",
      branch(message(user("1234")), message(assistant("1234", 9000)), compaction, message(user("1234"))),
      { tokens: 4, basis: "compacted" }
    ],
    [
      "one from after it does",
      branch(message(user("1234")), message(assistant("1234", 9000)), compaction, message(assistant("1234", 50))),
      { tokens: 50, basis: "usage" }
    ]
  ]
  it.each(cases)("%s", (_, entries, size) => expect(ContextTokens.ofBranch(entries)).toEqual(size))
})
