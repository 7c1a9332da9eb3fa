/** How the state of an inbox changes, and that no message is without an end, or has two. */
import { assert, describe, it } from "@effect/vitest"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import { text } from "../../../src/domain/conversation/Content.ts"
import * as MessageQueue from "../../../src/domain/conversation/MessageQueue.ts"
import { decide } from "../../../src/domain/inbox/decide.ts"
import * as Receipts from "../../../src/domain/inbox/Receipts.ts"
import * as State from "../../../src/domain/inbox/State.ts"
import { type Fact, step } from "../../../src/domain/inbox/step.ts"
import * as Random from "../../support/torture/Random.ts"

const limits = { mostMessages: 8, mostBytes: 200 }
const told = (facts: ReadonlyArray<Fact>) =>
  facts.reduce<State.State>((state, fact) => step(state, fact), State.make(limits))
const item = (messageId: string, more: Partial<MessageQueue.QueuedMessage> = {}): MessageQueue.QueuedMessage => ({
  messageId,
  queue: "steering",
  text: "x",
  images: [],
  createdAt: 0,
  order: 0,
  ...more
})
const receiptOf = (messageId: string, clientMessageId?: string): Receipts.Receipt =>
  clientMessageId === undefined
    ? { disposition: "started", messageId }
    : { disposition: "started", messageId, clientMessageId }
const begun = (messageId: string, runId: string, clientMessageId?: string): Fact => ({
  _tag: "Begun",
  runId,
  requests: [`request ${messageId}`],
  known: { content: [text("x")], receipt: receiptOf(messageId, clientMessageId) }
})
const queued = (messageId: string, requests: ReadonlyArray<string> = []): Fact => ({
  _tag: "Queued",
  item: item(messageId),
  requests
})
const over = (runId: string): Fact => ({ _tag: "RunOver", runId, result: { status: "completed" } })
const ends = (state: State.State) => state.ended.map(({ end, record }) => `${record.messageId} ${end.status}`)

describe("the end of a run", () => {
  it("ends what the run has taken and what was handed back, in the order of acceptance, and leaves the rest", () => {
    const state = told([
      { _tag: "Checking" },
      begun("m", "r"),
      queued("taken", ["t"]),
      queued("back", ["b"]),
      queued("stays", ["s"]),
      { _tag: "Delivered", item: item("taken"), runId: "r" },
      { _tag: "Removed", items: [item("back")] },
      { _tag: "HandedBack", items: [item("back")] },
      over("r")
    ])
    assert.deepStrictEqual(ends(state), ["m completed", "taken completed", "back aborted"])
    assert.deepStrictEqual([...state.records.keys()], ["stays"])
    assert.strictEqual(state.phase._tag, "Idle")
    assert.isFalse(State.isSettled(state))
    assert.deepStrictEqual(ends(step(state, { _tag: "HandBackOver" })), [])
  })

  it("waits for late records and for what returns to its sender, then goes on with what is queued", () => {
    const message = { role: "bashExecution", command: "c", output: "", exitCode: 0 } as const
    const record = { messageId: "l", message: { ...message, cancelled: false, truncated: false, timestamp: 0 } }
    const running = [begun("m", "r"), queued("q", ["q"])]
    assert.strictEqual(State.atEnd(told([...running, { _tag: "LateCame", record, bytes: 3 }]), true), "store")
    assert.strictEqual(State.atEnd(told([...running, { _tag: "HandBackAsked", which: "prompts" }]), true), "store")
    assert.strictEqual(
      State.atEnd(told([begun("m", "r"), queued("q"), { _tag: "HandBackAsked", which: "prompts" }]), true),
      "goOn"
    )
    assert.strictEqual(State.atEnd(told(running), true), "goOn")
    assert.strictEqual(State.atEnd(told(running), false), "over")
    const late = told([...running, { _tag: "LateCame", record, bytes: 3 }, { _tag: "LateTaken" }])
    assert.deepStrictEqual([late.late, late.lateBytes], [[], 0])
  })

  it("of a session that closes leaves it closed, and so does the end of a compaction", () => {
    assert.strictEqual(told([begun("m", "r"), { _tag: "Closing" }, over("r")]).phase._tag, "Closed")
    assert.strictEqual(told([{ _tag: "Compacting" }, { _tag: "Closing" }, { _tag: "Settled" }]).phase._tag, "Closed")
    assert.strictEqual(told([{ _tag: "Closing" }]).phase._tag, "Closed")
  })
})

