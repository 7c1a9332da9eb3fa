import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, TestClock } from "effect"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as Offline from "../../../../src/layers/models/offline/Offline.ts"
import * as Playback from "../../../../src/layers/models/offline/Playback.ts"
import * as Scenario from "../../../../src/layers/models/offline/Scenario.ts"
import * as ScriptedTurn from "../../../../src/layers/models/offline/ScriptedTurn.ts"
import { ModelFailure } from "../../../../src/services/model/ModelClient.ts"
import { collect } from "./support.ts"

const play = (turn: object, callNumber = 1) => {
  const { turns } = Either.getOrThrow(Scenario.decode(JSON.stringify({ turns: [turn] })))
  return Playback.play(ScriptedTurn.play(turns[0], callNumber, Offline.script))
}

const deltas = (...pieces: ReadonlyArray<string>) => pieces.map((delta): ModelEvent => ({ _tag: "Delta", delta }))
const ended: ModelEvent = { _tag: "BlockEnded" }
const textStarted: ModelEvent = { _tag: "TextStarted" }
const called = (id: string, name: string): ModelEvent => ({ _tag: "ToolCallStarted", id, name })
const finished = (stopReason: "stop" | "length" | "toolUse"): ModelEvent => ({ _tag: "Finished", stopReason })

const cases: ReadonlyArray<readonly [name: string, turn: object, events: ReadonlyArray<ModelEvent>]> = [
  ["nothing at all", { steps: [] }, [finished("stop")]],
  [
    "text in words",
    { steps: [{ text: " Hello  big\nworld" }] },
    [textStarted, ...deltas(" ", "Hello  ", "big\n", "world"), ended, finished("stop")]
  ],
  [
    "text in pieces of two characters",
    { steps: [{ text: "a🙂bcd", chunk: 2 }] },
    [textStarted, ...deltas("a🙂", "bc", "d"), ended, finished("stop")]
  ],
  [
    "repeated text",
    { steps: [{ text: "a b", repeat: 2 }] },
    [textStarted, ...deltas("a ", "b", "a ", "b"), ended, finished("stop")]
  ],
  ["empty text", { steps: [{ text: "" }] }, [textStarted, ended, finished("stop")]],
  [
    "thinking with a signature",
    { steps: [{ thinking: "so so", signature: "sig" }] },
    [{ _tag: "ThinkingStarted" }, ...deltas("so ", "so"), { _tag: "BlockEnded", signature: "sig" }, finished("stop")]
  ],
  [
    "redacted thinking",
    { steps: [{ thinking: "", signature: "opaque", redacted: true }] },
    [{ _tag: "ThinkingStarted" }, { _tag: "BlockEnded", signature: "opaque", redacted: true }, finished("stop")]
  ],
  [
    "a tool call",
    { steps: [{ toolCall: { name: "ls", arguments: { path: "." } }, chunk: 6 }] },
    [called("call_1_1", "ls"), ...deltas('{"path', '":"."}'), ended, finished("toolUse")]
  ],
  [
    "parallel tool calls, one with an id of its own",
    {
      steps: [
        { toolCall: { name: "read", arguments: {} } },
        { toolCall: { name: "read", arguments: {}, id: "mine" } },
        { toolCall: { name: "ls", arguments: {} } }
      ]
    },
    [
      called("call_1_1", "read"),
      ...deltas("{}"),
      ended,
      called("mine", "read"),
      ...deltas("{}"),
      ended,
      called("call_1_3", "ls"),
      ...deltas("{}"),
      ended,
      finished("toolUse")
    ]
  ],
  [
    "malformed arguments",
    { steps: [{ toolCall: { name: "ls", rawArguments: '{"path": oops' } }] },
    [called("call_1_1", "ls"), ...deltas('{"path": ', "oops"), ended, finished("toolUse")]
  ],
  [
    "a call cut off by the output limit",
    { steps: [{ toolCall: { name: "write", rawArguments: '{"path":"a' }, cutOff: true }] },
    [called("call_1_1", "write"), ...deltas('{"path":"a'), finished("length")]
  ],
  [
    "a stop reason and usage of its own",
    { steps: [{ text: "a" }], stopReason: "length", usage: { input: 1, output: 2, cacheRead: 3 } },
    [
      textStarted,
      ...deltas("a"),
      ended,
      { _tag: "UsageReported", tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 0 } },
      finished("length")
    ]
  ]
]

describe("each kind of step gives its events", () => {
  for (const [name, turn, events] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* collect(play(turn)), { events: [...events], failure: undefined })
      })
    )
  }
})

it.effect("fail carries every field of the failure", () =>
  Effect.gen(function* () {
    const fail = { reason: "rate_limit", message: "slow down", httpStatus: 429, retryAfterMs: 1500 } as const
    const { events, failure } = yield* collect(play({ steps: [{ text: "a" }, { fail }] }))
    assert.deepStrictEqual(events, [textStarted, ...deltas("a"), ended])
    assert.deepStrictEqual(failure, new ModelFailure({ ...fail, provider: "offline", model: "script" }))
    assert.isTrue(failure?.retryable)
  })
)

it.effect("disconnect in the middle of a block is a stream without its end", () =>
  Effect.gen(function* () {
    const { events, failure } = yield* collect(play({ steps: [{ text: "half", cutOff: true }, { disconnect: true }] }))
    assert.deepStrictEqual(events, [textStarted, ...deltas("half")])
    assert.deepStrictEqual(
      failure,
      new ModelFailure({
        reason: "stream_ended",
        message: "Stream ended without a terminal event",
        provider: "offline",
        model: "script"
      })
    )
  })
)

it.effect("delays stand between deltas, waits before what follows", () =>
  Effect.gen(function* () {
    const seen: Array<ModelEvent> = []
    const turn = { steps: [{ wait: 50 }, { text: "a b", repeat: 2, delayMs: 10 }] }
    const fiber = yield* Effect.fork(collect(play(turn), (event) => seen.push(event)))
    const after = (ms: number) => Effect.map(TestClock.adjust(ms), () => seen.length)
    assert.deepStrictEqual(yield* Effect.forEach([49, 1, 9, 1, 10, 10], after), [0, 2, 2, 3, 4, 7])
    yield* Fiber.join(fiber)
  })
)

it.effect("hang goes on until it is interrupted", () =>
  Effect.gen(function* () {
    const seen: Array<ModelEvent> = []
    const fiber = yield* Effect.fork(collect(play({ steps: [{ hang: true }] }), (event) => seen.push(event)))
    yield* TestClock.adjust("1000 days")
    assert.isNull(fiber.unsafePoll())
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(seen, [])
  })
)

it.effect("a word repeated 20000 times is 20000 deltas", () =>
  Effect.gen(function* () {
    const { events } = yield* collect(play({ steps: [{ text: "word ", repeat: 20_000 }] }))
    assert.strictEqual(events.filter(({ _tag }) => _tag === "Delta").length, 20_000)
    assert.strictEqual(events.length, 20_003)
  })
)
