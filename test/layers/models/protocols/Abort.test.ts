import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope, Supervisor } from "effect"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as Loopback from "../../../support/LoopbackModel.ts"
import { all, collectFrom, connection, joined, model, request, stream } from "./support.ts"

describe.each(all)("$name", ({ name, protocol }) => {
  const target = (baseUrl: string) => request({ model: model({ baseUrl, api: protocol.api }) })

  it.scoped("abort after every event closes the connection", () =>
    Effect.gen(function* () {
      const events = stream(name)
        .split("\n\n")
        .filter((event) => event.trim() !== "")
        .map((event) => `${event}\n\n`)
      const last = name === "chat" ? events.length - 2 : events.length - 1
      for (let at = 0; at < last; at++) {
        const sent = events.slice(0, at)
        const server = yield* Loopback.make(Loopback.sse(...sent), Loopback.sse(...sent, Loopback.hold))
        const whole = yield* Effect.scoped(collectFrom(protocol.stream(target(server.baseUrl), connection())))
        yield* server.requests.take
        const scope = yield* Scope.make()
        const answer = yield* Scope.extend(protocol.stream(target(server.baseUrl), connection()), scope)
        const received = yield* server.requests.take
        for (let seen = 0; seen < whole.events.length;) seen += [...(yield* answer.takeAll)[0]].length
        yield* Scope.close(scope, Exit.void)
        yield* Deferred.await(received.closed)
        assert.deepStrictEqual(server.openSockets(), 0, `aborted after ${at}`)
      }
    })
  )

  it.scoped("abort before the headers closes the connection", () =>
    Effect.gen(function* () {
      const never = yield* Deferred.make<void>()
      const server = yield* Loopback.make({ parts: [{ _tag: "Until", go: never }] })
      const fiber = yield* Effect.fork(
        Effect.scoped(collectFrom(protocol.stream(target(server.baseUrl), connection())))
      )
      const received = yield* server.requests.take
      const exit = yield* Fiber.interrupt(fiber)
      yield* Deferred.await(received.closed)
      assert.isTrue(Exit.isInterrupted(exit))
    })
  )

  it.scoped("closing the scope while the call is still opening closes the connection and ends a reader", () =>
    Effect.gen(function* () {
      const never = yield* Deferred.make<void>()
      const server = yield* Loopback.make({ parts: [{ _tag: "Until", go: never }] })
      const scope = yield* Scope.make()
      const events = yield* Scope.extend(protocol.stream(target(server.baseUrl), connection()), scope)
      const reader = yield* Effect.fork(events.takeAll)
      const received = yield* server.requests.take
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(reader)))
      yield* Deferred.await(received.closed)
      assert.strictEqual(server.openSockets(), 0)
    })
  )

  it.scoped("interrupting a reader that waits loses no event, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const text = stream(name)
      const whole = yield* Effect.flatMap(Loopback.make(Loopback.sse(text)), ({ baseUrl }) =>
        Effect.scoped(collectFrom(protocol.stream(target(baseUrl), connection())))
      )
      const go = yield* Deferred.make<void>()
      const half = text.indexOf("\n\n", text.length / 2) + 2
      const server = yield* Loopback.make(Loopback.sse(text.slice(0, half), { _tag: "Until", go }, text.slice(half)))
      const supervisor = yield* Supervisor.track
      const scope = yield* Scope.make()
      const opened = Scope.extend(protocol.stream(target(server.baseUrl), connection()), scope)
      const events = yield* Effect.supervised(opened, supervisor)
      const seen: Array<ModelEvent> = []
      const take = Effect.map(events.takeAll, ([batch, done]) => {
        seen.push(...batch)
        return done
      })
      yield* take
      const waiting = yield* Effect.fork(Effect.forever(take))
      yield* Effect.yieldNow()
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(waiting)))
      yield* Deferred.succeed(go, undefined)
      yield* Effect.repeat(take, { until: (done) => done })
      assert.deepStrictEqual(joined(seen), joined(whole.events))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* supervisor.value).length, 0)
    })
  )

  it.scoped("an error inside the stream closes the connection, although the server would go on", () =>
    Effect.gen(function* () {
      const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n'
      const server = yield* Loopback.make(Loopback.sse(error, Loopback.hold))
      const { failure } = yield* collectFrom(protocol.stream(target(server.baseUrl), connection()))
      assert.strictEqual(failure?.reason, "overloaded")
      yield* Deferred.await((yield* server.requests.take).closed)
      assert.deepStrictEqual(server.openSockets(), 0)
    })
  )

  it.scoped("a stream that has ended leaves its connection for the next call", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(Loopback.sse(stream(name)))
      for (let n = 0; n < 3; n++) {
        const opened = protocol.stream(target(server.baseUrl), connection())
        const { failure } = yield* Effect.scoped(collectFrom(opened))
        assert.deepStrictEqual(failure, undefined)
      }
      assert.deepStrictEqual(server.openSockets(), 1)
    })
  )
})
