/** Where queued messages join a run: between two turns, and in the first one (protocol.md 6). */
import * as Effect from "effect/Effect"
import { userMessage } from "../../domain/Message.ts"
import type { Drain, DrainPoint, QueuedMessage } from "../../domain/MessageQueue.ts"
import type { Session } from "../../services/Session.ts"
import type { Prompts } from "./Prompts.ts"
import type { Queues } from "./Queues.ts"
import type { RunJournal } from "./RunJournal.ts"

interface Dependencies {
  readonly journal: RunJournal
  readonly prompts: Prompts
  readonly queues: Queues
  readonly session: typeof Session.Service
  readonly now: () => number
  /** Asked for every message, so that a change counts at once. */
  readonly modes: () => Drain["modes"]
  /** What was queued before has waited for this run. */
  readonly since: number
}

export interface Intake {
  /**
   * Opens the next turn and delivers what waits for it; the first turn is open already. False, and nothing is done,
   * when the model would stop and nothing waits.
   */
  readonly open: (point: DrainPoint) => Effect.Effect<boolean>
}

export const make = ({ journal, modes, now, prompts, queues, session, since }: Dependencies): Intake => {
  /** In one step with the look into the queue: who removes a message and who delivers it cannot both succeed. */
  const start = (item: QueuedMessage) => {
    const { clientMessageId, messageId } = item
    const ref = clientMessageId === undefined ? { messageId } : { messageId, clientMessageId }
    const message = userMessage(item.text, item.images, now())
    queues.deliver(item)
    prompts.take(messageId, journal.runId)
    journal.startUser(ref, message)
    return Effect.map(session.append({ type: "message", message, ...ref }), () => journal.endUser(ref, message))
  }

  const deliver = (item: QueuedMessage, point: DrainPoint): Effect.Effect<boolean> =>
    Effect.flatMap(start(item), () => {
      const next = queues.next({ point, modes: modes(), since }, item)
      return next === undefined ? Effect.succeed(true) : deliver(next, point)
    })

  const open = (point: DrainPoint) =>
    Effect.suspend(() => {
      const item = queues.next({ point, modes: modes(), since })
      if (point === "settled" && item === undefined) return Effect.succeed(false)
      if (point !== "start") journal.startTurn()
      return item === undefined ? Effect.succeed(true) : deliver(item, point)
    })

  return { open }
}
