import { assert, describe, it } from "@effect/vitest"
import * as MessageQueue from "../../../src/domain/conversation/MessageQueue.ts"

const { add, empty } = MessageQueue

const item = (messageId: string, queue: MessageQueue.QueueName, order = 0): MessageQueue.QueuedMessage => ({
  messageId,
  queue,
  text: `text of ${messageId}`,
  images: [],
  createdAt: 0,
  order
})
const [s1, s2, s3] = [item("s1", "steering"), item("s2", "steering"), item("s3", "steering")]
const [f1, f2] = [item("f1", "followUp", 1), item("f2", "followUp", 2)]

const queueOf = (...items: ReadonlyArray<MessageQueue.QueuedMessage>) => items.reduce(add, empty)
it("remove looks in the item's own queue", () => {
  const queue = queueOf(s1, f1, s2)
  assert.deepStrictEqual(MessageQueue.items(MessageQueue.remove(queue, { ...s2, queue: "followUp" })), [s1, s2, f1])
})

describe("questions", () => {
  const queue = queueOf(f1, s1, s2, f2)

  it("size, items and texts put steering first", () => {
    assert.strictEqual(MessageQueue.size(queue), 4)
    assert.deepStrictEqual(MessageQueue.items(queue), [s1, s2, f1, f2])
    assert.deepStrictEqual(MessageQueue.texts(queue), {
      steering: ["text of s1", "text of s2"],
      followUp: ["text of f1", "text of f2"]
    })
  })

  it("find by text, in one queue", () => {
    assert.strictEqual(MessageQueue.findText(queue, "steering", "text of s2"), s2)
    assert.isUndefined(MessageQueue.findText(queue, "followUp", "text of s2"))
  })

  it("position counts from 0 within the queue", () => {
    assert.deepStrictEqual(
      [s1, s2, f1, f2, s3].map((each) => MessageQueue.position(queue, each)),
      [0, 1, 0, 1, -1]
    )
  })
})

describe("custom messages", () => {
  const custom = { customType: "lint", content: "words", display: true, details: { a: 1 } }
  const note = (messageId: string, queue: MessageQueue.QueueName, order = 0) => ({
    ...item(messageId, queue, order),
    ...MessageQueue.shownOf(custom)
  })
  const [n1, n2, n3] = [note("n1", "nextTurn", 1), note("n2", "nextTurn", 2), note("n3", "nextTurn", 3)]
  const [c1, s4] = [note("c1", "steering"), { ...item("s4", "steering"), text: "words" }]
  const queue = queueOf(n1, c1, f1, n2, s4)
  const ids = (items: ReadonlyArray<MessageQueue.QueuedMessage>) => items.map(({ messageId }) => messageId).join(" ")

  it("count, but are not what the user said", () => {
    assert.deepStrictEqual([MessageQueue.size(queue), MessageQueue.sizeForRun(queue)], [5, 3])
    assert.strictEqual(ids(MessageQueue.items(queue)), "c1 s4 f1 n1 n2")
    assert.deepStrictEqual(MessageQueue.texts(queue), { steering: ["words"], followUp: ["text of f1"] })
    assert.strictEqual(MessageQueue.findText(queue, "steering", "words"), s4)
  })

  it("those for the next prompt stay when the rest is cleared, with their bytes", () => {
    const left = MessageQueue.clearForRun(MessageQueue.promote(queue, n2, "front"))
    assert.strictEqual(ids(MessageQueue.items(left)), "n2 n1")
    assert.strictEqual(left.bytes, 2 * (5 + 7))
    assert.strictEqual(MessageQueue.position(left, n1), 1)
    assert.strictEqual(left.revision, queue.revision + 2)
  })

  it("may be promoted to steering, and stay what they are", () => {
    const moved = MessageQueue.promote(queue, n1, "steering")
    assert.deepStrictEqual(moved.steering, [c1, s4, { ...n1, queue: "steering" }])
  })

  it("have an edit in their content, too", () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" } as const
    assert.deepStrictEqual(MessageQueue.edited(n1, { text: "other" }), {
      ...n1,
      text: "other",
      custom: { ...custom, content: "other" }
    })
    assert.deepStrictEqual(MessageQueue.edited(n1, { images: [image] }).custom?.content, [
      { type: "text", text: "words" },
      image
    ])
    assert.deepStrictEqual(MessageQueue.edited(f1, { text: "other" }), { ...f1, text: "other" })
  })

  it("the first turn of a prompt takes all that waited for it, before steering; other runs take none", () => {
    const modes = { steering: "one-at-a-time", followUp: "one-at-a-time" } as const
    const waiting = queueOf(n1, n2, n3, s1, s2)
    const take = (isPrompted: boolean, point: MessageQueue.DrainPoint) => {
      const taken: Array<MessageQueue.QueuedMessage> = []
      let left = waiting
      for (;;) {
        const found = MessageQueue.next(left, { point, modes, since: 3, isPrompted }, taken.at(-1))
        if (found === undefined) return ids(taken)
        taken.push(found)
        left = MessageQueue.remove(left, found)
      }
    }
    assert.strictEqual(take(true, "start"), "n1 n2 s1")
    assert.strictEqual(take(false, "start"), "s1")
    assert.strictEqual(take(true, "continue"), "s1")
    assert.strictEqual(take(true, "settled"), "s1")
  })
})

