import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { text } from "../../../src/domain/conversation/Content.ts"
import * as MessageQueue from "../../../src/domain/conversation/MessageQueue.ts"
import * as QueueEntries from "../../../src/domain/session/QueueEntries.ts"
import type { NewEntry, OwnEntry, SessionEntry } from "../../../src/domain/session/SessionEntry.ts"

type Item = MessageQueue.QueuedMessage
type Name = MessageQueue.QueueName

const timestamp = "2026-01-01T00:00:00.000Z"
const image = { type: "image", data: "QUJD", mimeType: "image/png" } as const
const item = (messageId: string, queue: Name, more: Partial<Item> = {}): Item => ({
  messageId,
  queue,
  text: messageId,
  images: [],
  createdAt: Date.parse(timestamp),
  order: 0,
  ...more
})

const customItem = (messageId: string, queue: Name, more: object = {}): Item => {
  const custom = { customType: "note", content: messageId, display: false, ...more }
  return item(messageId, queue, MessageQueue.shownOf(custom))
}

/** Each entry is the child of the one before it, as a program that does not know ours would write them. */
const chained = (entries: ReadonlyArray<NewEntry>): ReadonlyArray<OwnEntry> =>
  entries.map((entry, n) => ({ ...entry, id: `${n}`, parentId: n === 0 ? null : `${n - 1}`, timestamp }))

const deliveredCustom = (messageId: string): NewEntry => ({
  type: "custom_message",
  customType: "note",
  content: "",
  display: false,
  messageId
})

const delivered = (messageId: string): NewEntry => ({
  type: "message",
  messageId,
  message: { role: "user", content: [text(messageId)], timestamp: 0 }
})

type Op =
  | { readonly do: "add"; readonly queue: Name; readonly custom?: true }
  | { readonly do: "edit" | "remove" | "deliver" | "steer" | "front"; readonly nth: number }
  | { readonly do: "clear" }
  | { readonly do: "clearForRun" }

const ops: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<Op>(
      { do: "add", queue: "steering" },
      { do: "add", queue: "followUp" },
      { do: "add", queue: "steering", custom: true },
      { do: "add", queue: "nextTurn", custom: true }
    )
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("edit" as const, "remove" as const, "deliver" as const, "steer" as const, "front" as const),
      nth: fc.nat(30)
    })
  },
  { weight: 1, arbitrary: fc.constantFrom<Op>({ do: "clear" }, { do: "clearForRun" }) }
)

/** The same queue three times: as lists, as the value of the agent, and as the file tells it. */
const replay = (schedule: ReadonlyArray<Op>) => {
  const lists: Record<Name, Array<Item>> = { steering: [], followUp: [], nextTurn: [] }
  const entries: Array<NewEntry> = []
  const past: Array<readonly [MessageQueue.MessageQueue, ReadonlyArray<Item>]> = []
  let queue = MessageQueue.empty
  for (const [at, op] of schedule.entries()) {
    past.push([queue, MessageQueue.items(queue)])
    if (op.do === "clear" || op.do === "clearForRun") {
      const all = op.do === "clear"
      entries.push(QueueEntries.removed(all ? MessageQueue.items(queue) : MessageQueue.itemsForRun(queue)))
      queue = all ? MessageQueue.clear(queue) : MessageQueue.clearForRun(queue)
      Object.assign(lists, { steering: [], followUp: [], ...(all ? { nextTurn: [] } : {}) })
      continue
    }
    if (op.do === "add") {
      const added = op.custom ? customItem(`m${at}`, op.queue, { details: { at } }) : item(`m${at}`, op.queue)
      entries.push(QueueEntries.added([added]))
      queue = MessageQueue.add(queue, added)
      lists[op.queue] = [...lists[op.queue], added]
      continue
    }
    const all = [...lists.steering, ...lists.followUp, ...lists.nextTurn]
    const one = all[op.nth % Math.max(1, all.length)]
    if (one === undefined) continue
    const place = lists[one.queue].indexOf(one)
    assert.deepStrictEqual(MessageQueue.find(queue, one.messageId), one)
    assert.strictEqual(MessageQueue.position(queue, one), place)
    if (op.do === "steer" && one.queue === "steering") {
      assert.strictEqual(MessageQueue.promote(queue, one, "steering"), queue)
      continue
    }
    lists[one.queue] = lists[one.queue].filter((other) => other !== one)
    switch (op.do) {
      case "edit": {
        const edited = MessageQueue.edited(one, { text: `${one.text}!`, images: [image] })
        entries.push(QueueEntries.added([edited]))
        queue = MessageQueue.replace(queue, edited)
        lists[one.queue] = lists[one.queue].toSpliced(place, 0, edited)
        break
      }
      case "remove":
      case "deliver":
        if (op.do === "remove") entries.push(QueueEntries.removed([one]))
        else entries.push(one.custom === undefined ? delivered(one.messageId) : deliveredCustom(one.messageId))
        queue = MessageQueue.remove(queue, one)
        break
      case "steer": {
        const moved: Item = { ...one, queue: "steering" }
        entries.push(QueueEntries.added([moved]))
        queue = MessageQueue.promote(queue, one, "steering")
        lists.steering = [...lists.steering, moved]
        break
      }
      case "front":
        entries.push(QueueEntries.added([one], true))
        queue = MessageQueue.promote(queue, one, "front")
        lists[one.queue] = [one, ...lists[one.queue]]
    }
  }
  return { lists, queue, entries, past }
}

