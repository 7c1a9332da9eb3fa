import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Scope, Supervisor, TestClock } from "effect"
import type { ModelEvent } from "../../../../../src/domain/model/ModelEvent.ts"
import * as Dialect from "../../../../../src/layers/models/protocols/stream/Dialect.ts"
import type { Machine } from "../../../../../src/layers/models/protocols/stream/Machine.ts"
import * as EventLoop from "../../../../../src/layers/machine/engine/EventLoop.ts"
import * as ServerEvents from "../../../../../src/layers/machine/http/ServerEvents.ts"
import { failed } from "../../../../../src/layers/machine/engine/Source.ts"
import * as ModelCall from "../../../../../src/layers/models/protocols/stream/ModelCall.ts"
import type * as Watchdog from "../../../../../src/layers/models/protocols/stream/Watchdog.ts"
import * as Loopback from "../../../../support/LoopbackModel.ts"
import { all, collect, collectFrom, connection, model, request, stream } from "../support.ts"

const delta = (text: string): ModelEvent => ({ _tag: "Delta", delta: text })

interface Count {
  readonly n: number
}

/** Numbers in, deltas out. */
const counting = (): Machine<Count> => {
  let events: ReadonlyArray<ModelEvent> = []
  return {
    take: ({ n }) => {
      events = [...events, delta(String(n))]
      return undefined
    },
    drain: () => {
      const drained = events
      events = []
      return drained
    },
    fault: () => undefined,
    end: () => undefined,
    finished: () => false,
    drainMs: 0
  }
}
const deadlines: Watchdog.Deadlines = { firstEventMs: 1000, idleMs: 500, totalMs: 5000 }
const calling = (open: (signal: AbortSignal) => Promise<Response>, machine = counting(), dialect = Dialect.anthropic) =>
  ModelCall.stream({
    request: request(),
    connection: connection(),
    source: ServerEvents.source(
      (signal) => Effect.tryPromise({ try: () => open(signal), catch: failed("open") }),
      1024 * 1024
    ),
    dialect,
    machine,
    deadlines,
    mask: (text) => text
  })

/** An answer of which nothing is made before it is read. */
const answer = (pieces: (n: number) => string | undefined): Response => {
  let n = 0
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const piece = pieces(n++)
    if (piece === undefined) controller.close()
    else controller.enqueue(new TextEncoder().encode(piece))
  }
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))
}
/** An answer that a test writes, and waits until what it wrote has been read. */
const written = () => {
  const { promise, resolve } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  const response = new Response(new ReadableStream({ start: resolve }))
  const write = (text: string) =>
    Effect.gen(function* () {
      const controller = yield* Effect.promise(() => promise)
      controller.enqueue(new TextEncoder().encode(text))
      yield* Effect.repeat(EventLoop.nextTurn, { until: () => controller.desiredSize === 1 })
      yield* EventLoop.nextTurn
    })
  const close = Effect.promise(() => promise.then((controller) => controller.close()))
  return { response, write, close }
}
const event = (n: number) => `event: count\ndata: {"n":${n}}\n\n`