describe("receipts", () => {
  const read: Fact = { _tag: "ReceiptsRead", receipts: Receipts.restore([]) }
  const endIn = ({ receipts }: State.State) =>
    receipts && Option.getOrUndefined(HashMap.get(receipts, "c"))?.end?.status

  it("say how a message has ended, whether a run took it or a command", () => {
    assert.strictEqual(endIn(told([read, begun("m", "r", "c")])), undefined)
    assert.strictEqual(endIn(told([read, begun("m", "r", "c"), over("r")])), "completed")
    const known = { content: [text("/x")], receipt: receiptOf("s", "c") }
    const handled: ReadonlyArray<Fact> = [
      read,
      { _tag: "Handling", messageId: "s", requests: ["s"], clientMessageId: "c" },
      { _tag: "Handled", known },
      { _tag: "Ended", messageId: "s", end: { status: "error" } }
    ]
    assert.strictEqual(endIn(told(handled)), "error")
  })

  it("are not kept before they were read: the log has them", () => {
    assert.strictEqual(told([begun("m", "r", "c")]).receipts, undefined)
  })

  it("tell the request that sent a message again of the same end", () => {
    const state = told([begun("m", "r", "c"), { _tag: "Joined", messageId: "m", requestId: "again" }, over("r")])
    assert.deepStrictEqual(state.ended[0]?.record.requests, ["request m", "again"])
    assert.strictEqual(told([{ _tag: "Joined", messageId: "gone", requestId: 1 }]).records.size, 0)
  })
})

describe("what was queued when the session was last open", () => {
  it("is queued again, nobody waits for it, and its revision goes on where the host left it", () => {
    const items = [item("a", { clientMessageId: "c" }), item("b", { queue: "followUp" })]
    const state = told([
      { _tag: "Restored", items },
      { _tag: "Counted", revision: 7 }
    ])
    assert.deepStrictEqual([MessageQueue.ids(state.queue), state.queue.revision], [["a", "b"], 8])
    assert.isTrue(State.isSettled(state))
    assert.deepStrictEqual(State.due(step(state, { _tag: "HandBackAsked", which: "prompts" })), [])
    const joined = step(state, { _tag: "Joined", messageId: "a", requestId: "again" })
    assert.isFalse(State.isSettled(joined))
    assert.deepStrictEqual(
      State.due(step(joined, { _tag: "HandBackAsked", which: "prompts" })).map(({ messageId }) => messageId),
      ["a"]
    )
    assert.strictEqual(told([{ _tag: "Counted", revision: 7 }]).queue.revision, 7)
  })
})

