/** Builds the request of a model call: the conversation, the active tools and the system prompt. */
import * as Effect from "effect/Effect"
import type { Model, ThinkingLevel } from "../../../domain/model/Model.ts"
import { forModel, withoutRetried } from "../../../domain/model/ModelContext.ts"
import { defined } from "../../../domain/Values.ts"
import type { ModelRequest } from "../../../services/model/ModelClient.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { SessionTools } from "../../../services/Tools.ts"
import * as Asking from "../modules/hooks/Asking.ts"
import type { HookRegistry } from "../modules/hooks/HookRegistry.ts"
import type { Instructions } from "../modules/instructions/Instructions.ts"

interface Dependencies {
  readonly session: typeof Session.Service
  readonly tools: SessionTools
  readonly hooks: HookRegistry
}

export interface Choice {
  readonly model: Model
  readonly thinkingLevel: ThinkingLevel
}

/** `systemPrompt` is asked for each call. */
export const make =
  ({ hooks, session, tools }: Dependencies) =>
  ({ model, thinkingLevel }: Choice, systemPrompt: Instructions["promptForCall"]): Effect.Effect<ModelRequest> =>
    Effect.gen(function* () {
      const active = yield* tools.active
      const kept = withoutRetried(yield* session.messages, yield* session.betweenAttempts)
      const messages = forModel(hooks.has("context") ? yield* Asking.context(hooks, kept) : kept)
      const { sessionId } = yield* session.info
      const around = Asking.aroundRequests(hooks)
      return {
        model,
        thinkingLevel,
        systemPrompt: yield* systemPrompt(active),
        messages,
        tools: active.map(({ definition }) => definition),
        sessionId,
        ...defined({ hooks: around })
      }
    })
