import { describe, expect, it } from "@effect/vitest"
import type { NewEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as SessionTree from "../../../src/domain/session/SessionTree.ts"

const user = (text: string): NewEntry => ({
  type: "message",
  message: { role: "user", content: [{ type: "text", text }], timestamp: 0 }
})

const place = (id: string, parentId: string | null) => ({ id, parentId, timestamp: "1970-01-01T00:00:00.000Z" })

const grow = (...rows: ReadonlyArray<readonly [string, string | null, NewEntry]>) =>
  SessionTree.make(rows.map(([id, parentId, entry]) => ({ ...entry, ...place(id, parentId) })))

const texts = (tree: SessionTree.SessionTree) =>
  tree.conversation().map((message) => {
    if (message.role === "compactionSummary") return `summary ${message.summary}`
    return "content" in message && typeof message.content !== "string"
      ? message.content.map((block) => ("text" in block ? block.text : "")).join("")
      : message.role
  })

const compaction = (summary: string, firstKeptEntryId: string): NewEntry => ({
  type: "compaction",
  summary,
  firstKeptEntryId,
  tokensBefore: 10
})

describe("SessionTree", () => {
  it("follows the branch of the leaf and forgets the one that was left", () => {
    const tree = grow(["a", null, user("1")], ["b", "a", user("2")])
    expect(texts(tree)).toEqual(["1", "2"])
    expect(tree.moveTo("a")).toBe(true)
    tree.append({ ...user("3"), ...place("c", "a") })
    expect(texts(tree)).toEqual(["1", "3"])
    expect(tree.entries.map(({ id }) => id)).toEqual(["a", "b", "c"])
    expect(tree.moveTo("nowhere")).toBe(false)
    expect(tree.leafId()).toBe("c")
  })

  it("puts the newest summary before what it kept", () => {
    const tree = grow(["a", null, user("1")], ["b", "a", user("2")], ["c", "b", compaction("first", "b")])
    tree.append({ ...user("3"), ...place("d", "c") })
    expect(texts(tree)).toEqual(["summary first", "2", "3"])
    tree.append({ ...compaction("second", "b"), ...place("e", "d") })
    expect(texts(tree)).toEqual(["summary second", "2", "3"])
    tree.append({ ...compaction("third", "f"), ...place("f", "e") })
    expect(texts(tree)).toEqual(["summary third"])
  })

  it("an entry about the queue is a child of the leaf, and the leaf stays", () => {
    const queued: NewEntry = { type: "custom", customType: "heddle.queue", data: {} }
    const tree = grow(["a", null, user("1")], ["b", "a", user("2")], ["q", "b", queued])
    expect(tree.leafId()).toBe("b")
    tree.append({ ...queued, ...place("r", "b") })
    tree.append({ ...user("3"), ...place("c", "b") })
    expect(texts(tree)).toEqual(["1", "2", "3"])
    expect(tree.branch().map(({ id }) => id)).toEqual(["a", "b", "c"])
    expect(grow(["a", null, user("1")], ["b", "a", user("2")], ["q", "a", queued]).leafId()).toBe("a")
    expect(grow(["a", null, user("1")], ["q", null, queued]).leafId()).toBe(null)
    expect(grow(["a", null, user("1")], ["q", "gone", queued]).leafId()).toBe("a")
  })

  it("survives entries that point in a circle or nowhere", () => {
    expect(texts(grow(["a", "b", user("1")], ["b", "a", user("2")]))).toEqual(["1", "2"])
    expect(texts(grow(["a", "gone", user("1")]))).toEqual(["1"])
  })

  it("ends where one looks no further", () => {
    const tree = grow(["a", null, user("1")], ["b", "a", user("2")], ["c", "b", user("3")])
    const tail = (fits: (id: string) => boolean) => tree.tail(({ id }) => fits(id)).map(({ id }) => id)
    expect(tail((id) => id === "b")).toEqual(["b", "c"])
    expect(tail(() => false)).toEqual(["a", "b", "c"])
    tree.moveTo("b")
    expect(tail(() => true)).toEqual(["b"])
    tree.moveTo(null)
    expect(tail(() => false)).toEqual([])
    expect(grow(["a", "b", user("1")], ["b", "a", user("2")]).tail(() => false)).toHaveLength(2)
    expect(grow(["a", "gone", user("1")]).tail(() => false)).toHaveLength(1)
  })
})
