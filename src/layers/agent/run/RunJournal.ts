/**
 * The journal of one run: its messages so far, and which blocks, calls and turns are open. Every event of a run is
 * published here, so that a run that is cut off can close them in order. Owned by the run's fiber. Each step that
 * stores is masked by `storeThenTell`, so nobody sees half of a step.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent, MessageRef } from "../../../domain/conversation/AgentEvent.ts"
import * as AssistantDraft from "../../../domain/conversation/AssistantDraft.ts"
import type { RequestedCall } from "../../../domain/conversation/AssistantDraft.ts"
import type {
  AgentMessage,
  AssistantMessage,
  InputMessage,
  RunMessage,
  ToolResultMessage
} from "../../../domain/conversation/Message.ts"
import * as Metering from "../../../domain/model/Metering.ts"
import type { Model } from "../../../domain/model/Model.ts"
import type { ModelEvent } from "../../../domain/model/ModelEvent.ts"
import * as Ledger from "../../../domain/session/Ledger.ts"
import type { Reservation, SessionBudget } from "../../../services/Budget.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import * as Asking from "../../hooks/Asking.ts"
import type { HookRegistry } from "../../hooks/HookRegistry.ts"
import type { EventRelay } from "../events/EventRelay.ts"
import { storeThenTell } from "../events/StoreThenTell.ts"
import * as CallJournal from "./CallJournal.ts"

interface Dependencies {
  readonly runId: string
  readonly publish: (event: AgentEvent) => void
  readonly session: typeof Session.Service
  readonly ids: typeof Ids.Service
  readonly now: () => number
  readonly ticks: () => number
  readonly budget: SessionBudget
  /** Starts what the run does not wait for, in a fiber of the session. */
  readonly detach: (effect: Effect.Effect<void>) => void
  readonly hooks: HookRegistry
  readonly relay: EventRelay
  /** Called after each result of a tool call, when it is stored and published. */
  readonly recorded: (message: ToolResultMessage) => Effect.Effect<void>
}

interface Streaming {
  readonly messageId: string
  draft: AssistantDraft.AssistantDraft
  /** Set when the model is called. */
  sent?: Metering.Sent
}

interface OpenTurn {
  readonly index: number
  readonly calls: Array<CallJournal.OpenCall>
  streaming?: Streaming
  message?: AssistantMessage
}

/** Why the run stops early, and the results of unanswered tool calls. */
export type CutOff = {
  readonly stopReason: "aborted" | "error"
  readonly errorMessage: string
  readonly unfinishedCall: string
  readonly unstartedCall: string
}

export const aborted: CutOff = {
  stopReason: "aborted",
  errorMessage: "Request was aborted",
  unfinishedCall: "Tool execution was aborted: Request was aborted",
  unstartedCall: "Tool execution was aborted."
}

export const failed = (errorMessage: string): CutOff => ({
  stopReason: "error",
  errorMessage,
  unfinishedCall: `Tool execution failed due to an error: ${errorMessage}`,
  unstartedCall: `Tool execution failed due to an error: ${errorMessage}`
})

/** As an abort, but by the clock. */
export const outOfTime: CutOff = {
  ...aborted,
  errorMessage: "Budget exceeded: wall_time",
  unfinishedCall: "Tool execution was aborted: Budget exceeded: wall_time"
}

/** A watch has cut the answer off. */
export const cutOffFor = (reason: string): CutOff => {
  const answer = `Tool execution was aborted: ${reason}`
  return { stopReason: "aborted", errorMessage: reason, unfinishedCall: answer, unstartedCall: answer }
}

const isAssistant = (message: AgentMessage): message is AssistantMessage => message.role === "assistant"

type UserRef = Omit<MessageRef, "runId">

/** The usage of answers that was not reported to the budget yet. */
const makeUsageRecord = (budget: SessionBudget) => {
  let unrecorded: ReadonlyArray<Effect.Effect<void>> = []
  let reserved: Reservation | undefined
  return {
    reserve: (reservation: Reservation) => {
      reserved = reservation
    },
    release: () => {
      reserved?.release()
      reserved = undefined
    },
    add: (message: AssistantMessage) => {
      const due = reserved?.settle(message.usage, Ledger.isTurn(message)) ?? budget.recordUsage(message.usage)
      reserved = undefined
      unrecorded = [...unrecorded, due]
    },
    record: Effect.suspend(() => {
      const due = unrecorded
      unrecorded = []
      return Effect.all(due, { discard: true })
    })
  }
}

const makeUserMessages = ({ publish, runId }: Dependencies, messages: Array<RunMessage>) => ({
  startUser: (ref: UserRef, message: InputMessage) => {
    messages.push(message)
    publish({ _tag: "MessageStarted", runId, ...ref, message })
  },
  endUser: (ref: UserRef, message: InputMessage) => publish({ _tag: "MessageEnded", runId, ...ref, message })
})

export type RunJournal = ReturnType<typeof make>

