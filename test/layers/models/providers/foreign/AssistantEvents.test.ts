import { assert, describe, it } from "@effect/vitest"
import type { ModelEvent } from "../../../../../src/domain/model/ModelEvent.ts"
import * as AssistantEvents from "../../../../../src/layers/models/providers/foreign/AssistantEvents.ts"
import type { Fault } from "../../../../../src/layers/models/protocols/stream/Machine.ts"
import { joined } from "../../protocols/support.ts"
import { answer, message, text, tokens } from "./support.ts"

/** Feeds the events as a call does: until one ends it. */
const play = (events: Iterable<unknown>) => {
  const machine = AssistantEvents.make()
  const told: Array<ModelEvent> = []
  for (const event of events) {
    const stop = machine.take(event) ?? machine.fault()
    told.push(...machine.drain())
    if (stop !== undefined) return { told: joined(told), stop }
    if (machine.finished()) break
  }
  const stop = machine.end()
  return { told: joined(told), stop }
}

const started = (id: string, name: string): ModelEvent => ({ _tag: "ToolCallStarted", id, name })
const delta = (said: string): ModelEvent => ({ _tag: "Delta", delta: said })
const ended: ModelEvent = { _tag: "BlockEnded" }
const usage: ModelEvent = { _tag: "UsageReported", tokens }
const finished = (stopReason: "stop" | "length" | "toolUse"): ModelEvent => ({ _tag: "Finished", stopReason })

describe("an answer", () => {
  it("becomes model events, with usage and reason of its last message", () => {
    assert.deepStrictEqual(play(answer()), {
      told: [
        { _tag: "ThinkingStarted" },
        delta("hm"),
        { _tag: "BlockEnded", signature: "sig" },
        { _tag: "TextStarted" },
        delta("Hello"),
        ended,
        started("c1", "read"),
        delta('{"path":"ü"}'),
        ended,
        usage,
        { _tag: "Finished", stopReason: "toolUse", responseId: "r1" }
      ],
      stop: undefined
    })
  })

  it("may come whole, with its last event", () => {
    const call = { type: "toolCall", id: "c1", name: "read", arguments: {} }
    const redacted = { type: "thinking", thinking: "", thinkingSignature: "blob", redacted: true }
    const done = { type: "done", reason: "stop", message: message([redacted, text("Hi"), call, { type: "image" }]) }
    assert.deepStrictEqual(play([done]).told, [
      { _tag: "ThinkingStarted" },
      { _tag: "BlockEnded", signature: "blob", redacted: true },
      { _tag: "TextStarted" },
      delta("Hi"),
      ended,
      started("c1", "read"),
      delta("{}"),
      ended,
      usage,
      finished("toolUse")
    ])
  })

  it("has the text of an end whose deltas are missing, and ends blocks that were left open", () => {
    const { told } = play([
      { type: "text_start", contentIndex: 0 },
      { type: "text_end", contentIndex: 0, content: "whole" },
      { type: "text_end", contentIndex: 0, content: "again" },
      { type: "thinking_delta", contentIndex: 1, delta: "open" },
      { type: "done", reason: "length", message: message([text("whole")], { stopReason: "length" }) }
    ])
    assert.deepStrictEqual(told, [
      { _tag: "TextStarted" },
      delta("whole"),
      ended,
      { _tag: "ThinkingStarted" },
      delta("open"),
      ended,
      usage,
      finished("length")
    ])
  })

  it("may name a tool call at its end only", () => {
    const { told } = play([
      { type: "toolcall_start", contentIndex: 0, partial: message([]) },
      { type: "toolcall_delta", contentIndex: 0, delta: "{", partial: message([]) },
      { type: "toolcall_end", contentIndex: 0, toolCall: { id: "c9", name: "bash", arguments: { a: [1] } } },
      { type: "done", reason: "toolUse", message: message([]) }
    ])
    assert.deepStrictEqual(told, [started("c9", "bash"), delta('{"a":[1]}'), ended, usage, finished("toolUse")])
  })

  it("puts blocks one after the other that come side by side", () => {
    const { told } = play([
      { type: "text_start", contentIndex: 0 },
      { type: "thinking_start", contentIndex: 1 },
      { type: "thinking_delta", contentIndex: 1, delta: "b" },
      { type: "text_delta", contentIndex: 0, delta: "a" },
      { type: "thinking_end", contentIndex: 1, content: "b" },
      { type: "text_end", contentIndex: 0, content: "a" },
      { type: "done", reason: "stop", message: undefined }
    ])
    assert.deepStrictEqual(told, [
      { _tag: "TextStarted" },
      delta("a"),
      ended,
      { _tag: "ThinkingStarted" },
      delta("b"),
      ended,
      finished("stop")
    ])
  })

  it("hands the report of its usage on as it is, for the one place that looks at it", () => {
    const reported = { input: "3", output: -1, cacheRead: Number.NaN, cacheWrite: 2 }
    const odd = message([], { usage: { ...reported, totalTokens: "4" } })
    assert.deepStrictEqual(play([{ type: "done", reason: "stop", message: odd }]).told, [
      { _tag: "UsageReported", tokens: reported },
      finished("stop")
    ])
  })

  it("ignores events that only a later pi knows", () => {
    const { stop } = play([{ type: "start" }, { type: "citation", contentIndex: "?" }, ...answer()])
    assert.isUndefined(stop)
  })
})

