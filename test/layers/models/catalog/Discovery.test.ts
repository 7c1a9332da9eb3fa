import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { Catalog } from "../../../../src/layers/models/catalog/Catalog.ts"
import * as Discovery from "../../../../src/layers/models/catalog/Discovery.ts"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import { defaults, Settings } from "../../../../src/services/Settings.ts"
import { environment, folder, keys, withLog, write } from "../support.ts"

type Answer = (request: Request) => Response | Promise<Response>

const server = (answer: Answer) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer })),
      (running) => Effect.promise(() => running.stop(true))
    ),
    ({ port }) => `http://127.0.0.1:${port}/v1`
  )

/** Asks the provider `lab` at this address; what it serves, and what was logged. */
const discover = (baseUrl: string, more: object = {}, id = "lab") =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    const lab = { baseUrl, api: "openai-completions", models: [{ id: "known" }], ...more }
    yield* write(`${agentDir}/models.json`, { providers: { lab } })
    return yield* withLog(
      Effect.gen(function* () {
        const catalog = yield* Catalog
        yield* Discovery.run([id])
        const entries = yield* catalog.models
        return entries.map(({ model }) => model).filter(({ provider }) => provider === "lab")
      }).pipe(Effect.provide(keys(agentDir)))
    )
  }).pipe(environment({}))

const list = (data: unknown) => () => Response.json({ object: "list", data })

it.scoped("what a server lists joins the catalogue, with the window it tells", () =>
  Effect.gen(function* () {
    const served = [
      { id: "known" },
      { id: "qwen3:8b", object: "model", owned_by: "library" },
      { id: "long", max_model_len: 262_144 },
      { id: "short", context_length: 4096, max_model_len: null },
      { id: "nomic-embed-text" },
      { name: "no id" },
      "not an object"
    ]
    const { log, value } = yield* discover(yield* server(list(served)))
    assert.deepStrictEqual(log, [])
    assert.deepStrictEqual(
      value.map(({ contextWindow, id, maxTokens }) => [id, contextWindow, maxTokens]),
      [
        ["known", 128_000, 16_384],
        ["qwen3:8b", 128_000, 16_384],
        ["long", 262_144, 16_384],
        ["short", 4096, 4096]
      ]
    )
  })
)

it.scoped("no more than 5000 models join it", () =>
  Effect.gen(function* () {
    const served = Array.from({ length: 6000 }, (_, n) => ({ id: `m${n}` }))
    const { value } = yield* discover(yield* server(list(served)))
    assert.strictEqual(value.length, 5001)
  })
)

it.scoped("asks below the address of the provider, with its key if it has one", () =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const baseUrl = yield* server((request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`)
      return list([])()
    })
    yield* discover(baseUrl)
    yield* discover(`${baseUrl}/`, { apiKey: "k" })
    assert.deepStrictEqual(asked, ["GET /v1/models null", "GET /v1/models Bearer k"])
  })
)

it.scoped("happens beside the start, and only when it was asked for", () =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    const asked = yield* Deferred.make<void>()
    const answer = Promise.withResolvers<Response>()
    const baseUrl = yield* server(() => {
      Deferred.unsafeDone(asked, Effect.void)
      return answer.promise
    })
    yield* write(`${agentDir}/models.json`, { providers: { ollama: { baseUrl } } })
    const start = (discover: ReadonlyArray<string>) =>
      Layer.build(
        Layer.scopedDiscard(Discovery.start).pipe(
          Layer.provideMerge(keys(agentDir)),
          Layer.provide(Layer.succeed(Settings, { ...defaults, "models.discover": discover }))
        )
      )
    const count = (context: Context.Context<Catalog>) =>
      Effect.map(
        Context.get(context, Catalog).models,
        (entries) => entries.filter((e) => e.model.provider === "ollama").length
      )
    yield* start([])
    assert.isFalse(yield* Deferred.isDone(asked))
    const context = yield* start(["ollama"])
    yield* Deferred.await(asked)
    assert.strictEqual(yield* count(context), 0)
    answer.resolve(list([{ id: "qwen3:8b" }])())
    yield* count(context).pipe(Effect.tap(EventLoop.nextTurn), Effect.repeat({ until: (found) => found === 1 }))
  }).pipe(environment({}))
)

describe("a server that does not is named in a warning, and nothing else happens", () => {
  it.scoped.each<readonly [string, Answer]>([
    ["answered with status 404", () => new Response("nope", { status: 404 })],
    ["did not answer with JSON", () => new Response("<html>proxy</html>")],
    ["did not answer with a list of models", () => Response.json({ models: [] })],
    ["did not answer with a list of models", () => Response.json(null)],
    ["answered with more than 8 MB", () => new Response(new Uint8Array(9 * 1024 * 1024))],
    [
      "cannot be used: http://127.0.0.1 redirects to another origin, http://elsewhere.test. Nothing was sent there; if it is right, set it as the base URL",
      () => Response.redirect("http://elsewhere.test/v1/models", 307)
    ]
  ])("%s", ([reason, answer]) =>
    Effect.gen(function* () {
      const baseUrl = yield* server(answer)
      const { log, value } = yield* discover(baseUrl)
      assert.deepStrictEqual(
        log.map((line) => line.replaceAll(/(127\.0\.0\.1):\d+ redirects/g, "$1 redirects")),
        [`no models from lab: the server at ${baseUrl}/models ${reason} (setting models.discover)`]
      )
      assert.strictEqual(value.length, 1)
    })
  )

  it.scoped("cannot be reached", () =>
    Effect.gen(function* () {
      const { log } = yield* discover("http://127.0.0.1:1/v1")
      assert.deepStrictEqual(log, [
        "no models from lab: the server at http://127.0.0.1:1/v1/models cannot be reached (setting models.discover)"
      ])
    })
  )

  it.scoped("is silent: given up after 5 s", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const baseUrl = yield* server(() => {
        Deferred.unsafeDone(asked, Effect.void)
        return new Promise<Response>(() => {})
      })
      const fiber = yield* Effect.fork(discover(baseUrl))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("5 seconds")
      const { log } = yield* Fiber.join(fiber)
      assert.match(log[0] ?? "", /did not answer within 5 s/)
    })
  )

  it.scoped.each([
    ["nobody", {}],
    ["lab", { api: "anthropic-messages" }],
    ["azure-openai", {}]
  ] as const)("cannot be asked: %s", ([id, more]) =>
    Effect.gen(function* () {
      const { log } = yield* discover("http://127.0.0.1:1", more, id)
      assert.deepStrictEqual(log, [`models.discover: "${id}" is not a provider whose models can be listed`])
    })
  )
})
