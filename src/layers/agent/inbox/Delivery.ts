/** Where queued messages join a run: between two turns, and in the first one (protocol.md 6). */
import * as Effect from "effect/Effect"
import type { MessageRef } from "../../../domain/conversation/AgentEvent.ts"
import { toUserMessage, type UserMessage, userMessage } from "../../../domain/conversation/Message.ts"
import type { Drain, DrainPoint, QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import { storeThenTell } from "../events/StoreThenTell.ts"
import type { OpenPrompts } from "./OpenPrompts.ts"
import type { SessionQueue } from "./SessionQueue.ts"
import type { RunJournal } from "../run/RunJournal.ts"

interface Dependencies {
  readonly ids: typeof Ids.Service
  readonly journal: RunJournal
  readonly prompts: OpenPrompts
  readonly queue: SessionQueue
  readonly session: typeof Session.Service
  readonly now: () => number
  /** Read for every message, so that a change takes effect at once. */
  readonly modes: () => Drain["modes"]
  /** Messages queued before this `order` were waiting for the run. */
  readonly since: number
  /** The message with which the run continues by itself when the queue is empty. Called once per stop of the model. */
  readonly goesOn: () => string | undefined
}

export interface Delivery {
  /**
   * Opens the next turn and delivers queued messages; the first turn is already open. Returns false, and does nothing,
   * when the model would stop, the queue is empty and the run does not continue by itself. `again` says that the turn
   * is another attempt at a model call that failed; its messages are stored with that mark.
   */
  readonly open: (point: DrainPoint, again: boolean) => Effect.Effect<boolean>
}

export const make = (dependencies: Dependencies): Delivery => {
  const { goesOn, ids, journal, modes, now, prompts, queue, session, since } = dependencies

  const say = (
    ref: Omit<MessageRef, "runId">,
    message: UserMessage,
    mark: { readonly betweenAttempts?: true } = {},
    begin: () => void = () => {}
  ) =>
    storeThenTell(
      () => {
        begin()
        journal.startUser(ref, message)
        return session.append({ type: "message", message, ...ref, ...mark })
      },
      () => journal.endUser(ref, message)
    )

  /** Takes the message out of the queue in the same step, so that no message is both removed and delivered. */
  const start = (item: QueuedMessage, again: boolean) => {
    const { clientMessageId, messageId } = item
    const ref = clientMessageId === undefined ? { messageId } : { messageId, clientMessageId }
    const mark = again ? ({ betweenAttempts: true } as const) : {}
    return say(ref, toUserMessage(item, now()), mark, () => {
      queue.deliver(item)
      prompts.take(messageId, journal.runId)
    })
  }

  const deliver = (item: QueuedMessage, point: DrainPoint, again: boolean): Effect.Effect<boolean> =>
    Effect.flatMap(start(item, again), () => {
      const next = queue.next({ point, modes: modes(), since }, item)
      return next === undefined ? Effect.succeed(true) : deliver(next, point, again)
    })

  const open = (point: DrainPoint, again: boolean) =>
    Effect.suspend(() => {
      const item = queue.next({ point, modes: modes(), since })
      const own = point === "settled" ? goesOn() : undefined
      if (point === "settled" && item === undefined && own === undefined) return Effect.succeed(false)
      if (point !== "start") journal.startTurn()
      if (item !== undefined) return deliver(item, point, again)
      if (own === undefined) return Effect.succeed(true)
      return Effect.as(say({ messageId: ids.next("message") }, userMessage(own, [], now())), true)
    })

  return { open }
}
