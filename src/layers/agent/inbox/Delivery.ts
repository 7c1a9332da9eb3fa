/** Where queued messages join a run: between two turns, and in the first one (protocol.md 6). */
import * as Effect from "effect/Effect"
import type { MessageRef } from "../../../domain/conversation/AgentEvent.ts"
import {
  type CustomInput,
  type InputMessage,
  toCustomMessage,
  toUserMessage,
  userMessage
} from "../../../domain/conversation/Message.ts"
import type { Drain, DrainPoint, QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"
import { entryOf } from "../../../domain/session/SessionContext.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import { storeThenTell } from "../events/StoreThenTell.ts"
import type { SessionQueue } from "./SessionQueue.ts"
import type { RunJournal } from "../run/RunJournal.ts"
import type { RunSteps } from "../run/RunSteps.ts"

interface Dependencies {
  readonly ids: typeof Ids.Service
  readonly journal: RunJournal
  readonly queue: SessionQueue
  readonly session: typeof Session.Service
  readonly now: () => number
  /** Read for every message, so that a change takes effect at once. */
  readonly modes: () => Drain["modes"]
  /** Messages queued before this `order` were waiting for the run. */
  readonly since: number
  /** A prompt began the run, so its first turn takes the messages that waited for one. */
  readonly isPrompted: boolean
  readonly steps: Pick<RunSteps, "prompted" | "stopping">
}

export interface Delivery {
  /**
   * Opens the next turn and delivers queued messages; the first turn is already open. Returns false, and does nothing,
   * when the model would stop, the queue is empty and the run does not continue by itself. `again` says that the turn
   * is another attempt at a model call that failed; its messages are stored with that mark.
   */
  readonly open: (point: DrainPoint, again: boolean) => Effect.Effect<boolean>
  /**
   * Adds a custom message to the turn at hand, behind the messages that it has. To be called before its model call: after
   * the prompt was published, or after `open`.
   */
  readonly inject: (message: CustomInput) => Effect.Effect<void>
}

type Mark = { readonly betweenAttempts?: true }

export const make = (dependencies: Dependencies): Delivery => {
  const { ids, isPrompted, journal, modes, now, queue, session, since, steps } = dependencies
  /** The mark of the messages of the turn at hand. */
  let mark: Mark = {}

  const say = (ref: Omit<MessageRef, "runId">, message: InputMessage, begin: () => void = () => {}) =>
    storeThenTell(
      () => {
        begin()
        journal.startUser(ref, message)
        return session.append(entryOf(message, { ...ref, ...mark }))
      },
      () => journal.endUser(ref, message)
    )

  /** Takes the message out of the queue in the same step, so that no message is both removed and delivered. */
  const start = (item: QueuedMessage) => {
    const { clientMessageId, custom, messageId } = item
    const ref = clientMessageId === undefined ? { messageId } : { messageId, clientMessageId }
    const message = custom === undefined ? toUserMessage(item, now()) : toCustomMessage(custom, now())
    return say(ref, message, () => {
      queue.deliver(item, journal.runId)
      if (custom === undefined) steps.prompted()
    })
  }

  const next = (point: DrainPoint, last?: QueuedMessage) =>
    queue.next({ point, modes: modes(), since, isPrompted }, last)

  const deliver = (item: QueuedMessage, point: DrainPoint): Effect.Effect<boolean> =>
    Effect.flatMap(start(item), () => {
      const following = next(point, item)
      return following === undefined ? Effect.succeed(true) : deliver(following, point)
    })

  const inject = (message: CustomInput) =>
    Effect.suspend(() => say({ messageId: ids.next("message") }, toCustomMessage(message, now())))

  const begin = (
    point: DrainPoint,
    again: boolean,
    item: QueuedMessage | undefined,
    own?: string | CustomInput
  ): Effect.Effect<boolean> => {
    if (point !== "start") journal.startTurn()
    mark = again ? { betweenAttempts: true } : {}
    if (item !== undefined) return deliver(item, point)
    if (own === undefined) return Effect.succeed(true)
    if (typeof own !== "string") return Effect.as(inject(own), true)
    return Effect.as(say({ messageId: ids.next("message") }, userMessage(own, [], now())), true)
  }

  const open = (point: DrainPoint, again: boolean) =>
    Effect.suspend(() => {
      const item = next(point)
      if (point !== "settled" || item !== undefined) return begin(point, again, item)
      return Effect.flatMap(steps.stopping, (message) =>
        message === undefined ? Effect.succeed(false) : begin(point, again, undefined, message)
      )
    })

  return { open, inject }
}
