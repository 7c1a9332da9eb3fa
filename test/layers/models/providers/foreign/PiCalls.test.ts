import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Mailbox, TestClock } from "effect"
import type { ModelEvent } from "../../../../../src/domain/model/ModelEvent.ts"
import * as Usage from "../../../../../src/domain/model/Usage.ts"
import * as PiCalls from "../../../../../src/layers/models/providers/foreign/PiCalls.ts"
import * as PiEvents from "../../../../../src/layers/models/providers/foreign/PiEvents.ts"
import { ModelClient, ModelFailure } from "../../../../../src/services/model/ModelClient.ts"
import { assistant, model, request } from "../../protocols/support.ts"
import { played, tokens } from "./support.ts"

const answer: ReadonlyArray<ModelEvent> = [
  { _tag: "ThinkingStarted" },
  { _tag: "Delta", delta: "hm" },
  { _tag: "BlockEnded", signature: "sig" },
  { _tag: "TextStarted" },
  { _tag: "Delta", delta: "Hel" },
  { _tag: "Delta", delta: "lo" },
  { _tag: "BlockEnded" },
  { _tag: "ToolCallStarted", id: "c1", name: "read" },
  { _tag: "Delta", delta: '{"path":' },
  { _tag: "Delta", delta: '"a"}' },
  { _tag: "BlockEnded" },
  { _tag: "UsageReported", tokens },
  { _tag: "Finished", stopReason: "toolUse", responseId: "r1" }
]

const message = assistant(
  [
    { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
    { type: "text", text: "Hello" },
    { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } }
  ],
  { usage: Usage.make(tokens, Usage.zeroTokens), stopReason: "toolUse", responseId: "r1", timestamp: 5 }
)

/** The events without what each of them shows of the whole message. */
const bare = (events: ReadonlyArray<PiEvents.AssistantMessageEvent>) =>
  events.map((event) => ("partial" in event ? { ...event, partial: undefined } : event))

const at = (contentIndex: number) => ({ contentIndex, partial: undefined })

const told = [
  { type: "start", partial: undefined },
  { type: "thinking_start", ...at(0) },
  { type: "thinking_delta", delta: "hm", ...at(0) },
  { type: "thinking_end", content: "hm", ...at(0) },
  { type: "text_start", ...at(1) },
  { type: "text_delta", delta: "Hel", ...at(1) },
  { type: "text_delta", delta: "lo", ...at(1) },
  { type: "text_end", content: "Hello", ...at(1) },
  { type: "toolcall_start", ...at(2) },
  { type: "toolcall_delta", delta: '{"path":', ...at(2) },
  { type: "toolcall_delta", delta: '"a"}', ...at(2) },
  { type: "toolcall_end", toolCall: message.content[2], ...at(2) },
  { type: "done", reason: "toolUse", message }
]

const convert = (events: ReadonlyArray<ModelEvent>) => {
  const pi = PiEvents.make(model(), 5)
  return [pi.start, ...events.flatMap(pi.push), pi.last()]
}

describe("model events as events of pi", () => {
  it("are complete", () => {
    assert.deepStrictEqual<unknown>(bare(convert(answer)), told)
  })

  it("show the message so far, all in one object", () => {
    const pi = PiEvents.make(model(), 5)
    const partials = new Set<unknown>()
    const contents: Array<unknown> = []
    for (const event of [pi.start, ...answer.slice(7, 10).flatMap(pi.push)]) {
      if (!("partial" in event)) continue
      partials.add(event.partial)
    }
    for (const partial of partials) contents.push(partial)
    assert.deepStrictEqual(contents.length, 1)
    const shown = JSON.parse(JSON.stringify(contents[0]))
    assert.deepStrictEqual(shown.content, [{ type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } }])
    assert.deepStrictEqual([shown.role, shown.stopReason, shown.timestamp], ["assistant", "stop", 5])
  })

  it.effect("come back as the events that they were made of", () =>
    Effect.gen(function* () {
      const { events, failure } = yield* played(convert(answer))
      const said = (all: ReadonlyArray<ModelEvent>) =>
        all.map((event) => (event._tag === "Delta" ? event.delta : event._tag)).join(" ")
      assert.deepStrictEqual(
        [failure, said(events)],
        [undefined, said(answer).replace('{"path": "a"}', '{"path":"a"}')]
      )
    })
  )

  it("cost the same for each delta, however long the message is", () => {
    const pi = PiEvents.make(model(), 5)
    pi.push({ _tag: "TextStarted" })
    const delta: ModelEvent = { _tag: "Delta", delta: "x".repeat(100) }
    for (let n = 0; n < 50_000; n++) pi.push(delta)
    pi.push({ _tag: "BlockEnded" })
    const last = pi.last()
    const [block] = last.type === "done" ? last.message.content : []
    assert.strictEqual(block?.type === "text" ? block.text.length : 0, 5_000_000)
  })
})

