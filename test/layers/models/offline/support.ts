/** Requests for the offline models, and what they answer as one value. */
import { Effect, Either } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { OutputContent } from "../../../../src/domain/conversation/Content.ts"
import type { AssistantMessage, Message, ToolResultMessage } from "../../../../src/domain/conversation/Message.ts"
import { userMessage } from "../../../../src/domain/conversation/Message.ts"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as Usage from "../../../../src/domain/model/Usage.ts"
import * as Offline from "../../../../src/layers/models/offline/Offline.ts"
import type { ModelRequest, ToolDefinition, Opened } from "../../../../src/services/model/ModelClient.ts"

export const tool = (name: string): ToolDefinition => ({ name, description: name, parameters: { type: "object" } })

export const request = (overrides: Partial<ModelRequest> = {}): ModelRequest => ({
  model: Offline.guide,
  systemPrompt: "Be brief.",
  messages: [userMessage("hi", [], 0)],
  tools: [tool("ls"), tool("read")],
  thinkingLevel: "off",
  sessionId: "s1",
  ...overrides
})

export const assistant = (...content: ReadonlyArray<OutputContent>): AssistantMessage => ({
  role: "assistant",
  content,
  api: "offline",
  provider: "offline",
  model: "guide",
  usage: Usage.zero,
  stopReason: "toolUse",
  timestamp: 0
})

export const toolResult = (toolCallId: string, toolName: string, text: string, isError = false): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName,
  content: [{ type: "text", text }],
  isError,
  timestamp: 0
})

export const prompt = (text: string): Message => userMessage(text, [], 0)

/** Reads a call to its end; `onEvent` sees each event as it comes. */
export const collect = (stream: Opened, onEvent: (event: ModelEvent) => void = () => {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const events: Array<ModelEvent> = []
      const mailbox = yield* stream
      while (true) {
        const batch = yield* Effect.either(mailbox.takeAll)
        if (Either.isLeft(batch)) return { events, failure: batch.left }
        const [read, done] = batch.right
        for (const event of read) {
          events.push(event)
          onEvent(event)
        }
        if (done) return { events, failure: undefined }
      }
    })
  )

export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "heddle-offline-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true }))
)
