/**
 * Late records: results of the user's shell commands that end during a run, and custom messages that come during it and
 * want no answer. They become messages after those of the run, but are in the log before their sender is answered
 * (domain/session/LateEntries.ts).
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { BashExecutionMessage, CustomMessage } from "../../../domain/conversation/Message.ts"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import * as LateEntries from "../../../domain/session/LateEntries.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import { storeThenTell } from "../events/StoreThenTell.ts"
import type { Messages } from "./Messages.ts"

interface Dependencies {
  readonly messages: Messages
  readonly session: Pick<typeof Session.Service, "append">
  readonly publish: (event: AgentEvent) => void
  readonly ids: typeof Ids.Service
}

export type LateRecords = ReturnType<typeof make>

export const make = ({ ids, messages, publish, session }: Dependencies) => {
  const wait = (record: LateEntries.LateRecord, bytes: number) => {
    messages.tell({ _tag: "LateCame", record, bytes })
    return Effect.asVoid(session.append(LateEntries.recorded([record])))
  }

  const join = (record: LateEntries.LateRecord): Effect.Effect<void> =>
    storeThenTell(
      () => session.append(LateEntries.stored(record)),
      () => {
        const { message, messageId } = record
        if (message.role !== "custom") return
        publish({ _tag: "MessageStarted", messageId, message })
        publish({ _tag: "MessageEnded", messageId, message })
      }
    )

  return {
    /** Returns when the result is stored, as a message or as one to come. */
    record: (message: BashExecutionMessage): Effect.Effect<void> =>
      Effect.suspend(() => {
        switch (messages.decide({ _tag: "Bash" })._tag) {
          case "Drop":
            return Effect.void
          case "Append":
            return Effect.asVoid(session.append({ type: "message", message }))
          case "Late":
            return wait({ messageId: ids.next("message"), message }, 0)
        }
      }),
    /** Stores a custom message and publishes it, outside a run. */
    join: (messageId: string, message: CustomMessage) => join({ messageId, message }),
    /** Returns when the message waits in the log. To be called in the step in which it was decided that there is room for it. */
    hold: (messageId: string, message: CustomMessage): Effect.Effect<void> =>
      Effect.uninterruptible(
        Effect.suspend(() => wait({ messageId, message }, MessageQueue.bytesOf(MessageQueue.shownOf(message))))
      ),
    store: Effect.suspend(() => {
      const { late } = messages.state()
      if (late.length === 0) return Effect.void
      messages.tell({ _tag: "LateTaken" })
      return Effect.forEach(late, join, { discard: true })
    })
  }
}
