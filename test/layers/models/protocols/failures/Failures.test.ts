import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Redacted, TestClock } from "effect"
import type { ModelFailure } from "../../../../../src/services/model/ModelClient.ts"
import * as Loopback from "../../../../support/LoopbackModel.ts"
import {
  all,
  anthropic,
  chat,
  collect,
  collectFrom,
  connection,
  model,
  request,
  responses,
  secret,
  stream
} from "../support.ts"

const anthropicError = (type: string, message: string) => ({ type: "error", error: { type, message } })
const openAiError = (code: string | null, message: string, type: string | null = null) => ({
  error: { message, type, param: null, code }
})
const said = (failure: ModelFailure | undefined) => [
  failure?.reason,
  failure?.retryable,
  failure?.httpStatus,
  failure?.retryAfterMs
]
const { json, page } = Loopback

describe("an error answer has its reason", () => {
  const a = (status: number, type: string, message: string, headers = {}) =>
    [anthropic, json(status, anthropicError(type, message), headers)] as const
  const c = (status: number, code: string | null, message: string, headers = {}) =>
    [chat, json(status, openAiError(code, message), headers)] as const
  const r = (status: number, code: string | null, message: string) =>
    [responses, json(status, openAiError(code, message))] as const
  const rows = [
    ["authentication", a(401, "authentication_error", "invalid x-api-key")],
    ["authentication", a(403, "permission_error", "no access")],
    ["not_found", a(404, "not_found_error", "model: m1")],
    ["rate_limit", a(429, "rate_limit_error", "slow down", { "retry-after": "7" }), 7000],
    ["overloaded", a(529, "overloaded_error", "Overloaded")],
    ["server", a(500, "api_error", "max 15000 tokens")],
    ["context_overflow", a(413, "request_too_large", "too big")],
    ["context_overflow", a(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")],
    ["quota", a(400, "invalid_request_error", "Your credit balance is too low")],
    ["invalid_request", a(400, "invalid_request_error", "messages: 500 roles must alternate")],
    ["authentication", c(401, "invalid_api_key", "Incorrect API key provided")],
    ["quota", c(429, "insufficient_quota", "You exceeded your current quota")],
    ["rate_limit", c(429, "rate_limit_exceeded", "Rate limit", { "retry-after-ms": "350" }), 350],
    ["context_overflow", c(400, "context_length_exceeded", "too many")],
    ["context_overflow", c(400, null, "the request exceeds the available context size")],
    ["overloaded", [chat, json(503, { detail: "loading" })]],
    ["timeout", r(408, null, "slow")],
    ["server", r(409, null, "locked")],
    ["invalid_request", r(422, null, "no")],
    ["not_found", r(404, "model_not_found", "The model m1 does not exist")]
  ] as const
  const retried = new Set(["rate_limit", "overloaded", "server", "timeout"])
  for (const [reason, [protocol, answer], after] of rows)
    it.scoped(`${protocol.api} ${answer.status} ${reason}`, () =>
      Effect.gen(function* () {
        const server = yield* Loopback.make(answer)
        const { events, failure } = yield* collect(protocol, server.baseUrl)
        assert.deepStrictEqual(
          [events.length, ...said(failure)],
          [0, reason, retried.has(reason), answer.status, after]
        )
      })
    )
})

describe("an error inside the stream has its reason", () => {
  const event = (type: string, body: unknown) => `event: ${type}\ndata: ${JSON.stringify(body)}\n\n`
  const data = (body: unknown) => `data: ${JSON.stringify(body)}\n\n`
  const failed = { type: "response.failed", response: { id: "r", error: { code: "server_error", message: "oops" } } }
  const incomplete = {
    type: "response.incomplete",
    response: { id: "r", incomplete_details: { reason: "content_filter" }, usage: null }
  }
  const refused = { type: "message_delta", delta: { stop_reason: "refusal" }, usage: { output_tokens: 1 } }
  const choice = (finish_reason: string) => ({
    id: "c",
    choices: [{ index: 0, delta: { content: "x" }, finish_reason }]
  })
  const rows = [
    [anthropic, event("error", anthropicError("overloaded_error", "Overloaded")), "overloaded"],
    [anthropic, event("error", anthropicError("api_error", "Internal server error")), "server"],
    [anthropic, event("message_delta", refused) + event("message_stop", { type: "message_stop" }), "refusal"],
    [anthropic, 'event: content_block_delta\ndata: {"type":"content_blo\n\n', "stream_ended"],
    [anthropic, event("content_block_delta", { type: "content_block_delta", index: 0 }), "protocol"],
    [responses, event("response.failed", failed), "server"],
    [responses, event("response.incomplete", incomplete), "refusal"],
    [responses, event("error", { type: "error", code: "rate_limit_exceeded", message: "slow down" }), "rate_limit"],
    [chat, data({ error: { message: "Provider returned error", code: 502 } }), "server"],
    [chat, data({ error: { message: "upstream is overloaded right now" } }), "overloaded"],
    [chat, data({ error: { message: "nooverloadedword 15000" } }), "protocol"],
    [chat, data(choice("content_filter")), "refusal"],
    [chat, 'data: {"choices":[\n\n', "stream_ended"]
  ] as const
  for (const [protocol, text, reason] of rows)
    it.scoped(`${protocol.api} ${reason}`, () =>
      Effect.gen(function* () {
        const server = yield* Loopback.make(Loopback.sse(text))
        assert.deepStrictEqual((yield* collect(protocol, server.baseUrl)).failure?.reason, reason)
      })
    )
})

describe.each(all)("$name", ({ name, protocol }) => {
  it.scoped("a web page is told as a few words that name the base URL", () =>
    Effect.gen(function* () {
      const html = "<!DOCTYPE html><html><head><title>Not &amp; found</title></head><body><h1>nginx</h1></body></html>"
      const server = yield* Loopback.make(page(404, html), page(502, html), page(200, html))
      const texts = []
      for (let n = 0; n < 3; n++) {
        const { failure } = yield* collect(protocol, server.baseUrl)
        texts.push(`${failure?.reason}: ${failure?.message}`)
      }
      assert.deepStrictEqual(texts, [
        `configuration: acme answered with a web page ("Not & found") instead of the API (404): the base URL ${server.baseUrl} is probably wrong. Change ACME_BASE_URL.`,
        `server: acme answered 502 with a web page ("Not & found"): a gateway in front of ${server.baseUrl} failed.`,
        `configuration: acme answered with a web page instead of the API: the base URL ${server.baseUrl} is probably wrong. Change ACME_BASE_URL.`
      ])
    })
  )

  it.scoped("a server that does not stream is told", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(json(200, { hello: 1 }))
      const { failure } = yield* collect(protocol, server.baseUrl)
      assert.deepStrictEqual(failure?.reason, "protocol")
      assert.include(failure?.message, `the server at ${server.baseUrl} does not speak ${protocol.api}`)
    })
  )

  it.scoped("a refused connection, an unknown host and a bad address name the base URL", () =>
    Effect.gen(function* () {
      const rows = [
        ["http://127.0.0.1:1", "connection", "Cannot reach acme at http://127.0.0.1:1: ECONNREFUSED"],
        ["http://no-such-host.invalid", "connection", "Cannot reach acme at http://no-such-host.invalid: getaddrinfo"],
        ["nowhere", "configuration", "Cannot use the base URL nowhere of acme: "]
      ] as const
      for (const [baseUrl, reason, text] of rows) {
        const { failure } = yield* collect(protocol, baseUrl)
        assert.deepStrictEqual([failure?.reason, failure?.message.slice(0, text.length)], [reason, text])
      }
    })
  )

  it.scoped("a connection that breaks in the middle is retryable", () =>
    Effect.gen(function* () {
      const first = stream(name).split("\n\n").slice(0, 3).join("\n\n")
      const server = yield* Loopback.make(Loopback.sse(`${first}\n\n`, Loopback.cut))
      const { failure } = yield* collect(protocol, server.baseUrl)
      assert.deepStrictEqual(failure?.retryable, true)
    })
  )

  it.scoped("the key is in no message", () =>
    Effect.gen(function* () {
      const echo = `bad key ${secret} and sk-proj-abc123456789, header tenant-value-77, Bearer abcdef123456`
      const server = yield* Loopback.make(json(401, { error: { type: "authentication_error", message: echo } }))
      const opened = protocol.stream(
        request({ model: model({ baseUrl: server.baseUrl, api: protocol.api }) }),
        connection({ headers: { "x-tenant": Redacted.make("tenant-value-77") } })
      )
      const { failure } = yield* collectFrom(opened)
      assert.deepStrictEqual(
        failure?.message,
        "Authentication failed for acme (401): bad key [redacted] and [redacted], header [redacted], [redacted]. " +
          "Check the API key of acme: `heddle auth list` shows where it comes from."
      )
    })
  )

  it.scoped("silence fails on the clock, before and after the first bytes", () =>
    Effect.gen(function* () {
      const started = stream(name).split("\n\n").slice(0, 4).join("\n\n")
      const never = yield* Deferred.make<void>()
      const server = yield* Loopback.make(
        { parts: [{ _tag: "Until", go: never }] },
        Loopback.sse(`${started}\n\n`, Loopback.hold)
      )
      const mute = yield* Effect.fork(collect(protocol, server.baseUrl))
      const first = yield* server.requests.take
      yield* TestClock.adjust("300 seconds")
      const unheard = (yield* Fiber.join(mute)).failure
      yield* Deferred.await(first.closed)
      const heard = yield* Deferred.make<void>()
      const opened = protocol.stream(
        request({ model: model({ baseUrl: server.baseUrl, api: protocol.api }) }),
        connection()
      )
      const stalled = yield* Effect.fork(collectFrom(opened, () => void Deferred.unsafeDone(heard, Effect.void)))
      const second = yield* server.requests.take
      yield* Deferred.await(heard)
      yield* TestClock.adjust("119 seconds")
      assert.isNull(stalled.unsafePoll())
      yield* TestClock.adjust("181 seconds")
      const idle = (yield* Fiber.join(stalled)).failure
      yield* Deferred.await(second.closed)
      assert.deepStrictEqual(
        [unheard?.reason, unheard?.message, idle?.reason, idle?.message],
        ["timeout", "acme sent nothing for 300 s after the request", "timeout", "acme stopped sending for 120 s"]
      )
    })
  )

  it.scoped("without a key no authorization is sent; extra headers are", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(Loopback.sse(stream(name)))
      const opened = protocol.stream(
        request({ model: model({ baseUrl: server.baseUrl, api: protocol.api }) }),
        connection({ apiKey: Option.none(), headers: { "x-tenant": Redacted.make("t1") } })
      )
      yield* collectFrom(opened)
      const { headers } = yield* server.requests.take
      assert.deepStrictEqual(
        [headers.authorization, headers["x-api-key"], headers["x-tenant"]],
        [undefined, undefined, "t1"]
      )
    })
  )

  it.scoped("a key or a header that changed counts at once", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(Loopback.sse(stream(name)))
      const target = request({ model: model({ baseUrl: server.baseUrl, api: protocol.api }) })
      const sent = Effect.fnUntraced(function* (key: string, tenant: string) {
        const headers = { "x-tenant": Redacted.make(tenant) }
        yield* collectFrom(protocol.stream(target, connection({ apiKey: Option.some(Redacted.make(key)), headers })))
        const received = (yield* server.requests.take).headers
        return [received.authorization, received["x-tenant"]]
      })
      assert.deepStrictEqual(
        [yield* sent("k1", "t1"), yield* sent("k2", "t1"), yield* sent("k2", "t2"), yield* sent("k2", "t2")],
        [
          ["Bearer k1", "t1"],
          ["Bearer k2", "t1"],
          ["Bearer k2", "t2"],
          ["Bearer k2", "t2"]
        ]
      )
    })
  )
})
