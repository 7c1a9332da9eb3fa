import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import * as MessagePages from "../../../src/domain/conversation/MessagePages.ts"
import { cleanName } from "../../../src/domain/session/SessionEntry.ts"
import type { NewEntry } from "../../../src/domain/session/SessionEntry.ts"
import { compaction, label, line, says, user } from "../../support/sessions/Entries.ts"

describe("MessagePages.after", () => {
  const said = (entries: ReadonlyArray<NewEntry>, position: number) =>
    MessagePages.after(line(...entries), position).map((message) => {
      if (message.role === "compactionSummary") return message.summary
      return message.role === "user" ? message.content.map((block) => ("text" in block ? block.text : "")).join() : ""
    })
  const plain = [says("0"), label("e0", "x"), says("2"), says("3")]
  const compacted = [says("0"), says("1"), says("2"), compaction("e1", "S"), says("4")]

  it.each([
    ["after the first", plain, 0, ["2", "3"]],
    ["after an entry without message", plain, 1, ["2", "3"]],
    ["after the last", plain, 3, []],
    ["after what was compacted away", compacted, 0, ["S", "1", "2", "4"]],
    ["after what the compaction kept", compacted, 1, ["S", "2", "4"]],
    ["after all it kept", compacted, 2, ["S", "4"]],
    ["after the compaction", compacted, 3, ["4"]],
    ["after everything", compacted, 4, []]
  ])("%s", (_, entries, position, expected) => expect(said(entries, position)).toEqual(expected))
})

describe("MessagePages.endOfPage", () => {
  const messages = [1, 2, 3, 4, 5].map((n) => user(String(n)))
  const end = (from: number, count: number, bytes: number) =>
    MessagePages.endOfPage(messages, from, { count, bytes }, () => 10)
  it.each([
    ["as many as asked for", 0, 3, 1000, 3],
    ["as many as there are", 3, 3, 1000, 5],
    ["as many as fit", 0, 5, 25, 2],
    ["exactly as many as fit", 0, 5, 30, 3],
    ["one at least", 1, 5, 1, 2],
    ["none are left", 5, 5, 1000, 5]
  ])("%s", (_, from, count, bytes, expected) => expect(end(from, count, bytes)).toBe(expected))

  it("pages put together are the conversation", () => {
    const sizes = fc.array(fc.nat(100), { maxLength: 30 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 9 }), fc.nat(150), (sizes, count, bytes) => {
        const all = sizes.map((size) => user("x".repeat(size)))
        const size = (message: (typeof all)[number]) => JSON.stringify(message).length
        const pages: Array<typeof all> = []
        for (let from = 0; from < all.length;) {
          const to = MessagePages.endOfPage(all, from, { count, bytes }, size)
          pages.push(all.slice(from, to))
          from = to
        }
        expect(pages.flat()).toEqual(all)
        for (const page of pages) expect(page.length).toBeLessThanOrEqual(count)
      })
    )
  })
})

describe("cleanName", () => {
  it.each([
    ["plain", "plain"],
    ["  two   words ", "two words"],
    ["line\nbreak\r\n\ttab", "line break tab"],
    ["be\u0007ll \u0000 end\u009f", "bell end"],
    ["naïve 日本 🧵", "naïve 日本 🧵"],
    ["\u001b]0;title\u0007te\u001b[31mst \u202eright to left\u202c", "test right to left"],
    [" \n\u0000", undefined],
    ["", undefined]
  ])("%j", (typed, cleaned) => expect(cleanName(typed)).toBe(cleaned))
})
