/** Builds the request of a model call: the conversation, the active tools and the system prompt. */
import * as Effect from "effect/Effect"
import type { Model, ThinkingLevel } from "../../../domain/model/Model.ts"
import { forModel } from "../../../domain/model/ModelContext.ts"
import type { ModelRequest } from "../../../services/model/ModelClient.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { SessionTools } from "../../../services/Tools.ts"
import type { SystemPrompt } from "./SystemPrompt.ts"

interface Dependencies {
  readonly session: typeof Session.Service
  readonly tools: SessionTools
  readonly systemPrompt: SystemPrompt
}

export interface Choice {
  readonly model: Model
  readonly thinkingLevel: ThinkingLevel
}

export const make =
  ({ session, systemPrompt, tools }: Dependencies) =>
  ({ model, thinkingLevel }: Choice): Effect.Effect<ModelRequest> =>
    Effect.gen(function* () {
      const active = yield* tools.active
      const messages = forModel(yield* session.messages, yield* session.betweenAttempts)
      const { sessionId } = yield* session.info
      return {
        model,
        thinkingLevel,
        systemPrompt: systemPrompt(active),
        messages,
        tools: active.map(({ definition }) => definition),
        sessionId
      }
    })
