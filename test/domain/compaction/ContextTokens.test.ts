import { describe, expect, it } from "@effect/vitest"
import * as ContextTokens from "../../../src/domain/compaction/ContextTokens.ts"
import type { AgentMessage } from "../../../src/domain/conversation/Message.ts"
import type { SessionEntry } from "../../../src/domain/session/SessionEntry.ts"
import { answers, assistant, compaction, line, says, usage, user } from "../../support/sessions/Entries.ts"

const ran = { role: "bashExecution", command: "ls", output: "ab", cancelled: false, truncated: false } as const

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
    ["a command and its output", { ...ran, timestamp: 0 }, 1],
    ["a command that models are not shown", { ...ran, excludeFromContext: true, timestamp: 0 }, 0],
    ["a custom text", { role: "custom", customType: "t", content: "1234", display: true, timestamp: 0 }, 1],
    ["a summary", { role: "compactionSummary", summary: "12345678", tokensBefore: 0, timestamp: 0 }, 2]
  ]
  it.each(cases)("%s", (_, input, tokens) => expect(ContextTokens.estimate(input)).toBe(tokens))
})

describe("ContextTokens.ofUsage", () => {
  const parts = { ...usage({ input: 1, output: 20, cacheRead: 300, cacheWrite: 4000 }) }
  const cases = [
    ["the total", { ...parts, totalTokens: 7 }, 7],
    ["the sum of the classes where a server leaves the total out", { ...parts, totalTokens: 0 }, 4321]
  ] as const
  it.each(cases)("%s", (_, reported, tokens) => expect(ContextTokens.ofUsage(reported)).toBe(tokens))
})

describe("ContextTokens.ofBranch", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<SessionEntry>, ContextTokens.ContextSize]> = [
    ["an empty one", [], { tokens: 0, basis: "estimate" }],
    ["only a prompt", line(says("1234")), { tokens: 1, basis: "estimate" }],
    [
      "what was reported and what came later",
      line(says("1234"), answers("ok", 100), says("12345678")),
      { tokens: 102, basis: "usage" }
    ],
    [
      "failed and aborted calls report nothing",
      line(answers("ok", 100), answers("1234", 500, "aborted"), answers("1234", 700, "error")),
      { tokens: 101, basis: "usage" }
    ],
    ["a report of zero is none", line(says("1234"), answers("1234", 0)), { tokens: 2, basis: "estimate" }],
    [
      "a report from before a compaction counts no more",
      line(says("1234"), answers("1234", 9000), compaction("e1", "12345678"), says("1234")),
      { tokens: 4, basis: "compacted" }
    ],
    [
      "one from after it does",
      line(says("1234"), answers("1234", 9000), compaction("e1"), answers("1234", 50)),
      { tokens: 50, basis: "usage" }
    ]
  ]
  it.each(cases)("%s", (_, entries, size) => expect(ContextTokens.ofBranch(entries)).toEqual(size))
})
