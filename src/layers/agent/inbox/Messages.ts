/**
 * What a session knows of its messages: keeps the one State (domain/inbox), reports the messages that end, and lets wait those
 * whose turn has not come. A message is decided and its first fact told in one step, so nothing comes between the two.
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { AgentEvent, PromptEnd, RequestId } from "../../../domain/conversation/AgentEvent.ts"
import type { QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"
import * as Decide from "../../../domain/inbox/decide.ts"
import * as Receipts from "../../../domain/inbox/Receipts.ts"
import * as State from "../../../domain/inbox/State.ts"
import * as Step from "../../../domain/inbox/step.ts"
import { defined } from "../../../domain/Values.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { SettingsValues } from "../../../services/Settings.ts"

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  readonly session: Pick<typeof Session.Service, "entries">
  readonly settings: Pick<SettingsValues, "queue.maxMessages" | "queue.maxBytes">
}

/** Lets be interrupted what comes behind the first step of a message. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export type Messages = ReturnType<typeof make>

export const make = ({ publish, session, settings }: Dependencies) => {
  let state = State.make({ mostMessages: settings["queue.maxMessages"], mostBytes: settings["queue.maxBytes"] })
  /** Those whose turn has not come, in their order. */
  const waiting: Array<Effect.Latch> = []

  const letPass = () => {
    if (!state.isTaken) waiting[0]?.unsafeOpen()
  }
  const tell = <F extends Step.Fact["_tag"]>(fact: Step.Fact<F>): State.State => {
    state = Step.step(state, fact)
    if (waiting.length > 0) letPass()
    return state
  }

  const report = (requestId: RequestId | undefined, end: PromptEnd) =>
    publish({ _tag: "PromptFinished", ...defined({ requestId }), ...end, sessionSettled: State.isSettled(state) })
  const reportAll = (ended: ReadonlyArray<State.EndedRecord>) => {
    for (const { end, record } of ended) for (const requestId of record.requests) report(requestId, end)
  }
  const tellSettled = () => {
    if (State.isSettled(state)) publish({ _tag: "SessionSettled" })
  }

  /**
   * Calls `act` in the step in which nobody else has the turn. It has the turn until its effect ends: a prompt until its sender
   * has the answer.
   */
  const inTurn = <A, E, R>(act: (restore: Restore) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) => {
      const isFree = () => Decide.decide(state, { _tag: "Turn" })._tag === "Handle"
      const taken = () => {
        tell({ _tag: "TurnTaken" })
        return Effect.ensuring(
          act(restore),
          Effect.sync(() => tell({ _tag: "TurnOver" }))
        )
      }
      if (waiting.length === 0 && isFree()) return taken()
      const latch = Effect.unsafeMakeLatch(false)
      waiting.push(latch)
      const leave = () => {
        waiting.splice(waiting.indexOf(latch), 1)
        letPass()
      }
      const wait: Effect.Effect<A, E, R> = Effect.suspend(() => {
        latch.unsafeClose()
        return Effect.zipRight(
          Effect.onInterrupt(restore(latch.await), () => Effect.sync(leave)),
          Effect.suspend(() => {
            if (!isFree()) return wait
            leave()
            return taken()
          })
        )
      })
      return wait
    })

  const readReceipts = Effect.suspend(() =>
    state.receipts === undefined
      ? Effect.map(session.entries, (entries) => {
          if (state.receipts === undefined) tell({ _tag: "ReceiptsRead", receipts: Receipts.restore(entries) })
        })
      : Effect.void
  )

  /** To be called after `readReceipts`. */
  const known = (clientMessageId: string) =>
    state.receipts && Option.getOrUndefined(HashMap.get(state.receipts, clientMessageId))

  return {
    state: () => state,
    decide: <K extends Decide.Kind>(message: Decide.Message<K>): Decide.Decision<K> => Decide.decide<K>(state, message),
    tell,
    inTurn,
    /** Keeps the session to itself while the effect runs: prompts and other changes wait. */
    changing: <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => inTurn((restore) => restore(change)),
    report,
    reportAll,
    tellSettled,
    /** Ends messages that left the queue undelivered. The session settles with the last one that somebody waits for. */
    drop: (items: ReadonlyArray<QueuedMessage>) => {
      const wasSettled = State.isSettled(state)
      reportAll(tell({ _tag: "Dropped", items }).ended)
      if (!wasSettled) tellSettled()
    },
    /** Ends a message that had no run. */
    end: (messageId: string, end: PromptEnd) => {
      reportAll(tell({ _tag: "Ended", messageId, end }).ended)
      tellSettled()
    },
    /** To be called before a message with a name is decided; and before a handoff, whose log has only some of the entries. */
    readReceipts,
    known,
    isKnown: (clientMessageId: string) => Effect.map(readReceipts, () => known(clientMessageId) !== undefined)
  }
}
