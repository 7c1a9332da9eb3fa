/** A session that lives as long as the process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { AgentMessage } from "../../domain/Message.ts"
import { Ids } from "../../services/Ids.ts"
import { SessionStore } from "../../services/SessionStore.ts"

const make = Effect.gen(function* () {
  const ids = yield* Ids
  const sessionId = yield* ids.next("session")
  const messages = yield* Ref.make<Array<AgentMessage>>([])
  return SessionStore.of({
    sessionId,
    sessionFile: Option.none(),
    // The array is private and only grows: appending in place keeps a long session linear.
    append: (entry) =>
      entry.type === "message" ? Effect.map(Ref.get(messages), (all) => void all.push(entry.message)) : Effect.void,
    messages: Effect.map(Ref.get(messages), (all) => all.slice()),
    messageCount: Effect.map(Ref.get(messages), (all) => all.length)
  })
})

export const layer = Layer.effect(SessionStore, make)
