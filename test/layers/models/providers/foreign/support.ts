/** Calls with the code of an extension, and the events that it sends. */
import { Effect, Option, Redacted } from "effect"
import type { Model } from "../../../../../src/domain/model/Model.ts"
import * as Usage from "../../../../../src/domain/model/Usage.ts"
import * as StreamSimple from "../../../../../src/layers/models/providers/foreign/StreamSimple.ts"
import type { ModelRequest } from "../../../../../src/services/model/ModelClient.ts"
import type { CallAuth } from "../../../../../src/services/model/ProviderRegistrations.ts"
import { collectFrom, model, request, secret } from "../../protocols/support.ts"

export const acme: Model = model({ api: "acme-api", baseUrl: "https://[redacted]@acme.example" })

export const auth: CallAuth = {
  apiKey: Option.some(Redacted.make(secret)),
  headers: { "x-team": Redacted.make("weavers") },
  address: Redacted.make("https://me:pw@acme.example")
}

export const usage = { input: 3, output: 5, cacheRead: 7, cacheWrite: 11, totalTokens: 26 }
export const tokens = { input: 3, output: 5, cacheRead: 7, cacheWrite: 11 }

/** A message as extensions write it. */
export const message = (content: ReadonlyArray<unknown>, more: Readonly<Record<string, unknown>> = {}) => ({
  role: "assistant",
  content,
  api: "acme-api",
  provider: "acme",
  model: "m1",
  usage: { ...Usage.zero, ...usage },
  stopReason: "stop",
  timestamp: 1,
  ...more
})

export const text = (said: string) => ({ type: "text", text: said })

/** A well-behaved answer: thinking, text, and a tool call. */
export const answer = () => {
  const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "sig" }
  const call = { type: "toolCall", id: "c1", name: "read", arguments: { path: "ü" } }
  const partial = message([thinking, text("Hello"), call])
  const events: ReadonlyArray<unknown> = [
    { type: "start", partial },
    { type: "thinking_start", contentIndex: 0, partial },
    { type: "thinking_delta", contentIndex: 0, delta: "hm", partial },
    { type: "thinking_end", contentIndex: 0, content: "hm", partial },
    { type: "text_start", contentIndex: 1, partial },
    { type: "text_delta", contentIndex: 1, delta: "Hel", partial },
    { type: "text_delta", contentIndex: 1, delta: "lo", partial },
    { type: "text_end", contentIndex: 1, content: "Hello", partial },
    { type: "toolcall_start", contentIndex: 2, partial },
    { type: "toolcall_delta", contentIndex: 2, delta: '{"pa', partial },
    { type: "toolcall_end", contentIndex: 2, toolCall: call, partial },
    { type: "done", reason: "toolUse", message: { ...partial, stopReason: "toolUse", responseId: "r1" } }
  ]
  return events
}

/** An iterable of these events, as pi's event stream is one. */
export const iterable = (events: Iterable<unknown>) => ({
  async *[Symbol.asyncIterator]() {
    yield* events
  }
})

export const open = (streamSimple: StreamSimple.StreamSimple, more: Partial<ModelRequest> = {}) =>
  StreamSimple.make(streamSimple)(request({ model: acme, ...more }), auth)

export const collect = (streamSimple: StreamSimple.StreamSimple, more: Partial<ModelRequest> = {}) =>
  Effect.scoped(collectFrom(open(streamSimple, more)))

export const played = (events: Iterable<unknown>) => collect(() => iterable(events))
