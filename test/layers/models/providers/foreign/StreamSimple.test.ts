import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Ref, Scope, TestClock } from "effect"
import type { ModelEvent } from "../../../../../src/domain/model/ModelEvent.ts"
import type { PiContext } from "../../../../../src/layers/models/providers/foreign/PiContext.ts"
import type { StreamOptions, StreamSimple } from "../../../../../src/layers/models/providers/foreign/StreamSimple.ts"
import { KnownSecrets, make as makeSecrets } from "../../../../../src/layers/machine/secrets/KnownSecrets.ts"
import { joined, request, secret } from "../../protocols/support.ts"
import { acme, answer, collect, iterable, open, played, text } from "./support.ts"

describe("code of an extension", () => {
  it.effect("is called as pi calls it", () =>
    Effect.gen(function* () {
      const calls: Array<readonly [unknown, PiContext, Omit<StreamOptions, "signal">]> = []
      const streamSimple: StreamSimple = (model, context, { signal, ...options }) => {
        assert.isFalse(signal.aborted)
        calls.push([model, context, options])
        return Promise.resolve(iterable(answer()))
      }
      const { events, failure } = yield* collect(streamSimple, { thinkingLevel: "high" })
      const { messages, systemPrompt, tools } = request()
      assert.deepStrictEqual(calls, [
        [
          { ...acme, baseUrl: "https://me:pw@acme.example" },
          {
            systemPrompt,
            messages: [{ role: "system", content: systemPrompt, toolsAdded: tools, timestamp: 0 }, ...messages],
            tools
          },
          { sessionId: "session-1", apiKey: secret, headers: { "x-team": "weavers" }, reasoning: "high" }
        ]
      ])
      assert.deepStrictEqual([failure, events.at(-1)?._tag], [undefined, "Finished"])
    })
  )

  it.effect("may ask the hooks of the session", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<unknown>>([])
      const hooks = {
        before: (payload: unknown) => Effect.succeed({ was: payload }),
        after: (response: unknown) => Ref.update(seen, (before) => [...before, response])
      }
      const said = yield* Ref.make<unknown>(undefined)
      const streamSimple: StreamSimple = async (_model, _context, { onPayload, onResponse }) => {
        Effect.runSync(Ref.set(said, await onPayload?.({ a: 1 })))
        await onResponse?.({ status: 200, headers: {} })
        return iterable(answer())
      }
      const { failure } = yield* collect(streamSimple, { hooks })
      assert.deepStrictEqual(
        [failure, yield* Ref.get(said), yield* Ref.get(seen)],
        [undefined, { was: { a: 1 } }, [{ status: 200, headers: {} }]]
      )
    })
  )

  it.effect("is not read on after the end of its answer, and told so", () =>
    Effect.gen(function* () {
      const returned = yield* Deferred.make<void>()
      const events = answer()[Symbol.iterator]()
      const next = () => {
        const item = events.next()
        return item.done === true ? assert.fail("read on") : Promise.resolve(item)
      }
      const { failure } = yield* collect(() => ({
        [Symbol.asyncIterator]: () => ({ next, return: () => Effect.runPromise(Deferred.succeed(returned, undefined)) })
      }))
      yield* Deferred.await(returned)
      assert.isUndefined(failure)
    })
  )
})

const throwing = (cause: unknown): StreamSimple => {
  const fail: StreamSimple = () => {
    throw cause
  }
  return fail
}

/** What the call comes to: its events, and its failure in two words. */
const outcome = (streamSimple: StreamSimple) =>
  Effect.map(collect(streamSimple), ({ events, failure }) => [
    joined(events).map(({ _tag }) => _tag),
    failure?.reason,
    failure?.message
  ])

const rejecting = (cause: unknown) => ({
  [Symbol.asyncIterator]: () => ({ next: (): Promise<unknown> => Promise.reject(cause) })
})

const brokenAfter = (events: Iterable<unknown>, cause: unknown) => ({
  async *[Symbol.asyncIterator]() {
    yield* events
    throw cause
  }
})

