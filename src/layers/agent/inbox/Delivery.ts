/** Where queued messages join a run: between two turns, and in the first one (protocol.md 6). */
import * as Effect from "effect/Effect"
import type { MessageRef } from "../../../domain/conversation/AgentEvent.ts"
import { type UserMessage, userMessage } from "../../../domain/conversation/Message.ts"
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
  /** Asked for every message, so that a change counts at once. */
  readonly modes: () => Drain["modes"]
  /** What was queued before has waited for this run. */
  readonly since: number
  /** What to tell the model when it would stop and nothing waits, if the run is to go on by itself. Asked once a stop. */
  readonly goesOn: () => string | undefined
}

export interface Delivery {
  /**
   * Opens the next turn and delivers what waits for it; the first turn is open already. False, and nothing is done,
   * when the model would stop, nothing waits and the run does not go on by itself.
   */
  readonly open: (point: DrainPoint) => Effect.Effect<boolean>
}

export const make = (dependencies: Dependencies): Delivery => {
  const { goesOn, ids, journal, modes, now, prompts, queue, session, since } = dependencies

  const say = (ref: Omit<MessageRef, "runId">, message: UserMessage, begin: () => void = () => {}) =>
    storeThenTell(
      () => {
        begin()
        journal.startUser(ref, message)
        return session.append({ type: "message", message, ...ref })
      },
      () => journal.endUser(ref, message)
    )

  /** In one step with the removal from the queue: who removes a message and who delivers it cannot both succeed. */
  const start = (item: QueuedMessage) => {
    const { clientMessageId, messageId } = item
    const ref = clientMessageId === undefined ? { messageId } : { messageId, clientMessageId }
    return say(ref, userMessage(item.text, item.images, now()), () => {
      queue.deliver(item)
      prompts.take(messageId, journal.runId)
    })
  }

  const deliver = (item: QueuedMessage, point: DrainPoint): Effect.Effect<boolean> =>
    Effect.flatMap(start(item), () => {
      const next = queue.next({ point, modes: modes(), since }, item)
      return next === undefined ? Effect.succeed(true) : deliver(next, point)
    })

  const open = (point: DrainPoint) =>
    Effect.suspend(() => {
      const item = queue.next({ point, modes: modes(), since })
      const own = point === "settled" ? goesOn() : undefined
      if (point === "settled" && item === undefined && own === undefined) return Effect.succeed(false)
      if (point !== "start") journal.startTurn()
      if (item !== undefined) return deliver(item, point)
      if (own === undefined) return Effect.succeed(true)
      return Effect.as(say({ messageId: ids.next("message") }, userMessage(own, [], now())), true)
    })

  return { open }
}