const client = (
  events: ReadonlyArray<ModelEvent>,
  end: (mailbox: Mailbox.Mailbox<ModelEvent, ModelFailure>) => Effect.Effect<unknown>
) =>
  Layer.succeed(ModelClient, {
    stream: () =>
      Effect.tap(
        Effect.acquireRelease(Mailbox.make<ModelEvent, ModelFailure>(), ({ shutdown }) => shutdown),
        (mailbox) => Effect.zipRight(mailbox.offerAll(events), end(mailbox))
      )
  })

const failure = new ModelFailure({ reason: "overloaded", message: "acme: busy.", provider: "acme", model: "m1" })
const cut = assistant([{ type: "text", text: "Hel" }], { usage: Usage.zero, timestamp: 0 })
/** The call was worked on, so it is counted although nobody has reported its usage. */
const estimated = {
  ...Usage.make({ ...Usage.zeroTokens, input: 25, output: 1 }, Usage.zeroTokens),
  estimated: true
} as const
const half = [answer[3], answer[4]].flatMap((event) => event ?? [])

describe("a call of an extension", () => {
  it.effect("hands its events over, and ends with the whole message", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(5)
      const events: Array<PiEvents.AssistantMessageEvent> = []
      const whole = yield* PiCalls.run(request(), (event) => void events.push(event))
      assert.deepStrictEqual<unknown>([bare(events), whole], [told, message])
      assert.deepStrictEqual(yield* PiCalls.complete(request()), message)
    }).pipe(Effect.provide(client(answer, ({ end }) => end)))
  )

  it.effect("that fails says so in its message, and ends its open block", () =>
    Effect.gen(function* () {
      const events: Array<PiEvents.AssistantMessageEvent> = []
      const whole = yield* PiCalls.run(request(), (event) => void events.push(event))
      assert.deepStrictEqual(whole, { ...cut, usage: estimated, stopReason: "error", errorMessage: "acme: busy." })
      assert.deepStrictEqual<unknown>(
        events.map(({ type }) => type),
        ["start", "text_start", "text_delta", "text_end", "error"]
      )
    }).pipe(Effect.provide(client(half, (mailbox) => mailbox.fail(failure))))
  )

  it.effect("that cannot begin says so, too", () =>
    Effect.gen(function* () {
      const whole = yield* PiCalls.complete(request())
      assert.deepStrictEqual(whole, { ...cut, content: [], stopReason: "error", errorMessage: "acme: busy." })
    }).pipe(Effect.provideService(ModelClient, { stream: () => failure }))
  )

  it.effect("that is interrupted tells its reader that it was aborted", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const events: Array<PiEvents.AssistantMessageEvent> = []
      const fiber = yield* Effect.fork(
        PiCalls.run(request(), (event) => {
          events.push(event)
          if (event.type === "text_delta") Effect.runSync(Deferred.succeed(began, undefined))
        })
      )
      yield* Deferred.await(began)
      yield* Fiber.interrupt(fiber)
      const error = { ...cut, usage: estimated, stopReason: "aborted", errorMessage: "Request was aborted" }
      assert.deepStrictEqual<unknown>(events.at(-1), { type: "error", reason: "aborted", error })
      assert.strictEqual(events.at(-2)?.type, "text_end")
    }).pipe(Effect.provide(client(half, () => Effect.void)))
  )

  it.effect("is an async iterable with a result for code that expects pi's stream", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(5)
      const { run, stream } = yield* PiCalls.open(request())
      const fiber = yield* Effect.fork(run)
      const events: Array<PiEvents.AssistantMessageEvent> = []
      yield* Effect.promise(async () => {
        for await (const event of stream) events.push(event)
      })
      assert.deepStrictEqual<unknown>(
        [bare(events), yield* Effect.promise(() => stream.result()), yield* Fiber.join(fiber)],
        [told, message, message]
      )
    }).pipe(Effect.provide(client(answer, ({ end }) => end)))
  )
})