export const make = (dependencies: Dependencies) => {
  const { budget, detach, hooks, ids, now, publish, recorded, relay, runId, session, ticks } = dependencies
  const messages: Array<RunMessage> = []
  const usage = makeUsageRecord(budget)
  let turn: OpenTurn = { index: -1, calls: [] }
  let turnOpen = false

  const calls = CallJournal.make({
    runId,
    publish,
    session,
    ids,
    now,
    ticks,
    messages,
    calls: () => turn.calls,
    recorded
  })

  const startTurn = () => {
    turn = { index: turn.index + 1, calls: [] }
    turnOpen = true
    publish({ _tag: "TurnStarted", runId, turnIndex: turn.index, timestamp: now() })
  }

  const startAssistant = (model: Model) => {
    const draft = AssistantDraft.empty(model, now())
    const messageId = ids.next("message")
    turn.streaming = { messageId, draft }
    publish({ _tag: "MessageStarted", runId, messageId, message: AssistantDraft.toMessage(draft) })
  }

  /** The model is about to be called with this. */
  const send = (sent: Metering.Sent) => {
    if (turn.streaming !== undefined) turn.streaming.sent = sent
  }

  /** With what the call has used, whatever its provider says. */
  const metered = ({ draft, sent }: Streaming): AssistantDraft.AssistantDraft => {
    const { doubt, usage } = Metering.measure(draft, sent)
    if (doubt !== undefined) budget.doubt(draft.model.provider, doubt)
    return { ...draft, usage }
  }

  /** Returns whether the event has text to show. Called for every delta: nothing here may grow with the message. */
  const receive = (event: ModelEvent): boolean => {
    const streaming = turn.streaming
    if (streaming === undefined) return false
    const [draft, update] = AssistantDraft.apply(streaming.draft, event)
    streaming.draft = draft
    if (update === undefined) return false
    publish({ _tag: "MessageUpdated", runId, messageId: streaming.messageId, draft, update })
    return update.step === "delta" && update.kind !== "toolCall"
  }

  const closeAssistant = (
    end: AssistantDraft.End | undefined,
    changed?: AssistantMessage
  ): Effect.Effect<ReadonlyArray<RequestedCall>> => {
    const streaming = turn.streaming
    if (streaming === undefined) return Effect.succeed([])
    const { messageId } = streaming
    const [draft, update] = AssistantDraft.cutOff(metered(streaming))
    if (update !== undefined) publish({ _tag: "MessageUpdated", runId, messageId, draft, update })
    const message = changed ?? AssistantDraft.toMessage(draft, end)
    const requested = AssistantDraft.requestedCalls(draft)
    delete turn.streaming
    turn.message = message
    for (const { call } of requested) turn.calls.push({ call })
    messages.push(message)
    usage.add(message)
    return Effect.map(session.append({ type: "message", message }), () => {
      publish({ _tag: "MessageEnded", runId, messageId, message })
      return requested
    })
  }

  /** The message as hooks have left it; undefined if there are none. The calls that it asks for stay. */
  const changedByHooks = (end: AssistantDraft.End | undefined) =>
    Effect.suspend(() => {
      const { streaming } = turn
      if (streaming === undefined || !hooks.has("messageEnding")) return Effect.succeed(undefined)
      const message = AssistantDraft.toMessage(AssistantDraft.cutOff(metered(streaming))[0], end)
      const asked = Effect.zipRight(relay.flush, Asking.messageEnding(hooks, message, isAssistant))
      return Effect.tap(asked, relay.wasAsked)
    })

  /** Ends the assistant message and answers the calls it asks for. */
  const endAssistant = (end?: AssistantDraft.End) =>
    Effect.flatMap(changedByHooks(end), (changed) =>
      Effect.zipLeft(
        storeThenTell(
          () => closeAssistant(end, changed),
          (requested) => requested
        ),
        usage.record
      )
    )

  const endTurn = () => {
    if (!turnOpen || turn.message === undefined) return
    turnOpen = false
    const toolResults = turn.calls.flatMap(({ result }) => (result === undefined ? [] : [result]))
    publish({ _tag: "TurnEnded", runId, turnIndex: turn.index, message: turn.message, toolResults })
  }

  /**
   * Brings everything open to its end. A run always ends with an assistant message that says how: where the cut came
   * between two model calls, an empty one is made in a turn of its own (protocol.md 4.9).
   */
  const cutOff = Effect.fnUntraced(function* (how: CutOff, model: Model) {
    const end = { stopReason: how.stopReason, errorMessage: how.errorMessage }
    if (turnOpen && turn.message !== undefined) {
      yield* calls.answerOpenCalls(how.unstartedCall)
      endTurn()
    }
    if (!turnOpen) startTurn()
    if (turn.streaming === undefined) startAssistant(model)
    yield* closeAssistant(end)
    yield* calls.answerOpenCalls(how.unfinishedCall)
    endTurn()
    // An abort does not wait for a budget that somebody else wrote.
    detach(usage.record)
  })

  return {
    runId,
    messages,
    turnIndex: () => turn.index,
    /** The next model call was allowed; the end of its message settles it. */
    reserve: usage.reserve,
    release: usage.release,
    startTurn,
    ...makeUserMessages(dependencies, messages),
    startAssistant,
    send,
    receive,
    endAssistant,
    endTurn,
    cutOff,
    ...calls
  }
}