it("any changes: the value and the file say what lists say", () => {
  fc.assert(
    fc.property(fc.array(ops, { maxLength: 60 }), (schedule) => {
      const { entries, lists, past, queue } = replay(schedule)
      const expected = [...lists.steering, ...lists.followUp, ...lists.nextTurn]
      assert.deepStrictEqual(MessageQueue.items(queue), expected)
      assert.deepStrictEqual(
        [queue.steering, queue.followUp, queue.nextTurn],
        [lists.steering, lists.followUp, lists.nextTurn]
      )
      assert.deepStrictEqual(QueueEntries.restore(chained(entries)), expected)
      assert.strictEqual(MessageQueue.size(queue), expected.length)
      assert.strictEqual(queue.revision, entries.length)
      for (const [value, items] of past) assert.deepStrictEqual(MessageQueue.items(value), items)
      const bytes = expected.reduce((sum, one) => sum + MessageQueue.bytesOf(one), 0)
      assert.strictEqual(queue.bytes, bytes)
    }),
    { numRuns: 500 }
  )
})

describe("restore", () => {
  it("keeps ids, images and the time of the first add", () => {
    const one = item("a", "steering", { clientMessageId: "c", requestId: 7, images: [image] })
    const [added, again] = chained([QueueEntries.added([one]), QueueEntries.added([one])])
    const later = again === undefined ? [] : [{ ...again, timestamp: "2027-01-01T00:00:00.000Z" }]
    assert.deepStrictEqual(QueueEntries.restore([...(added === undefined ? [] : [added]), ...later]), [one])
  })

  it("tells the text of a message from its documents", () => {
    const documents = ["<attachment>one</attachment>", "two"]
    const both = item("a", "followUp", { text: "read these", images: [image], documents })
    const only = item("b", "followUp", { text: "", documents: ["three"] })
    assert.deepStrictEqual(QueueEntries.restore(chained([QueueEntries.added([both, only])])), [both, only])
    assert.strictEqual(MessageQueue.bytesOf(both), 10 + 28 + 3 + 4)
  })

  it("gives a custom message back as it was sent: its blocks in their order, its details, and no more", () => {
    const blocks = [text("before"), image, text("after")]
    const one = customItem("a", "nextTurn", { content: blocks, details: { rules: ["x"], none: null } })
    const two = customItem("b", "steering")
    assert.deepStrictEqual(QueueEntries.restore(chained([QueueEntries.added([one, two])])), [two, one])
    assert.deepStrictEqual([one.text, one.images], ["beforeafter", [image]])
    assert.strictEqual(MessageQueue.bytesOf(one), 11 + 4 + 27)
  })

  it("leaves out what is damaged, and nothing else", () => {
    const broken = (data: unknown): NewEntry => ({ type: "custom", customType: QueueEntries.customType, data })
    const entries = chained([
      broken(undefined),
      broken({ op: "add" }),
      broken({ items: [{ messageId: "x", queue: "steering", content: [] }] }),
      broken({ op: "add", items: [null, { messageId: 1 }, { messageId: "x", queue: "other", content: [] }] }),
      broken({ op: "add", items: [{ messageId: "x", queue: "steering", content: "text" }] }),
      broken({ op: "add", items: [{ messageId: "x", queue: "nextTurn", custom: { customType: "t", content: 1 } }] }),
      broken({ op: "add", items: [{ messageId: "x", queue: "nextTurn", custom: null }] }),
      QueueEntries.added([item("a", "followUp")]),
      { type: "custom", customType: "another", data: { op: "remove", items: [{ messageId: "a", queue: "followUp" }] } }
    ])
    assert.deepStrictEqual(QueueEntries.restore(entries), [item("a", "followUp")])
  })
})

describe("without", () => {
  const places = (entries: ReadonlyArray<SessionEntry>) => entries.map(({ id, parentId }) => `${parentId}<${id}`)

  it("children of an entry that is left out go to its parent", () => {
    const queued = QueueEntries.added([item("a", "followUp")])
    const entries = chained([queued, delivered("x"), queued, queued, delivered("y")])
    assert.deepStrictEqual(places(QueueEntries.without(entries)), ["null<1", "1<4"])
  })

  it("entries of other programs are moved as they are", () => {
    const [queued] = chained([QueueEntries.added([])])
    const raw = { type: "todo", id: "t", parentId: "0", kept: 1 }
    const foreign: SessionEntry = { type: "foreign", id: "t", parentId: "0", timestamp, raw }
    assert.deepStrictEqual(QueueEntries.without([...(queued === undefined ? [] : [queued]), foreign]), [
      { ...foreign, parentId: null, raw: { ...raw, parentId: null } }
    ])
  })
})
