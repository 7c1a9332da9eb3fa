import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import * as Loopback from "../../../support/LoopbackModel.ts"
import { all, collectFrom, connection, model, request, stream } from "./support.ts"

describe.each(all)("$name", ({ name, protocol }) => {
  it.scoped("abort at every event closes the connection", () =>
    Effect.gen(function* () {
      const events = stream(name)
        .split("\n\n")
        .filter((event) => event.trim() !== "")
        .map((event) => `${event}\n\n`)
      const last = name === "chat" ? events.length - 2 : events.length - 1
      const cuts = Array.from({ length: last }, (_, at) => at)
      const server = yield* Loopback.make(...cuts.map((at) => Loopback.sse(...events.slice(0, at), Loopback.hold)))
      for (const at of cuts) {
        const scope = yield* Scope.make()
        const opened = protocol.stream(
          request({ model: model({ baseUrl: server.baseUrl, api: protocol.api }) }),
          connection()
        )
        const mailbox = yield* Scope.extend(opened, scope)
        const received = yield* server.requests.take
        // Some events mean nothing to us: only those that bring something are waited for.
        if (at > 8) yield* mailbox.take
        yield* Scope.close(scope, Exit.void)
        yield* Deferred.await(received.closed)
        assert.deepStrictEqual(server.openSockets(), 0, `aborted at ${at}`)
      }
    })
  )

  it.scoped("abort before the headers closes the connection", () =>
    Effect.gen(function* () {
      const never = yield* Deferred.make<void>()
      const server = yield* Loopback.make({ parts: [{ _tag: "Until", go: never }] })
      const fiber = yield* Effect.fork(
        Effect.scoped(
          collectFrom(
            protocol.stream(request({ model: model({ baseUrl: server.baseUrl, api: protocol.api }) }), connection())
          )
        )
      )
      const received = yield* server.requests.take
      const exit = yield* Fiber.interrupt(fiber)
      yield* Deferred.await(received.closed)
      assert.isTrue(Exit.isInterrupted(exit))
    })
  )

  it.scoped("a stream that has ended leaves its connection for the next call", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(Loopback.sse(stream(name)))
      for (let n = 0; n < 3; n++) {
        const opened = protocol.stream(
          request({ model: model({ baseUrl: server.baseUrl, api: protocol.api }) }),
          connection()
        )
        const { failure } = yield* Effect.scoped(collectFrom(opened))
        assert.deepStrictEqual(failure, undefined)
      }
      assert.deepStrictEqual(server.openSockets(), 1)
    })
  )
})
