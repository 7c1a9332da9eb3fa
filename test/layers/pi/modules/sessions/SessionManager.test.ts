import { assert, describe, it } from "@effect/vitest"
import * as SessionManager from "../../../../../src/layers/pi/modules/sessions/SessionManager.ts"
import { holding, plain } from "../../../../support/extensions/PlainBindings.ts"

const timestamp = "2026-01-01T00:00:00.000Z"
const header = { type: "session", version: 3, id: "s-1", timestamp, cwd: "/work" }
const entry = (id: string, parentId: string | null, more: object) => ({ id, parentId, timestamp, ...more })
const entries = [
  entry("1", null, {
    type: "message",
    message: { role: "user", content: [{ type: "text", text: "hi" }], timestamp: 0 }
  }),
  entry("2", "1", { type: "custom", customType: "x", data: { n: 1 } }),
  entry("3", "1", { type: "label", targetId: "1", label: "start" }),
  entry("4", "3", { type: "session_info", name: "Weaving" })
]
const listing = {
  path: "/sessions/work/a.jsonl",
  id: "s-1",
  cwd: "/work",
  created: timestamp,
  modified: "2026-01-02T00:00:00.000Z",
  messageCount: 1,
  firstMessage: "hi"
}
const asked: Array<string | undefined> = []
const Manager = SessionManager.make(
  holding({
    sessions: {
      ...plain.sessions,
      list: (folder) => {
        asked.push(folder)
        return Promise.resolve([listing])
      },
      listAll: () => Promise.resolve([listing, listing]),
      read: () => ({ header, entries }),
      latest: (folder) => (folder === "/sessions/work" ? "/sessions/work/a.jsonl" : undefined)
    }
  })
)

describe("lists", () => {
  it("the sessions of a folder, with dates", async () => {
    const { created: _, modified: __, ...rest } = listing
    const info = { ...rest, created: new Date(timestamp), modified: new Date("2026-01-02"), allMessagesText: "hi" }
    assert.deepStrictEqual(await Manager.list("/work"), [info])
    assert.deepStrictEqual(await Manager.listAll(), [info, info])
    await Manager.list("/work", "/elsewhere")
    assert.deepStrictEqual(asked, ["/sessions/work", "/elsewhere"])
  })
})

describe("a stored session", () => {
  const session = Manager.open("/sessions/work/a.jsonl")

  it("answers about itself", () => {
    assert.deepStrictEqual(
      [
        session.getSessionId(),
        session.getCwd(),
        session.getSessionFile(),
        session.getSessionDir(),
        session.isPersisted()
      ],
      ["s-1", "/work", "/sessions/work/a.jsonl", "/sessions/work", true]
    )
    assert.deepStrictEqual(
      [session.getHeader(), session.getSessionName(), session.getEntryCount()],
      [header, "Weaving", 4]
    )
  })

  it("has entries, a branch and a tree", () => {
    assert.deepStrictEqual(session.getEntries(), entries)
    assert.deepStrictEqual(
      session.getBranch().map(({ id }) => id),
      ["1", "3", "4"]
    )
    assert.deepStrictEqual(
      session.getBranch("2").map(({ id }) => id),
      ["1", "2"]
    )
    assert.deepStrictEqual([session.getLeafId(), session.getLeafEntry()], ["4", entries[3]])
    assert.deepStrictEqual([session.getEntry("2"), session.getEntry("x")], [entries[1], undefined])
    assert.deepStrictEqual(session.getChildren("1"), entries.slice(1, 3))
    assert.deepStrictEqual([session.getLabel("1"), session.getLabel("2")], ["start", undefined])
    const [root] = session.getTree()
    assert.deepStrictEqual([root?.label, root?.children.map((node) => node.entry["id"])], ["start", ["2", "3"]])
    assert.deepStrictEqual(
      session.buildContextEntries().map(({ id }) => id),
      ["1", "3", "4"]
    )
    assert.deepStrictEqual(
      session.buildSessionContext().messages.map(({ role }) => role),
      ["user"]
    )
  })

  it("cannot be written", () => {
    assert.throws(() => session.appendCustomEntry("x"), "extensions cannot write session files in heddle")
    assert.deepStrictEqual(session.getEntryCount(), 4)
  })
})

describe("a session in memory", () => {
  it("grows, branches and forgets its place", () => {
    const session = Manager.inMemory()
    const first = session.appendMessage({ role: "user", content: "x", timestamp: 0 })
    session.appendCustomEntry("state", { n: 1 })
    session.appendModelChange("p", "m")
    session.appendThinkingLevelChange("low")
    session.appendCustomMessageEntry("note", "text", true)
    session.appendSessionInfo("Named")
    session.appendLabelChange(first, "here")
    assert.deepStrictEqual(
      [session.getSessionName(), session.getLabel(first), session.getBranch().length],
      ["Named", "here", 7]
    )
    session.branch(first)
    const second = session.appendCustomEntry("other")
    assert.deepStrictEqual(
      session.getBranch().map(({ id }) => id),
      [first, second]
    )
    session.resetLeaf()
    assert.deepStrictEqual([session.getLeafId(), session.getLeafEntry(), session.getBranch()], [null, undefined, []])
    assert.throws(() => session.branch("nowhere"), "the session has no entry nowhere")
    assert.strictEqual(session.getCwd(), plain.cwd)
  })

  it("is what create gives, and continueRecent where there is none", () => {
    const created = Manager.create("/work", undefined, { id: "mine", parentSession: "/p.jsonl" })
    assert.deepStrictEqual(
      [created.getSessionId(), created.getHeader()["parentSession"], created.isPersisted()],
      ["mine", "/p.jsonl", false]
    )
    assert.strictEqual(Manager.continueRecent("/work").getSessionId(), "s-1")
    assert.isFalse(Manager.continueRecent("/other").isPersisted())
  })
})
