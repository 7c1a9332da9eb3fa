import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Heddle } from "../../../../src/index.ts"
import * as Http from "../../../../src/layers/machine/http/Http.ts"
import * as HttpJson from "../../../../src/layers/machine/http/HttpJson.ts"
import { errorBodyBytes } from "../../../../src/layers/machine/http/SafeFetch.ts"
import * as BuiltIn from "../../../../src/layers/models/protocols/builtIn.ts"
import * as KnownSecrets from "../../../../src/layers/machine/secrets/KnownSecrets.ts"
import { defaults } from "../../../../src/services/Settings.ts"
import * as Loopback from "../../../support/LoopbackModel.ts"
import { collectFrom, connection, joined, model, request, stream } from "../../models/protocols/support.ts"

/** The client of a program, which says that a request went through it. */
const own = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, HttpClient.mapRequest(HttpClientRequest.setHeader("x-through", "loom")))
).pipe(Layer.provide(FetchHttpClient.layer))

const serve = (answer: (request: Request) => Response) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer })),
      (running) => Effect.promise(() => running.stop(true))
    ),
    ({ port }) => `http://127.0.0.1:${port}`
  )

const protocols = Effect.map(Http.fetch, (fetch) => BuiltIn.make(defaults, KnownSecrets.none, fetch))

const calls = Effect.map(protocols, (all) =>
  all.map((protocol) => ({
    api: protocol.api,
    call: (baseUrl: string) => protocol.stream(request({ model: model({ baseUrl, api: protocol.api }) }), connection())
  }))
)
const names = {
  "anthropic-messages": "anthropic",
  "openai-responses": "responses",
  "openai-completions": "chat"
} as const
const nameOf = (api: string) => Object.entries(names).find(([key]) => key === api)?.[1] ?? assert.fail(api)

describe("the HttpClient of a program", () => {
  it.scoped("carries every model call, with the same events", () =>
    Effect.gen(function* () {
      const engine = yield* calls
      for (const [n, { api, call }] of (yield* Effect.provide(calls, own)).entries()) {
        const server = yield* Loopback.make(Loopback.sse(stream(nameOf(api))))
        const through = yield* collectFrom(call(server.baseUrl))
        const plain = yield* collectFrom(engine[n]?.call(server.baseUrl) ?? assert.fail())
        assert.deepStrictEqual([joined(through.events), through.failure], [joined(plain.events), plain.failure])
        const [first, second] = [yield* server.requests.take, yield* server.requests.take]
        assert.deepStrictEqual([first.headers["x-through"], second.headers["x-through"]], ["loom", undefined])
        assert.deepStrictEqual([first.path, first.body], [second.path, second.body])
      }
    })
  )

  it.scoped("carries those of an embedded agent", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* Loopback.make(Loopback.sse(stream("anthropic")))
      const settings = { maxTurns: 1, "retry.enabled": false }
      const agent = Heddle.layer({ model: "anthropic/claude-haiku-4-5", apiKey: Redacted.make("k"), baseUrl, settings })
      yield* Effect.either(Effect.provide(Heddle.ask("hi"), Layer.provide(agent, own)))
      assert.strictEqual((yield* requests.take).headers["x-through"], "loom")
    })
  )

  it.scoped("loses its connection as soon as the call is over", () =>
    Effect.gen(function* () {
      for (const { api, call } of yield* Effect.provide(calls, own)) {
        const text = stream(nameOf(api))
        const server = yield* Loopback.make(Loopback.sse(text.slice(0, text.length / 2), Loopback.hold))
        const scope = yield* Scope.make()
        const events = yield* Scope.extend(call(server.baseUrl), scope)
        yield* events.take
        const { closed } = yield* server.requests.take
        yield* Scope.close(scope, Exit.void)
        yield* Deferred.await(closed)
        assert.strictEqual(server.openSockets(), 0)
      }
    })
  )

  it.scoped("keeps to the policy: no other origin, and no error without a bound", () =>
    Effect.gen(function* () {
      let strayed = 0
      const other = yield* serve(() => new Response(`${++strayed}`))
      const address = yield* serve(({ method }) =>
        method === "GET"
          ? new Response(null, { status: 307, headers: { location: other } })
          : new Response("x".repeat(2 * errorBodyBytes), { status: 500 })
      )
      const fetch = yield* Effect.provide(Http.fetch, own)
      const refused = yield* Effect.flip(Effect.tryPromise({ try: () => fetch(address), catch: String }))
      assert.include(refused, "redirects to another origin")
      assert.strictEqual(strayed, 0)
      const failed = yield* Effect.promise(() => fetch(address, { method: "POST", body: "{}" }))
      assert.deepStrictEqual(
        [failed.status, (yield* Effect.promise(() => failed.text())).length],
        [500, errorBodyBytes]
      )
    })
  )

  it.scoped("lists models, and says what went wrong as the engine would", () =>
    Effect.gen(function* () {
      const heard: Array<string | null> = []
      const address = yield* serve(({ headers }) => {
        heard.push(headers.get("authorization"), headers.get("x-through"))
        return Response.json({ data: [] })
      })
      const get = (from: string) => Effect.provide(HttpJson.get(`${from}/models`, { authorization: "Bearer k" }), own)
      assert.deepStrictEqual(yield* get(address), { data: [] })
      assert.deepStrictEqual(heard, ["Bearer k", "loom"])
      assert.strictEqual((yield* Effect.flip(get("http://127.0.0.1:1"))).reason, "cannot be reached")
      const [first] = yield* Effect.provide(calls, own)
      const { failure } = yield* collectFrom(first?.call("http://127.0.0.1:1") ?? assert.fail())
      assert.strictEqual(failure?.reason, "connection")
    })
  )

  it.scoped("that fails without a cause fails the call with its own words", () =>
    Effect.gen(function* () {
      const broken = HttpClient.make((request) =>
        Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", description: "no thread" }))
      )
      const [first] = yield* Effect.provideService(calls, HttpClient.HttpClient, broken)
      const { failure } = yield* collectFrom(first?.call("http://127.0.0.1:1") ?? assert.fail())
      assert.include(failure?.message, "no thread")
    })
  )
})
