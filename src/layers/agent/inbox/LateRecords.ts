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
import { QueueFull } from "../../../services/Agent.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { SettingsValues } from "../../../services/Settings.ts"
import { storeThenTell } from "../events/StoreThenTell.ts"
import type { RunState } from "../run/RunState.ts"

interface Dependencies {
  readonly session: Pick<typeof Session.Service, "append">
  readonly state: RunState
  readonly publish: (event: AgentEvent) => void
  readonly settings: Pick<SettingsValues, "queue.maxMessages" | "queue.maxBytes">
  readonly ids: typeof Ids.Service
}

export type LateRecords = ReturnType<typeof make>

export const make = ({ ids, publish, session, settings, state }: Dependencies) => {
  const waiting: Array<LateEntries.LateRecord> = []
  /** What the custom messages among them take. */
  let bytes = 0
  let closed = false

  const wait = (record: LateEntries.LateRecord) => {
    waiting.push(record)
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

  /** Returns when the message waits in the log, unless there are too many of them. */
  const hold = (messageId: string, message: CustomMessage): Effect.Effect<void, QueueFull> =>
    Effect.suspend(() => {
      const { "queue.maxBytes": maxBytes, "queue.maxMessages": maxMessages } = settings
      const size = MessageQueue.bytesOf(MessageQueue.shownOf(message))
      if (waiting.length >= maxMessages || bytes + size > maxBytes) return new QueueFull({ maxMessages, maxBytes })
      bytes += size
      return Effect.uninterruptible(wait({ messageId, message }))
    })

  return {
    /** Returns when the result is stored, as a message or as one to come. */
    record: (message: BashExecutionMessage): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (closed) return Effect.void
        if (!state.isBusy()) return Effect.asVoid(session.append({ type: "message", message }))
        return wait({ messageId: ids.next("message"), message })
      }),
    /** Stores a custom message and publishes it, outside a run. */
    join: (messageId: string, message: CustomMessage) => join({ messageId, message }),
    hold,
    /** The host has left the session: later results are dropped. */
    close: () => {
      closed = true
    },
    isEmpty: () => waiting.length === 0,
    store: Effect.suspend(() => {
      if (waiting.length === 0) return Effect.void
      bytes = 0
      return Effect.forEach(waiting.splice(0), join, { discard: true })
    })
  }
}