describe("next", () => {
  const one = { steering: "one-at-a-time", followUp: "one-at-a-time" } as const
  const all = { steering: "all", followUp: "all" } as const
  const [both, follow] = [queueOf(s1, s2, f1, f2), queueOf(f1, f2)]
  /** Everything that one drain point delivers, in order. */
  const drained = (queue: MessageQueue.MessageQueue, drain: MessageQueue.Drain) => {
    const delivered: Array<string> = []
    let [left, last]: [MessageQueue.MessageQueue, MessageQueue.QueuedMessage | undefined] = [queue, undefined]
    for (;;) {
      const found: MessageQueue.QueuedMessage | undefined = MessageQueue.next(left, drain, last)
      if (found === undefined) return delivered.join(" ")
      delivered.push(found.messageId)
      left = MessageQueue.remove(left, found)
      last = found
    }
  }

  const cases: ReadonlyArray<readonly [string, MessageQueue.MessageQueue, MessageQueue.Drain, string]> = [
    ["between turns one steering message", both, { point: "continue", modes: one, since: 9 }, "s1"],
    ["between turns all steering", both, { point: "continue", modes: all, since: 9 }, "s1 s2"],
    ["between turns no follow-ups", follow, { point: "continue", modes: all, since: 9 }, ""],
    ["at the end one follow-up", follow, { point: "settled", modes: one, since: 0 }, "f1"],
    ["at the end all follow-ups", follow, { point: "settled", modes: all, since: 0 }, "f1 f2"],
    ["at the end steering comes alone", both, { point: "settled", modes: all, since: 0 }, "s1 s2"],
    ["at the end one steering message comes alone", both, { point: "settled", modes: one, since: 0 }, "s1"],
    ["the first turn takes the follow-ups from before the run", follow, { point: "start", modes: all, since: 2 }, "f1"],
    ["the first turn takes one of them", follow, { point: "start", modes: one, since: 9 }, "f1"],
    ["the first turn takes nothing that came later", follow, { point: "start", modes: all, since: 1 }, ""],
    ["the first turn takes steering, then follow-ups", both, { point: "start", modes: all, since: 9 }, "s1 s2 f1 f2"],
    ["nothing", empty, { point: "settled", modes: all, since: 0 }, ""]
  ]
  it.each(cases)("%s", (_, queue, drain, delivered) => assert.strictEqual(drained(queue, drain), delivered))

  it("a follow-up that was delivered keeps steering for the next drain point", () => {
    assert.isUndefined(MessageQueue.next(queueOf(s1), { point: "settled", modes: all, since: 0 }, f1))
  })
})