const unknown = (what: string): Fault => ({
  reason: "protocol",
  message: `The code of the provider sent an event of unknown form: ${what}`
})

describe("an event ends the call", () => {
  it.each([
    [undefined, "it has no type"],
    [null, "it has no type"],
    ["text", "it has no type"],
    [[], "it has no type"],
    [{ type: 7 }, "it has no type"],
    [{ type: "text_start" }, "text_start without a contentIndex"],
    [{ type: "text_delta", contentIndex: -1, delta: "x" }, "text_delta without a contentIndex"],
    [{ type: "text_delta", contentIndex: 1e9, delta: "x" }, "text_delta without a contentIndex"],
    [{ type: "toolcall_end", contentIndex: 0.5 }, "toolcall_end without a contentIndex"],
    [{ type: "text_delta", contentIndex: 0 }, "text_delta without a delta"],
    [{ type: "thinking_delta", contentIndex: 0, delta: ["x"] }, "thinking_delta without a delta"]
  ])("that is garbage: %j", (event, what) => {
    assert.deepStrictEqual(play([event]).stop, unknown(what))
  })

  it("whose tool arguments cannot be JSON", () => {
    const end = (args: unknown) => ({ type: "toolcall_end", contentIndex: 0, toolCall: { name: "a", arguments: args } })
    const loop: Record<string, unknown> = {}
    loop["self"] = loop
    assert.deepStrictEqual(
      [play([end({ n: 1n })]).stop, play([end(loop)]).stop],
      [
        { reason: "protocol", message: "The arguments of a tool call cannot be used: holds a BigInt" },
        { reason: "protocol", message: "The arguments of a tool call cannot be used: nested deeper than 512 levels" }
      ]
    )
  })

  it("that is longer than an answer may be", () => {
    const { stop, told } = play([{ type: "text_delta", contentIndex: 0, delta: "x".repeat(10 * 2 ** 20) }])
    assert.deepStrictEqual(
      [stop, told],
      [
        {
          reason: "protocol",
          message: "The model's answer has more than 8388608 characters, so heddle stopped reading"
        },
        [{ _tag: "TextStarted" }]
      ]
    )
  })

  it("that reports a failure, with the usage so far", () => {
    const failed = (errorMessage: string | undefined, reason = "error") =>
      play([{ type: "error", reason, error: message([], { errorMessage }) }])
    assert.deepStrictEqual(failed("429 slow down"), {
      told: [usage],
      stop: { error: { message: "429 slow down", status: 429 } }
    })
    assert.deepStrictEqual(failed(undefined).stop, { error: { message: "" } })
    assert.deepStrictEqual(failed("", "aborted").stop, {
      reason: "stream_ended",
      message: "The code of the provider aborted the answer"
    })
  })

  it("that says done, but holds a failure or a deferred answer", () => {
    const done = (stopReason: string) =>
      play([{ type: "done", reason: stopReason, message: message([], { stopReason, errorMessage: "no" }) }]).stop
    assert.deepStrictEqual(
      [done("error"), done("deferred")],
      [{ error: { message: "no" } }, { reason: "protocol", message: "heddle does not support deferred answers" }]
    )
  })

  it("is missing at the end", () => {
    assert.deepStrictEqual(play(answer().slice(0, -1)).stop, {
      reason: "stream_ended",
      message: "The stream ended before the answer was complete"
    })
  })
})
