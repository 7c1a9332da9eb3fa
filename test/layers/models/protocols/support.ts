/** Requests for a loopback server, and what comes back as one value. */
import { readFileSync } from "node:fs"
import { Effect, Option, Redacted, type Scope } from "effect"
import type { OutputContent } from "../../../../src/domain/conversation/Content.ts"
import type { AssistantMessage, StopReason, ToolResultMessage } from "../../../../src/domain/conversation/Message.ts"
import { userMessage } from "../../../../src/domain/conversation/Message.ts"
import type { Model } from "../../../../src/domain/model/Model.ts"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as Usage from "../../../../src/domain/model/Usage.ts"
import type { Connection, Protocol } from "../../../../src/layers/models/providers/Protocol.ts"
import * as AnthropicMessages from "../../../../src/layers/models/protocols/anthropic/AnthropicMessages.ts"
import * as OpenAi from "../../../../src/layers/models/protocols/openai/OpenAi.ts"
import * as Thinking from "../../../../src/layers/models/protocols/request/Thinking.ts"
import { defaults } from "../../../../src/services/Settings.ts"
import type { ModelFailure, ModelRequest, Opened } from "../../../../src/services/model/ModelClient.ts"

export const stream = (name: "anthropic" | "responses" | "chat") =>
  readFileSync(new URL(`../../../support/streams/${name}.sse`, import.meta.url), "utf8")

export const budgets = Thinking.budgets(defaults)
export const anthropic = AnthropicMessages.make(budgets)
export const responses = OpenAi.responses()
export const chat = OpenAi.chat()
export const all = [
  { protocol: anthropic, name: "anthropic" },
  { protocol: responses, name: "responses" },
  { protocol: chat, name: "chat" }
] as const

export const model = (overrides: Partial<Model> = {}): Model => ({
  id: "m1",
  name: "M1",
  api: "anthropic-messages",
  provider: "acme",
  baseUrl: "http://127.0.0.1:1",
  reasoning: true,
  input: ["text", "image"],
  cost: Usage.zeroTokens,
  contextWindow: 200_000,
  maxTokens: 64_000,
  ...overrides
})

export const request = (overrides: Partial<ModelRequest> = {}): ModelRequest => ({
  model: model(),
  systemPrompt: "Be brief.",
  messages: [userMessage("hi", [], 0)],
  tools: [{ name: "read", description: "Reads", parameters: { type: "object", properties: {} } }],
  thinkingLevel: "off",
  sessionId: "session-1",
  ...overrides
})

export const secret = "sk-test-0123456789abcdef"

export const connection = (overrides: Partial<Connection> = {}): Connection => ({
  apiKey: Option.some(Redacted.make(secret)),
  headers: {},
  compat: {},
  addressPlaces: "ACME_BASE_URL",
  ...overrides
})

export const assistant = (
  content: ReadonlyArray<OutputContent>,
  overrides: Partial<AssistantMessage> = {}
): AssistantMessage => ({
  role: "assistant",
  content,
  api: "anthropic-messages",
  provider: "acme",
  model: "m1",
  usage: Usage.zero,
  stopReason: "stop" satisfies StopReason,
  timestamp: 0,
  ...overrides
})

export const result = (toolCallId: string, text: string, isError = false): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [{ type: "text", text }],
  isError,
  timestamp: 0
})

export interface Collected {
  readonly events: ReadonlyArray<ModelEvent>
  readonly failure: ModelFailure | undefined
}

export const collectFrom = (
  opened: Opened,
  onEvent: (event: ModelEvent) => void = () => undefined
): Effect.Effect<Collected, never, Scope.Scope> =>
  Effect.gen(function* () {
    const events: Array<ModelEvent> = []
    const reading = Effect.gen(function* () {
      const mailbox = yield* opened
      while (true) {
        const [batch, done] = yield* mailbox.takeAll
        for (const event of batch) {
          events.push(event)
          onEvent(event)
        }
        if (done) return
      }
    })
    const failure = yield* Effect.match(reading, { onFailure: (error) => error, onSuccess: () => undefined })
    return { events, failure }
  })

export const collect = (protocol: Protocol, baseUrl: string, overrides: Partial<ModelRequest> = {}) =>
  collectFrom(protocol.stream(request({ model: model({ baseUrl, api: protocol.api }), ...overrides }), connection()))

/** Events with the deltas of a block joined. */
export const joined = (events: ReadonlyArray<ModelEvent>): ReadonlyArray<ModelEvent> => {
  const out: Array<ModelEvent> = []
  for (const event of events) {
    const last = out.at(-1)
    if (event._tag === "Delta" && last?._tag === "Delta")
      out[out.length - 1] = { ...last, delta: last.delta + event.delta }
    else out.push(event)
  }
  return out
}