const cases: ReadonlyArray<readonly [string, StreamSimple, string, string | undefined]> = [
  ["throws", throwing(new Error("boom")), "protocol", "acme: boom."],
  ["throws text", throwing("boom"), "protocol", "acme: boom."],
  ["throws nothing", throwing(undefined), "protocol", "acme: undefined."],
  ["throws an HTTP error", throwing({ status: 503, message: "busy" }), "overloaded", "acme (503): busy."],
  ["rejects", () => Promise.reject(new Error("later")), "protocol", "acme: later."],
  ["rejects an item", () => rejecting(new Error("rate limit reached")), "rate_limit", "acme: rate limit reached."],
  ["returns nothing", () => undefined, "protocol", "acme: the stream function returned no async iterable."],
  ["returns a list", () => answer(), "protocol", "acme: the stream function returned no async iterable."],
  ["has no iterator", () => ({ [Symbol.asyncIterator]: () => undefined }), "protocol", undefined],
  [
    "returns no results",
    () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(7) }) }),
    "protocol",
    "acme: the iterator returned no result object."
  ],
  ["is empty", () => iterable([]), "stream_ended", "acme: The stream ended before the answer was complete"],
  [
    "sends garbage",
    () => iterable([42]),
    "protocol",
    "The code of the provider sent an event of unknown form: it has no type"
  ],
  [
    "throws at an end",
    () => ({ ...iterable([]), return: () => Promise.reject(new Error("x")) }),
    "stream_ended",
    undefined
  ]
]

describe("hostile code ends its call with a failure:", () => {
  it.effect.each(cases)("%s", ([, streamSimple, reason, message]) =>
    Effect.gen(function* () {
      const [events, found, said] = yield* outcome(streamSimple)
      assert.deepStrictEqual([events, found, message === undefined ? undefined : said], [[], reason, message])
    })
  )

  it.effect("events whose members throw", () =>
    Effect.gen(function* () {
      const trap = {
        type: "text_delta",
        contentIndex: 0,
        get delta() {
          throw new Error("trap")
        }
      }
      assert.deepStrictEqual(yield* outcome(() => iterable([trap])), [[], "protocol", "acme: trap."])
    })
  )

  it.effect("events that came before a failure count", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcome(() => brokenAfter(answer().slice(0, 6), new Error("socket hang up"))), [
        ["ThinkingStarted", "Delta", "BlockEnded", "TextStarted", "Delta"],
        "connection",
        "acme: socket hang up."
      ])
    })
  )

  it.effect("10 MB in one piece, or in many", () =>
    Effect.gen(function* () {
      const piece = (size: number) => ({ type: "text_delta", contentIndex: 0, delta: "x".repeat(size) })
      const one = yield* played([piece(10 * 2 ** 20)])
      const many = yield* played(Array.from({ length: 10_000 }, () => piece(1024)))
      assert.deepStrictEqual([one.failure?.reason, many.failure?.reason], ["protocol", "protocol"])
      const characters = many.events.reduce((sum, event) => sum + (event._tag === "Delta" ? event.delta.length : 0), 0)
      assert.strictEqual(characters, 8 * 2 ** 20)
    })
  )
})

const never: StreamSimple = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) })