/** Sends random messages into a session that does nothing but tell facts, as the inbox tells them. */
const makeSession = (random: Random.Random) => {
  let state = step(State.make(limits), { _tag: "ReceiptsRead", receipts: Receipts.restore([]) })
  let next = 0
  const accepted: Array<string> = []
  const ended: Array<string> = []
  const tell = (fact: Fact) => {
    state = step(state, fact)
    if (fact._tag === "Queued") accepted.push(fact.item.messageId)
    if (fact._tag === "Begun") accepted.push(fact.known.receipt.messageId)
    if (fact._tag === "Handling") accepted.push(fact.messageId)
    if (fact._tag === "Withdrawn") ended.push(fact.messageId)
    for (const { record } of state.ended) ended.push(record.messageId)
  }
  const any = () => item(`m${next++}`, { queue: random.pick(["steering", "followUp", "nextTurn"]) })
  const put = (isPrompt: boolean) => {
    const one = any()
    if (decide(state, { _tag: "Put", said: one })._tag === "Refuse") return
    tell({ _tag: "Queued", item: one, requests: isPrompt ? [one.messageId] : [] })
  }
  const prompt = () => {
    const clientMessageId = random.chance(0.3) ? `c${random.int(4)}` : undefined
    const content = [text(random.pick(["x", "y"]))]
    const name = clientMessageId === undefined ? {} : { name: { clientMessageId, content } }
    const whenBusy = random.chance(0.5) ? ({ whenBusy: "steering" } as const) : {}
    const decision = decide(state, { _tag: "Prompt", ...name, ...whenBusy })
    if (decision._tag === "Join") return put(true)
    if (decision._tag === "Repeat") {
      return tell({ _tag: "Joined", messageId: decision.known.receipt.messageId, requestId: next++ })
    }
    if (decision._tag !== "Start") return
    tell({ _tag: "Checking" })
    if (random.chance(0.2)) return tell({ _tag: "Settled" })
    const [messageId, runId] = [`m${next++}`, `r${next++}`]
    const known = { content, receipt: receiptOf(messageId, clientMessageId) }
    tell({ _tag: "Begun", runId, requests: [messageId], known })
  }
  const take = (items: ReadonlyArray<MessageQueue.QueuedMessage>) => {
    tell({ _tag: "Removed", items })
    tell({ _tag: "HandedBack", items })
  }
  const endRun = () => {
    if (state.phase._tag !== "Running" && state.phase._tag !== "Ending") return
    const { runId } = state.phase
    tell({ _tag: "RunEnding", runId })
    take(State.due(state))
    const what = State.atEnd(state, random.chance(0.5))
    assert.notStrictEqual(what, "store")
    tell(what === "goOn" ? { _tag: "RunWentOn", runId } : over(runId))
  }
  const deliver = () => {
    const waiting = MessageQueue.items(state.queue)[0]
    if (waiting === undefined || state.phase._tag !== "Running") return
    tell({ _tag: "Delivered", item: waiting, runId: state.phase.runId })
  }
  const abort = () => {
    tell({ _tag: "HandBackAsked", which: random.pick(["all", "prompts"]) })
    if (State.takesMessages(state)) return endRun()
    take(State.due(state))
    tell({ _tag: "HandBackOver" })
  }
  const collect = () => {
    tell({ _tag: "Dropped", items: state.handedBack })
    tell({ _tag: "Collected" })
  }
  const handle = () => tell({ _tag: "Handling", messageId: `m${next++}`, requests: [next] })
  const endHandled = (how: "Ended" | "Withdrawn") => {
    const handled = [...state.records.values()].find(({ stage }) => stage === "handling")
    if (handled === undefined) return
    const { messageId } = handled
    tell(
      how === "Ended" ? { _tag: "Ended", messageId, end: { status: "completed" } } : { _tag: "Withdrawn", messageId }
    )
  }
  const remove = () => {
    const found = decide(state, { _tag: "Pick", messageId: `m${random.int(next + 1)}` })
    if (found._tag !== "Found") return
    tell({ _tag: "Removed", items: [found.item] })
    tell({ _tag: "Dropped", items: [found.item] })
  }
  const clear = () => {
    const items = MessageQueue.items(state.queue)
    tell({ _tag: "Emptied", isForRun: false })
    tell({ _tag: "Dropped", items })
  }
  const compact = () => {
    if (state.phase._tag === "Holding") tell({ _tag: "Settled" })
    else if (decide(state, { _tag: "Compact" })._tag === "Handle") tell({ _tag: "Compacting" })
  }
  return {
    act: () => {
      random.weighted<() => void>([
        [6, prompt],
        [4, () => put(false)],
        [5, deliver],
        [3, endRun],
        [2, abort],
        [2, collect],
        [1, handle],
        [1, () => endHandled(random.pick(["Ended", "Withdrawn"]))],
        [1, remove],
        [0.3, clear],
        [1, compact],
        [0.05, () => tell({ _tag: "Closing" })]
      ])()
    },
    /** Ends all that goes on, and empties the queue. */
    finish: () => {
      if (state.phase._tag === "Holding") tell({ _tag: "Settled" })
      while (State.takesMessages(state)) endRun()
      collect()
      clear()
      while ([...state.records.values()].some(({ stage }) => stage === "handling")) endHandled("Ended")
    },
    state: () => state,
    accepted,
    ended
  }
}

describe("whatever is sent", () => {
  it.each(Array.from({ length: 300 }, (_, seed) => seed))(
    "no message is without an end, or has two: seed %i",
    (seed) => {
      const session = makeSession(Random.make(`inbox/${seed}`))
      for (let at = 0; at < 80; at++) {
        session.act()
        const { queue, records } = session.state()
        for (const { messageId } of MessageQueue.items(queue))
          assert.strictEqual(records.get(messageId)?.stage, "queued")
        assert.strictEqual(new Set(session.ended).size, session.ended.length)
      }
      session.finish()
      assert.deepStrictEqual(session.ended.toSorted(), session.accepted.toSorted())
      assert.strictEqual(session.state().records.size, 0)
      assert.isTrue(State.isSettled(session.state()))
    }
  )
})
