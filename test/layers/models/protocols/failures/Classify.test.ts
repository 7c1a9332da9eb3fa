import { assert, describe, it } from "@effect/vitest"
import { classify } from "../../../../../src/layers/models/protocols/failures/Classify.ts"
import * as ErrorFacts from "../../../../../src/layers/models/protocols/failures/ErrorFacts.ts"
import { retryAfterMs } from "../../../../../src/layers/models/protocols/failures/RetryHints.ts"
import * as WebPage from "../../../../../src/layers/models/protocols/failures/WebPage.ts"

const thrown = (fields: object) => ErrorFacts.fromThrown(Object.assign(new Error("?"), fields))

describe("reasons", () => {
  const overflows = [
    "prompt is too long: 213462 tokens > 200000 maximum",
    "Your input exceeds the context window of this model",
    "This model's maximum context length is 128000 tokens. However, you requested 130000",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    "Please reduce the length of the messages or completion",
    "the request exceeds the available context size, try increasing it",
    "tokens to keep from the initial prompt is greater than the context length",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000"
  ]
  it.each(overflows)("overflow: %s", (message) => {
    assert.deepStrictEqual(classify(thrown({ status: 400, error: { message } })), "context_overflow")
    assert.deepStrictEqual(classify(thrown({ status: 429, error: { message } })), "rate_limit")
  })

  const transports = [
    ["ECONNREFUSED", "connection"],
    ["ECONNRESET", "connection"],
    ["EAI_AGAIN", "connection"],
    ["ENOTFOUND", "connection"],
    ["EPIPE", "connection"],
    ["ETIMEDOUT", "timeout"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "configuration"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "configuration"],
    ["ERR_INVALID_URL", "configuration"]
  ] as const
  it.each(transports)("transport %s is %s", (code, reason) => {
    const cause = Object.assign(new TypeError("no"), { code })
    assert.deepStrictEqual(classify(thrown({ cause })), reason)
    assert.deepStrictEqual(classify(thrown({ status: 500, cause })), "server")
  })

  it("an exhausted quota that comes back soon is a rate limit", () => {
    const facts = thrown({ status: 429, error: { code: "insufficient_quota", message: "no" } })
    assert.deepStrictEqual(
      [classify(facts), classify(facts, 5000), classify(facts, 3_600_000)],
      ["quota", "rate_limit", "quota"]
    )
  })

  it.each([
    [400, "invalid_request"],
    [401, "authentication"],
    [403, "authentication"],
    [404, "not_found"],
    [413, "context_overflow"],
    [422, "invalid_request"],
    [408, "timeout"],
    [429, "rate_limit"],
    [500, "server"],
    [529, "server"]
  ] as const)("status %i with a vague code is %s", (status, reason) => {
    for (const type of ["api_error", "server_error", "internal_server_error"])
      assert.deepStrictEqual(classify(thrown({ status, error: { type, message: "no" } })), reason)
  })

  it("a code that says what is wrong counts more than the status", () => {
    for (const [type, reason] of [
      ["overloaded_error", "overloaded"],
      ["rate_limit_error", "rate_limit"]
    ] as const)
      assert.deepStrictEqual(classify(thrown({ status: 400, error: { type, message: "no" } })), reason)
  })

  it("digits and parts of words mean nothing", () => {
    for (const text of ["max 15000 tokens", "unoverloadedness", "code 4290", "the 529th line"])
      assert.deepStrictEqual(classify(ErrorFacts.fromBody({ message: text })), "protocol")
  })

  it("anything at all can be thrown", () => {
    for (const odd of [undefined, null, 0, "text", {}, [], new Error(""), { cause: { cause: 1 } }])
      assert.deepStrictEqual(classify(ErrorFacts.fromThrown(odd)), "protocol")
  })
})

describe("retry hints", () => {
  const now = Date.parse("2026-11-01T12:00:00Z")
  const rows: ReadonlyArray<readonly [Record<string, string>, number | undefined]> = [
    [{}, undefined],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "retry-after": "2.5" }, 2500],
    [{ "retry-after": "Sun, 01 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 01 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-3" }, undefined],
    [{ "x-ratelimit-reset-ms": "250" }, 250],
    [{ "x-ratelimit-reset": "20" }, 20_000],
    [{ "x-ratelimit-reset": String(now / 1000 + 12) }, 12_000],
    [{ "x-ratelimit-reset": String(now + 700) }, 700],
    [{ "x-ratelimit-reset": "6m0.5s" }, 360_500],
    [{ "x-ratelimit-reset": "120ms" }, 120],
    [{ "x-ratelimit-reset": "2026-11-01T12:00:05Z" }, 5000]
  ]
  it.each(rows)("%j", (headers, expected) => {
    assert.deepStrictEqual(
      retryAfterMs((name) => headers[name], now),
      expected
    )
  })
})

describe("web pages", () => {
  const rows = [
    ["<html><head><title>502 Bad Gateway</title></head><body>x</body></html>", "502 Bad Gateway"],
    [
      "<html><style>a{}</style><script>alert('<b>')</script><body><h1>Down</h1>for&nbsp;now</body></html>",
      "Down for now"
    ],
    ["<html><body <unclosed", ""]
  ] as const
  it.each(rows)("%s", (html, text) => {
    assert.deepStrictEqual([WebPage.isPage(html, ""), WebPage.summary(html)], [true, text])
  })
  it("plain text is no page, and long ones are cut", () => {
    assert.isFalse(WebPage.isPage("bad gateway <nginx>", "text/plain"))
    assert.deepStrictEqual(WebPage.summary(`<p>${"a".repeat(300)}</p>`, 5), "aaaa…")
  })
})
