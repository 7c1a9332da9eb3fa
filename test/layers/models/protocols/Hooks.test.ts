import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Ref } from "effect"
import type { Model } from "../../../../src/domain/model/Model.ts"
import type { ProviderResponse, RequestHooks, RequestInfo } from "../../../../src/services/model/RequestHooks.ts"
import * as Loopback from "../../../support/LoopbackModel.ts"
import { all, collectFrom, connection, model, request, stream } from "./support.ts"

describe.each(all)("hooks of a request that speaks $name", ({ name, protocol }) => {
  const answer = Loopback.sse(stream(name))
  const target = (baseUrl: string): Model => model({ baseUrl, api: protocol.api })
  const call = (baseUrl: string, hooks?: RequestHooks) =>
    collectFrom(
      protocol.stream(request({ model: target(baseUrl), ...(hooks === undefined ? {} : { hooks }) }), connection())
    )

  it.scoped("see the body that is sent without them, and the session", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(answer)
      yield* call(server.baseUrl)
      const { body } = yield* server.requests.take
      const seen = yield* Ref.make<ReadonlyArray<readonly [unknown, RequestInfo]>>([])
      const { failure } = yield* call(server.baseUrl, {
        before: (payload, info) =>
          Effect.as(
            Ref.update(seen, (calls) => [...calls, [payload, info] as const]),
            payload
          )
      })
      assert.deepStrictEqual(yield* Ref.get(seen), [[body, { model: target(server.baseUrl), sessionId: "session-1" }]])
      assert.deepStrictEqual([failure, (yield* server.requests.take).body], [undefined, body])
    })
  )

  it.scoped("may replace the body, for this request only", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(answer)
      yield* call(server.baseUrl, { before: () => Effect.succeed({ mine: [1, "ü"], drop: undefined }) })
      yield* call(server.baseUrl)
      assert.deepStrictEqual((yield* server.requests.take).body, { mine: [1, "ü"] })
      assert.containsAllKeys((yield* server.requests.take).body, ["model", "stream"])
    })
  )

  const loop: Record<string, unknown> = {}
  loop["loop"] = loop
  it.scoped.each([
    [undefined, "is not a JSON object"],
    ["text", "is not a JSON object"],
    [[1], "is not a JSON object"],
    [{ big: 1n }, "holds a BigInt"],
    [loop, "nested deeper than 512 levels"]
  ] as const)("that return what is no body fail the call before it is sent", ([body, problem]) =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(answer)
      const { events, failure } = yield* call(server.baseUrl, { before: () => Effect.succeed(body) })
      assert.deepStrictEqual(
        [events, failure?.reason, failure?.message],
        [
          [],
          "invalid_request",
          `The request to acme was not sent: the body that a before_provider_request handler returned ${problem}`
        ]
      )
      assert.strictEqual(server.openSockets(), 0)
    })
  )

  it.scoped("see status and headers before anything of the answer comes", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make({ ...answer, headers: { ...answer.headers, "X-Request-Id": "r1" } })
      const [seen, go] = [yield* Deferred.make<ProviderResponse>(), yield* Deferred.make<void>()]
      const received = yield* Ref.make(0)
      const hooks: RequestHooks = {
        after: (response) => Effect.zipRight(Deferred.succeed(seen, response), Deferred.await(go))
      }
      const opened = protocol.stream(request({ model: target(server.baseUrl), hooks }), connection())
      const fiber = yield* Effect.fork(
        collectFrom(opened, () => void Effect.runSync(Ref.update(received, (count) => count + 1)))
      )
      const { headers, status } = yield* Deferred.await(seen)
      assert.deepStrictEqual([status, headers["x-request-id"], yield* Ref.get(received)], [200, "r1", 0])
      yield* Deferred.succeed(go, undefined)
      assert.isUndefined((yield* Fiber.join(fiber)).failure)
    })
  )

  it.scoped("see an answer that is an error, too, which stays the error that it was", () =>
    Effect.gen(function* () {
      const error = Loopback.json(429, { error: { message: "slow down" } }, { "retry-after": "7" })
      const server = yield* Loopback.make(error)
      const plain = yield* call(server.baseUrl)
      const seen = yield* Ref.make<ReadonlyArray<number | string | undefined>>([])
      const hooked = yield* call(server.baseUrl, {
        after: ({ headers, status }) => Ref.set(seen, [status, headers["retry-after"]])
      })
      assert.deepStrictEqual(yield* Ref.get(seen), [429, "7"])
      assert.deepStrictEqual([hooked.failure?.reason, hooked.failure], ["rate_limit", plain.failure])
    })
  )

  it.scoped("are interrupted with the call", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(Loopback.sse(stream(name).slice(0, 20), Loopback.hold))
      for (const place of ["before", "after"] as const) {
        const [began, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const hang = () =>
          Effect.zipRight(Deferred.succeed(began, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
          )
        const fiber = yield* Effect.fork(Effect.scoped(call(server.baseUrl, { [place]: hang })))
        yield* Deferred.await(began)
        assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)), place)
        yield* Deferred.await(ended)
      }
      const { closed } = yield* server.requests.take
      yield* Deferred.await(closed)
    })
  )
})