describe("an interrupt", () => {
  it.effect("fires the signal, and does not wait for code that ignores it", () =>
    Effect.gen(function* () {
      const [began, returned] = [yield* Deferred.make<AbortSignal>(), yield* Deferred.make<void>()]
      const fiber = yield* Effect.fork(
        collect((_model, _context, { signal }) => ({
          [Symbol.asyncIterator]: () => ({
            next: () => {
              Effect.runSync(Deferred.succeed(began, signal))
              return new Promise(() => undefined)
            },
            return: () => {
              Effect.runSync(Deferred.succeed(returned, undefined))
              return new Promise(() => undefined)
            }
          })
        }))
      )
      const signal = yield* Deferred.await(began)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.isTrue(signal.aborted)
      yield* Deferred.await(returned)
    })
  )

  it.effect("also of code that has not even returned its iterable", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const signals: Array<AbortSignal> = []
      const events = yield* Scope.extend(
        open((_model, _context, { signal }) => {
          signals.push(signal)
          return new Promise(() => undefined)
        }),
        scope
      )
      const reader = yield* Effect.fork(events.takeAll)
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(reader)))
      assert.deepStrictEqual(
        signals.map(({ aborted }) => aborted),
        [true]
      )
    })
  )

  it.effect("comes through while code sends events without end and without a wait", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      function* endless(): Generator<unknown> {
        Effect.runSync(Deferred.succeed(began, undefined))
        while (true) yield { type: "ping" }
      }
      const fiber = yield* Effect.fork(collect(() => iterable(endless())))
      yield* Deferred.await(began)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
    })
  )
})

describe("the event loop", () => {
  it.effect("turns while code sends events without a wait", () =>
    Effect.gen(function* () {
      let [sent, turned] = [0, false]
      function* busy(): Generator<unknown> {
        setImmediate(() => {
          turned = true
        })
        for (; !turned && sent < 50_000; sent++) yield { type: "ping" }
      }
      yield* collect(() => iterable(busy()))
      assert.isBelow(sent, 1000)
    })
  )

  it.effect("brings what has come, when the next event is not there yet", () =>
    Effect.gen(function* () {
      const go = Promise.withResolvers<void>()
      const events = yield* open(() => ({
        async *[Symbol.asyncIterator]() {
          yield* answer().slice(0, 3)
          await go.promise
          yield* answer().slice(3)
        }
      }))
      const told: Array<ModelEvent> = []
      while (told.length < 2) told.push(...(yield* events.takeAll)[0])
      go.resolve()
      for (let over = false; !over;) {
        const [batch, isDone] = yield* events.takeAll
        told.push(...batch)
        over = isDone
      }
      assert.strictEqual(told.at(-1)?._tag, "Finished")
    }).pipe(Effect.scoped)
  )
})

describe("a reader that is behind", () => {
  it.effect("holds the code up, and gets everything", () =>
    Effect.gen(function* () {
      let taken = 0
      function* many(): Generator<unknown> {
        for (let n = 0; n < 1000; n++) {
          taken++
          yield { type: "text_delta", contentIndex: 0, delta: `${n},` }
        }
        yield { type: "done", reason: "stop", message: { content: [text("")] } }
      }
      const events = yield* open(() => iterable(many()))
      const told: Array<ModelEvent> = [yield* events.take]
      assert.isBelow(taken, 200)
      for (let over = false; !over;) {
        const [batch, isDone] = yield* events.takeAll
        told.push(...batch)
        over = isDone
      }
      const [, delta] = joined(told)
      assert.deepStrictEqual(delta, { _tag: "Delta", delta: Array.from({ length: 1000 }, (_, n) => `${n},`).join("") })
    }).pipe(Effect.scoped)
  )
})

describe("silence", () => {
  it.effect("of ten minutes ends the call", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(collect(never))
      yield* TestClock.adjust("599 seconds")
      assert.isNull(fiber.unsafePoll())
      yield* TestClock.adjust("1 seconds")
      const { failure } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        [failure?.reason, failure?.message],
        ["timeout", "acme sent nothing for 600 s after the request"]
      )
    })
  )
})

describe("the key", () => {
  it.effect("is in no failure, and a secret of the process", () =>
    Effect.gen(function* () {
      const secrets = makeSecrets()
      const leaky: StreamSimple = (_model, _context, { apiKey = "", headers }) =>
        Promise.reject(new Error(`401 bad key ${apiKey} ${headers?.["x-team"]}`))
      const { failure } = yield* Effect.provide(collect(leaky), Layer.succeed(KnownSecrets, secrets))
      assert.notInclude(failure?.message, secret)
      assert.strictEqual(secrets.mask(`a ${secret} b`), "a [redacted] b")
    })
  )
})
