import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { text } from "../../../src/domain/conversation/Content.ts"
import * as Transcript from "../../../src/domain/compaction/Transcript.ts"
import { assistant, bash, calls, result, says, user } from "./support.ts"

describe("Transcript.serialize", () => {
  it("names who says what", () => {
    const thoughtful = assistant([
      { type: "thinking", thinking: "Hm." },
      text("I will look."),
      { type: "toolCall", id: "1", name: "read", arguments: { path: "a.ts", limit: 5 } },
      { type: "toolCall", id: "2", name: "ls", arguments: {} }
    ])
    const picture = { type: "image", data: "x", mimeType: "image/png" } as const
    const told = Transcript.serialize([
      user("Look at it"),
      thoughtful,
      result("content"),
      { role: "user", content: [text("And this"), picture], timestamp: 0 },
      bash("built"),
      bash("secret", true),
      { role: "custom", customType: "x", content: "a note", display: true, timestamp: 0 },
      { role: "branchSummary", summary: "tried", fromId: "root", timestamp: 0 },
      says("")
    ])
    assert.strictEqual(
      told,
      [
        "[User]: Look at it",
        "[Assistant thinking]: Hm.",
        "[Assistant]: I will look.",
        '[Assistant tool calls]: read(path="a.ts", limit=5); ls()',
        "[Tool result]: content",
        "[User]: And this\n(an image)",
        "[User]: Ran `make`\n```\nbuilt\n```",
        "[User]: a note",
        "[User]: Summary of an earlier part: tried"
      ].join("\n\n")
    )
  })

  it("cuts long results and says how much is missing", () => {
    const told = Transcript.serialize([result("x".repeat(2001)), user("y".repeat(2001))])
    assert.strictEqual(
      told,
      `[Tool result]: ${"x".repeat(2000)}\n[… 1 more characters cut]\n\n[User]: ${"y".repeat(2001)}`
    )
  })

  it("fits into what room there is, the newest part last", () => {
    const messages = Array.from({ length: 50 }, (_, n) => [user("q".repeat(3000)), calls("read", { n })]).flat()
    for (const room of [200_000, 50_000, 9000, 3000]) {
      const told = Transcript.serialize(messages, room)
      assert.isAtMost(told.length, room + 40)
      assert.isTrue(told.endsWith("[Assistant tool calls]: read(n=49)"), `room ${room}`)
    }
  })

  it("is never empty of what was said, and always within its room", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 })), fc.integer({ min: 50, max: 2000 }), (said, room) => {
        const told = Transcript.serialize(said.map(user), room)
        assert.isAtMost(told.length, room + 40)
        assert.strictEqual(
          told === "",
          said.every((one) => one.trim() === "")
        )
      })
    )
  })
})
