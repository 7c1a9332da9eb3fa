/** The judges of `npm run torture` see what they are there to see: each fault, put into a sound transcript, is reported. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { type Frame, isFrame } from "../support/torture/Agent.ts"
import * as Random from "../support/torture/Random.ts"
import * as Facts from "./kills/Facts.ts"
import * as Accounts from "./schedules/Accounts.ts"
import * as Grammar from "./schedules/Grammar.ts"
import * as Ledger from "./wire/Ledger.ts"
import * as Lines from "./wire/Lines.ts"

const golden = (name: string): ReadonlyArray<Frame> =>
  readFileSync(join(import.meta.dirname, `../golden/${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("< "))
    .map((line): unknown => JSON.parse(line.slice(2)))
    .filter(isFrame)

const judge = (frames: ReadonlyArray<Frame>) => {
  const found: Array<string> = []
  const grammar = Grammar.make((what) => void found.push(what))
  for (const frame of frames) grammar.take(frame)
  grammar.finish()
  return found
}

const structural = new Set([
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "message_start",
  "message_end",
  "tool_execution_start",
  "tool_execution_end",
  "agent_settled"
])

describe.each(["prompt/thinking-and-tool", "prompt/parallel-tools", "abort/abort-tool", "retry/retry-success"])(
  "grammar of %s",
  (name) => {
    const frames = golden(name)
    const points = [...frames.keys()].filter((at) => structural.has(`${frames[at]?.["type"]}`))
    it("is sound", () => assert.deepStrictEqual(judge(frames), []))
    it("notices each frame that is missing", () => {
      for (const at of points) assert.isNotEmpty(judge(frames.toSpliced(at, 1)), `without frame ${at}`)
    })
    it("notices each frame that comes twice", () => {
      // Settling twice is caught by nobody: it has no consequence.
      for (const at of points.filter((at) => frames[at]?.["type"] !== "agent_settled")) {
        const [frame = {}] = frames.slice(at, at + 1)
        assert.isNotEmpty(judge(frames.toSpliced(at, 0, frame)), `with frame ${at} twice`)
      }
    })
    it("notices a delta that is missing", () => {
      const isDelta = (frame: Frame) => JSON.stringify(frame).includes('"text_delta"')
      const at = frames.findIndex(isDelta)
      if (at >= 0) assert.isNotEmpty(judge(frames.toSpliced(at, 1)))
    })
  }
)

const response = (command: string, id: unknown, data: object = {}): Frame => ({
  type: "response",
  command,
  id,
  success: true,
  data
})

describe("ledger", () => {
  const play = (frames: ReadonlyArray<Frame>, ...lines: ReadonlyArray<string>) => {
    const found: Array<string> = []
    const ledger = Ledger.make((what) => void found.push(what))
    for (const line of lines) ledger.owe(Lines.owed(Buffer.from(line), false, false))
    for (const frame of frames) ledger.take(frame)
    const isSettled = ledger.isSettled()
    return { found, isSettled, left: ledger.settle() }
  }
  const line = '{"id":1,"type":"get_state"}'
  const parse = { type: "response", command: "parse", success: false, error: "no" }

  it("is even when every line has its response", () => {
    const { found, isSettled } = play(
      [response("get_state", 1), parse],
      line,
      "nonsense",
      " ",
      '{"type":"host_tool_result"}'
    )
    assert.deepStrictEqual([found, isSettled], [[], true])
  })
  it("misses a response, also one with an id of another type", () => {
    assert.deepStrictEqual(play([], line).left.missing, [["get_state number:1", 1]])
    assert.isNotEmpty(play([response("get_state", "1")], line).found)
    assert.strictEqual(play([], "nonsense").left.parses, 1)
  })
  it("notices a response too many", () =>
    assert.lengthOf(play([response("get_state", 1), response("get_state", 1)], line).found, 1))
})

describe("accounts", () => {
  const prompt = { id: "p", type: "prompt", message: "text p" }
  const steer = { id: "s", type: "steer", message: "text s" }
  const started = response("prompt", "p", { disposition: "started", runId: "r", messageId: "m1" })
  const queued = response("steer", "s", { disposition: "queued", messageId: "m2" })
  const said = (messageId: string): Frame => ({
    type: "message_start",
    messageId,
    message: { role: "user", content: [] }
  })
  const ended: Frame = { type: "prompt_result", id: "p", status: "completed" }
  const item: Frame = { type: "queue_update", items: [{ messageId: "m2", text: "text s" }] }
  const back = response("abort", "a", { cleared: { steering: ["text s"], followUp: [] } })
  const play = (...frames: ReadonlyArray<Frame>) => {
    const found: Array<string> = []
    const accounts = Accounts.make((what) => void found.push(what))
    accounts.sending(prompt, undefined)
    accounts.sending(steer, undefined)
    accounts.sending({ id: "a", type: "abort" }, "r")
    for (const frame of frames) accounts.take(frame)
    accounts.finish()
    return found
  }
  const end: Frame = { type: "agent_end", runId: "r" }
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Frame>, ReadonlyArray<string>]> = [
    ["a delivered message", [started, queued, said("m1"), said("m2"), ended], []],
    ["a message handed back", [started, queued, item, said("m1"), end, back, ended], []],
    ["a lost message", [started, queued, said("m1"), ended], ["the message of s is lost"]],
    [
      "one delivered twice",
      [started, queued, said("m1"), said("m2"), said("m2"), ended],
      ["the message of s was delivered 2 times"]
    ],
    [
      "one delivered and handed back",
      [started, queued, item, said("m1"), said("m2"), end, back, ended],
      ["the message m2 was delivered and then handed back by abort"]
    ],
    ["a prompt without a result", [started, said("m1")], ["the prompt p has 0 prompt_result"]],
    ["a prompt with two", [started, said("m1"), ended, ended], ["the prompt p has 2 prompt_result"]],
    ["a result of nothing", [ended], ["a prompt_result for p, which was not accepted"]],
    [
      "an abort that is answered early",
      [started, said("m1"), response("abort", "a"), ended],
      ["abort is answered before agent_end"]
    ],
    [
      "a run before its response",
      [{ type: "agent_start", runId: "r" }, started, said("m1"), ended],
      ["agent_start comes before the response to its prompt"]
    ],
    ["two responses", [started, started, said("m1"), ended], ["two responses to prompt p"]]
  ]
  it.each(cases)("%s", (_, frames, expected) => assert.deepStrictEqual(play(...frames), expected))
})

describe("facts", () => {
  const check = (entries: ReadonlyArray<string>, queue: ReadonlyArray<string>, ...frames: ReadonlyArray<Frame>) => {
    const facts = Facts.make()
    facts.sending({ id: "s", type: "steer", message: "text s" })
    facts.take(response("steer", "s", { messageId: "m" }))
    for (const frame of frames) facts.take(frame)
    const stored = entries.map((text) => ({ type: "message", message: { role: "user", content: text } }))
    return facts.check({
      messages: undefined,
      state: undefined,
      queue: response("get_queue", 1, { items: queue.map((text) => ({ text })) }),
      entries: response("get_entries", 2, { entries: stored })
    })
  }
  const back = response("abort", "a", { cleared: { steering: ["text s"], followUp: [] } })

  it("finds a message in the conversation or in the queue", () => {
    assert.deepStrictEqual([check(["text s"], []), check([], ["text s"])], [[], []])
  })
  it("misses it, and notices it twice", () => {
    assert.deepStrictEqual(check([], []), ['"text s" was acknowledged and is lost'])
    assert.deepStrictEqual(check(["text s"], ["text s"]), ['"text s" is there 2 times'])
  })
  it("notices a message that was handed back and is there", () => {
    assert.deepStrictEqual(check([], [], back), [])
    assert.deepStrictEqual(check([], ["text s"], back), ['"text s" was handed back and is still there'])
  })
  it("misses a message that had ended", () => {
    assert.lengthOf(check(["text s"], [], { type: "message_end", message: { role: "assistant", content: "x" } }), 1)
  })
})

it("a seed makes the same lines, another one others", () => {
  const lines = (seed: string) => {
    const random = Random.make(seed).fork("wire")
    return Array.from({ length: 200 }, (_, n) => Lines.line(random, { ids: [] }, n, n === 0).bytes.toString("latin1"))
  }
  assert.deepStrictEqual(lines("1"), lines("1"))
  assert.notDeepEqual(lines("1"), lines("2"))
})
