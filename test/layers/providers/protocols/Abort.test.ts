import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import * as Loopback from "../../../support/LoopbackModel.ts"
import { all, collectFrom, connection, model, open, request, stream } from "./support.ts"

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
        const whole = yield* Effect.scoped(collectFrom(open(protocol, target(server.baseUrl), connection())))
        yield* server.requests.take
        const scope = yield* Scope.make()
        const answer = yield* Scope.extend(open(protocol, target(server.baseUrl), connection()), scope)
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
      const fiber = yield* Effect.fork(Effect.scoped(collectFrom(open(protocol, target(server.baseUrl), connection()))))
      const received = yield* server.requests.take
      const exit = yield* Fiber.interrupt(fiber)
      yield* Deferred.await(received.closed)
      assert.isTrue(Exit.isInterrupted(exit))
    })
  )

  it.scoped("an error inside the stream closes the connection, although the server would go on", () =>
    Effect.gen(function* () {
      const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n'
      const server = yield* Loopback.make(Loopback.sse(error, Loopback.hold))
      const { failure } = yield* collectFrom(open(protocol, target(server.baseUrl), connection()))
      assert.strictEqual(failure?.reason, "overloaded")
      yield* Deferred.await((yield* server.requests.take).closed)
      assert.deepStrictEqual(server.openSockets(), 0)
    })
  )

  it.scoped("a stream that has ended leaves its connection for the next call", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(Loopback.sse(stream(name)))
      for (let n = 0; n < 3; n++) {
        const opened = open(protocol, target(server.baseUrl), connection())
        const { failure } = yield* Effect.scoped(collectFrom(opened))
        assert.deepStrictEqual(failure, undefined)
      }
      assert.deepStrictEqual(server.openSockets(), 1)
    })
  )
})
