/** What the model is asked: the conversation so far, the tools there are now, and the system prompt. */
import * as Effect from "effect/Effect"
import type { AgentMessage, Message, UserMessage } from "../../../domain/conversation/Message.ts"
import type { Model, ThinkingLevel } from "../../../domain/model/Model.ts"
import { forModel } from "../../../domain/model/ModelContext.ts"
import { sameItems } from "../../../domain/SameItems.ts"
import type { ModelRequest } from "../../../services/model/ModelClient.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { Tools } from "../../../services/Tools.ts"

interface Dependencies {
  readonly session: typeof Session.Service
  readonly tools: typeof Tools.Service
  readonly systemPrompt: string
}

export interface Choice {
  readonly model: Model
  readonly thinkingLevel: ThinkingLevel
}

export type ModelRequests = ReturnType<typeof make>

export const make = ({ session, systemPrompt, tools }: Dependencies) => {
  let latest: { readonly stored: ReadonlyArray<AgentMessage>; readonly messages: ReadonlyArray<Message> } | undefined

  /** What was asked ahead of a run is asked again by its first turn. */
  const shown = (stored: ReadonlyArray<AgentMessage>): ReadonlyArray<Message> => {
    if (latest === undefined || !sameItems(latest.stored, stored)) latest = { stored, messages: forModel(stored) }
    return latest.messages
  }

  /** `coming` is about to be stored. */
  return ({ model, thinkingLevel }: Choice, coming?: UserMessage): Effect.Effect<ModelRequest> =>
    Effect.flatMap(tools.active, (active) =>
      Effect.flatMap(session.messages, (stored) =>
        Effect.map(session.info, ({ sessionId }) => ({
          model,
          thinkingLevel,
          systemPrompt,
          messages: shown(coming === undefined ? stored : [...stored, coming]),
          tools: active.map(({ definition }) => definition),
          sessionId
        }))
      )
    )
}
