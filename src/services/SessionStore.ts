/** Where the conversation is kept. What `append` has answered is stored. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AgentMessage } from "../domain/Message.ts"
import { ThinkingLevel } from "../domain/Model.ts"

/** What can be appended; the store adds id, parent and time (protocol.md 9.3). */
export const NewEntry = Schema.Union(
  Schema.Struct({ type: Schema.Literal("message"), message: AgentMessage }),
  Schema.Struct({ type: Schema.Literal("model_change"), provider: Schema.String, modelId: Schema.String }),
  Schema.Struct({ type: Schema.Literal("thinking_level_change"), thinkingLevel: ThinkingLevel })
)
export type NewEntry = typeof NewEntry.Type

export class SessionStore extends Context.Tag("heddle/services/SessionStore")<
  SessionStore,
  {
    readonly sessionId: string
    /** None for a session that lives in memory. */
    readonly sessionFile: Option.Option<string>
    readonly append: (entry: NewEntry) => Effect.Effect<void>
    /** The messages of the active branch, oldest first; ModelContext.ts makes of them what the model is shown. */
    readonly messages: Effect.Effect<ReadonlyArray<AgentMessage>>
    readonly messageCount: Effect.Effect<number>
  }
>() {}
