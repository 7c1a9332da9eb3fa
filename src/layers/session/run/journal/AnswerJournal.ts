/** The answer of the model in the turn that is open: it streams, may be changed by the steps of the run, and is stored. */
import * as Effect from "effect/Effect"
import * as AssistantDraft from "../../../../domain/conversation/AssistantDraft.ts"
import type { RequestedCall } from "../../../../domain/conversation/AssistantDraft.ts"
import type { AssistantMessage, RunMessage } from "../../../../domain/conversation/Message.ts"
import * as Metering from "../../../../domain/model/Metering.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import type { ModelEvent } from "../../../../domain/model/ModelEvent.ts"
import * as Ledger from "../../../../domain/session/Ledger.ts"
import type { Reservation, SessionBudget } from "../../../../services/session/modules/Budget.ts"
import type { SessionCore } from "../../../../services/session/SessionCore.ts"
import { storeThenTell } from "../../core/StoreThenTell.ts"
import type { RunSteps } from "../RunSteps.ts"
import type { OpenCall } from "./CallJournal.ts"

interface Streaming {
  readonly messageId: string
  draft: AssistantDraft.AssistantDraft
  /** Set when the model is called. */
  sent?: Metering.Sent
}

export interface OpenTurn {
  readonly index: number
  readonly calls: Array<OpenCall>
  streaming?: Streaming
  message?: AssistantMessage
}

interface Dependencies {
  readonly runId: string
  readonly core: Pick<typeof SessionCore.Service, "entries" | "events" | "ids" | "now">
  readonly budget: SessionBudget
  readonly messages: Array<RunMessage>
  readonly turn: () => OpenTurn
  readonly steps: Pick<RunSteps, "ending">
}

/** The usage of answers that was not reported to the budget yet. */
const makeUsageRecord = (budget: SessionBudget) => {
  let unrecorded: ReadonlyArray<Effect.Effect<void>> = []
  let reserved: Reservation | undefined
  return {
    /** The next model call was allowed; the end of its message settles it. */
    reserve: (reservation: Reservation | undefined) => {
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

export const make = ({ budget, core, messages, runId, steps, turn }: Dependencies) => {
  const { entries, events, ids, now } = core
  const { publish } = events
  const usage = makeUsageRecord(budget)

  const startAssistant = (model: Model) => {
    const draft = AssistantDraft.empty(model, now())
    const messageId = ids.next("message")
    turn().streaming = { messageId, draft }
    publish({ _tag: "MessageStarted", runId, messageId, message: AssistantDraft.toMessage(draft) })
  }

  /** The model is about to be called with this. */
  const send = (sent: Metering.Sent) => {
    const { streaming } = turn()
    if (streaming !== undefined) streaming.sent = sent
  }

  /** Returns whether the event has text to show. Called for every delta: nothing here may grow with the message. */
  const receive = (event: ModelEvent): boolean => {
    const { streaming } = turn()
    if (streaming === undefined) return false
    const [draft, update] = AssistantDraft.apply(streaming.draft, event)
    streaming.draft = draft
    if (update === undefined) return false
    publish({ _tag: "MessageUpdated", runId, messageId: streaming.messageId, draft, update })
    return update.step === "delta" && update.kind !== "toolCall"
  }

  /** With what the call has used, whatever its provider says. */
  const metered = ({ draft, sent }: Streaming): AssistantDraft.AssistantDraft => {
    const { doubt, usage: used } = Metering.measure(draft, sent)
    if (doubt !== undefined) budget.doubt(draft.model.provider, doubt)
    return { ...draft, usage: used }
  }

  const close = (
    end: AssistantDraft.End | undefined,
    changed?: AssistantMessage
  ): Effect.Effect<ReadonlyArray<RequestedCall>> => {
    const open = turn()
    const { streaming } = open
    if (streaming === undefined) return Effect.succeed([])
    const { messageId } = streaming
    const [draft, update] = AssistantDraft.cutOff(metered(streaming))
    if (update !== undefined) publish({ _tag: "MessageUpdated", runId, messageId, draft, update })
    const message = changed ?? AssistantDraft.toMessage(draft, end)
    const requested = AssistantDraft.requestedCalls(draft)
    delete open.streaming
    open.message = message
    for (const { call } of requested) open.calls.push({ call })
    messages.push(message)
    usage.add(message)
    return Effect.map(entries.append({ type: "message", message }), () => {
      publish({ _tag: "MessageEnded", runId, messageId, message })
      return requested
    })
  }

  /** The message as the steps have left it. The calls that it asks for stay. */
  const changedBySteps = (end: AssistantDraft.End | undefined) =>
    Effect.suspend(() => {
      const { streaming } = turn()
      if (streaming === undefined) return Effect.succeed(undefined)
      return steps.ending(() => AssistantDraft.toMessage(AssistantDraft.cutOff(metered(streaming))[0], end))
    })

  /** Ends the assistant message and answers the calls it asks for. */
  const endAssistant = (end?: AssistantDraft.End) =>
    Effect.flatMap(changedBySteps(end), (changed) =>
      Effect.zipLeft(
        storeThenTell(
          () => close(end, changed),
          (requested) => requested
        ),
        usage.record
      )
    )

  return { usage, close, shown: { startAssistant, send, receive, endAssistant } }
}