describe("a model call", () => {
  it.scoped("a reader that falls behind holds the source back, and is not taken for its silence", () =>
    Effect.gen(function* () {
      let produced = 0
      const blocked = yield* Deferred.make<void>()
      const numbers = (n: number) => {
        if (n === 5000) return undefined
        produced++
        if (n === ModelCall.capacity) Deferred.unsafeDone(blocked, Effect.void)
        return event(n)
      }
      const mailbox = yield* calling(() => Promise.resolve(answer(numbers)))
      yield* Deferred.await(blocked)
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(produced, ModelCall.capacity + 1)
      const { events, failure } = yield* collectFrom(Effect.succeed(mailbox))
      assert.deepStrictEqual(failure, undefined)
      assert.deepStrictEqual(
        events,
        Array.from({ length: 5000 }, (_, n) => delta(String(n)))
      )
    })
  )

  it.scoped("a reader that is behind when the source has finished still gets everything", () =>
    Effect.gen(function* () {
      const last = ModelCall.capacity + 10
      const blocked = yield* Deferred.make<void>()
      let seen = 0
      const plain = counting()
      const machine: Machine<Count> = {
        ...plain,
        take: (count) => {
          seen = count.n
          return plain.take(count)
        },
        finished: () => seen >= ModelCall.capacity,
        drainMs: 250
      }
      const numbers = (n: number) => {
        if (n === ModelCall.capacity) Deferred.unsafeDone(blocked, Effect.void)
        return n === last ? undefined : event(n)
      }
      const mailbox = yield* calling(() => Promise.resolve(answer(numbers)), machine)
      yield* Deferred.await(blocked)
      yield* TestClock.adjust("2 seconds")
      const { events, failure } = yield* collectFrom(Effect.succeed(mailbox))
      assert.deepStrictEqual([events.length, failure], [last, undefined])
    })
  )

  it.scoped("the longest time of a call ends one whose reader is behind, and nothing that came is lost", () =>
    Effect.gen(function* () {
      const blocked = yield* Deferred.make<void>()
      const numbers = (n: number) => {
        if (n === ModelCall.capacity) Deferred.unsafeDone(blocked, Effect.void)
        return event(n)
      }
      const mailbox = yield* calling(() => Promise.resolve(answer(numbers)))
      yield* Deferred.await(blocked)
      yield* TestClock.adjust("6 seconds")
      const { events, failure } = yield* collectFrom(Effect.succeed(mailbox))
      assert.deepStrictEqual([events.length, failure?.reason], [ModelCall.capacity + 1, "timeout"])
    })
  )

  it.scoped("a finished stream that stays open ends by itself", () =>
    Effect.gen(function* () {
      for (const { name, protocol } of all) {
        // Chat would end at its sentinel.
        const server = yield* Loopback.make(Loopback.sse(stream(name).replace("data: [DONE]\n\n", ""), Loopback.hold))
        const fiber = yield* Effect.fork(collect(protocol, server.baseUrl))
        const { closed } = yield* server.requests.take
        while (Option.isNone(yield* Deferred.poll(closed))) {
          yield* TestClock.adjust("100 millis")
          yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
        }
        const { events, failure } = yield* Fiber.join(fiber)
        assert.deepStrictEqual([failure, events.at(-1)?._tag], [undefined, "Finished"])
      }
    })
  )

  it.scoped("closing the scope leaves no fiber", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor.track
      const server = yield* Loopback.make(Loopback.sse(stream("anthropic").slice(0, 900), Loopback.hold))
      const target = request({ model: model({ baseUrl: server.baseUrl }) })
      const during = yield* Effect.gen(function* () {
        const scope = yield* Scope.make()
        const events = yield* Scope.extend(all[0].protocol.stream(target, connection()), scope)
        yield* events.takeAll
        const running = yield* supervisor.value
        yield* Scope.close(scope, Exit.void)
        return running.length
      }).pipe(Effect.supervised(supervisor))
      assert.isAbove(during, 0)
      assert.deepStrictEqual((yield* supervisor.value).length, 0)
    })
  )

  it.effect("closing the scope as soon as it is opened leaves no request open, and ends a reader", () =>
    Effect.gen(function* () {
      const signals: Array<AbortSignal> = []
      const scope = yield* Scope.make()
      const never = calling((signal) => {
        signals.push(signal)
        return new Promise(() => undefined)
      })
      const events = yield* Scope.extend(never, scope)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(events.takeAll)))
      assert.deepStrictEqual(
        signals.filter(({ aborted }) => !aborted),
        []
      )
    })
  )

  it.effect("closing the scope ends a call whose reader is behind, although it was opened uninterruptibly", () =>
    Effect.gen(function* () {
      const behind = yield* Deferred.make<AbortSignal>()
      const scope = yield* Scope.make()
      const opened = calling((signal) =>
        Promise.resolve(
          answer((n) => {
            if (n === ModelCall.capacity) Deferred.unsafeDone(behind, Effect.succeed(signal))
            return event(n)
          })
        )
      )
      const events = yield* Effect.uninterruptible(Scope.extend(opened, scope))
      const signal = yield* Deferred.await(behind)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(signal.aborted)
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(events.takeAll)))
    })
  )

  it.scoped("a server that sends comments is alive, however long it takes", () =>
    Effect.gen(function* () {
      const { close, response, write } = written()
      const fiber = yield* Effect.fork(collectFrom(calling(() => Promise.resolve(response))))
      for (let n = 0; n < 6; n++) {
        yield* write(": thinking\n\n")
        yield* TestClock.adjust("400 millis")
      }
      yield* write(event(1))
      yield* close
      assert.deepStrictEqual(yield* Fiber.join(fiber), { events: [delta("1")], failure: undefined })
    })
  )

  it.scoped("a server that says that its stream is over has a moment to end it, not the time for usage", () =>
    Effect.gen(function* () {
      const { response, write } = written()
      const usageMayFollow: Machine<Count> = { ...counting(), finished: () => true, drainMs: 5000 }
      const opened = calling(() => Promise.resolve(response), usageMayFollow, Dialect.openAi)
      const fiber = yield* Effect.fork(collectFrom(opened))
      yield* write(event(1))
      yield* TestClock.adjust("1 seconds")
      assert.isNull(fiber.unsafePoll())
      yield* write("data: [DONE]\n\n")
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { events: [delta("1")], failure: undefined })
    })
  )

  it.scoped("what came before a broken event counts, what comes after it does not", () =>
    Effect.gen(function* () {
      const machine = counting()
      const taken: Array<number> = []
      const refusing: Machine<Count> = {
        ...machine,
        take: ({ n }) => {
          taken.push(n)
          if (n === 2) return { reason: "protocol", message: "no sense" }
          return n === 3 ? assert.fail("no bounds") : machine.take({ n })
        }
      }
      const one = (text: string) => () => Promise.resolve(answer((n) => (n === 0 ? text : undefined)))
      const refused = yield* collectFrom(calling(one(event(0) + event(1) + event(2) + event(3)), refusing))
      assert.deepStrictEqual([refused.events, refused.failure?.message], [[delta("0"), delta("1")], "no sense"])
      assert.deepStrictEqual(taken, [0, 1, 2])
      const thrown = yield* collectFrom(calling(one(event(4) + event(3)), refusing))
      assert.deepStrictEqual([thrown.events, thrown.failure?.reason], [[delta("4")], "protocol"])
    })
  )

  it.scoped.each([
    ["ends", undefined],
    ["is refused", "protocol"],
    ["fails", "server"]
  ] as const)("a call that %s fires its signal", ([how, reason]) =>
    Effect.gen(function* () {
      const signals: Array<AbortSignal> = []
      const fault: Machine<Count>["fault"] = () =>
        how === "is refused" ? { reason: "protocol", message: "no" } : undefined
      const opened = calling(
        (signal) => {
          signals.push(signal)
          const one = answer((n) => (n === 0 ? event(n) : undefined))
          return how === "fails" ? Promise.reject(new Error("internal server error")) : Promise.resolve(one)
        },
        { ...counting(), fault }
      )
      assert.strictEqual((yield* collectFrom(opened)).failure?.reason, reason)
      assert.deepStrictEqual(
        signals.map(({ aborted }) => aborted),
        [true]
      )
    })
  )

  it.scoped("a machine that has a bug is a defect of the reader, which does not wait for ever", () =>
    Effect.gen(function* () {
      const bug = new Error("a bug")
      const end = () => {
        throw bug
      }
      const events = yield* calling(() => Promise.resolve(answer(() => undefined)), { ...counting(), end })
      assert.deepStrictEqual(yield* Effect.exit(events.takeAll), Exit.die(bug))
    })
  )

  it.scoped("an SDK that throws at once is a failure, not a defect", () =>
    Effect.gen(function* () {
      const { failure } = yield* collectFrom(calling(() => Promise.reject(new Error("internal server error"))))
      assert.deepStrictEqual([failure?.reason, failure?.message], ["server", "acme: internal server error."])
    })
  )
})
