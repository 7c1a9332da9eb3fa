/** The events of a session at which extensions only watch, with pi's names and members. */
import * as Effect from "effect/Effect"
import * as AgentEvent from "../../../domain/conversation/AgentEvent.ts"
import * as AssistantDraft from "../../../domain/conversation/AssistantDraft.ts"
import { events } from "../../../domain/conversation/EventTable.ts"
import * as UpdateStep from "../../../domain/conversation/UpdateStep.ts"
import { defined, once } from "../../../domain/Values.ts"
import type { HookEvent } from "../../../services/hooks/HookPoints.ts"
import * as Call from "../../machine/foreign/Call.ts"
import * as ForeignCall from "../../machine/foreign/ForeignCall.ts"
import * as Nesting from "../../machine/foreign/Nesting.ts"
import * as Context from "../context/Context.ts"
import { copyOf } from "../instance/Values.ts"
import { at, nothing, type Subscribe } from "./Mapping.ts"

/** Built when it is read: most handlers look at the delta only. */
const lazyMessage = (draft: AssistantDraft.AssistantDraft) => once(() => AssistantDraft.toMessage(draft))

const update = ({ draft, update }: HookEvent<"MessageUpdated">): object => {
  const message = lazyMessage(draft)
  return {
    type: "message_update",
    get message() {
      return message()
    },
    assistantMessageEvent: {
      ...UpdateStep.make(draft, update),
      get partial() {
        return message()
      }
    }
  }
}

/**
 * Called for every delta, so handlers of an extension share one context, and all extensions of a session one event: with ten
 * handlers, 20,000 deltas take a third of the time that they would with objects of their own.
 */
const watchUpdates: Subscribe = (instance, name, handler) => {
  const { updates } = instance.shared
  const call = Call.make()
  let context: object | undefined
  return instance.registration.on("MessageUpdated", (event) => {
    if (!instance.isActive()) return undefined
    if (updates.of !== event) Object.assign(updates, { of: event, given: update(event) })
    context ??= Context.make(instance, call)
    try {
      const result: unknown = handler(updates.given, context)
      return result === undefined ? undefined : watched(result, (failure) => instance.report(name, failure))
    } catch (thrown) {
      instance.report(name, ForeignCall.failureOf(thrown))
      return undefined
    }
  })
}

/** Waits for a handler that returned a promise. */
const watched = (result: unknown, report: (failure: ForeignCall.ForeignFailure) => void): Effect.Effect<void> =>
  Effect.catchAll(Effect.asVoid(ForeignCall.run(() => result)), (failure) => Effect.sync(() => report(failure)))

const outcomeOf = (stopReason: string): string =>
  stopReason === "aborted" || stopReason === "error" ? stopReason : "completed"

/** Events that are for extensions what they are for hosts, but for the ids of runs and messages. */
const mirrored = [
  "RunStarted",
  "RunSettled",
  "TurnStarted",
  "MessageStarted",
  "ToolStarted",
  "ToolUpdated",
  "ToolEnded",
  "RetryScheduled",
  "RetryEnded",
  "RulesTriggered",
  "TodoReminder",
  "SessionNamed"
] as const

const mirror = (point: (typeof mirrored)[number]): Subscribe =>
  at<typeof point>({
    point,
    event: (event) => {
      const { clientMessageId: _of, messageId: _id, runId: _run, ...members } = AgentEvent.members(event)
      return Object.fromEntries(
        Object.entries({ type: AgentEvent.typeOf(event), ...members }).map(([name, value]) => [name, copyOf(value)])
      )
    },
    answer: nothing
  })

const changed: Record<string, Subscribe> = {
  agent_end: at({
    point: "RunEnded",
    around: ({ aborted }, handle, { instance, isOver }) =>
      aborted === undefined || instance.aborts.isOwn() ? handle : () => Nesting.afterAbort(() => !isOver(), handle),
    event: ({ messages }) => ({ type: "agent_end", messages: copyOf(messages) }),
    answer: nothing
  }),
  turn_end: at({
    point: "TurnEnded",
    event: ({ message, toolResults, turnIndex }) => ({
      type: "turn_end",
      turnIndex,
      message: copyOf(message),
      toolResults: copyOf(toolResults),
      outcome: outcomeOf(message.stopReason),
      entries: [],
      continue: false
    }),
    answer: nothing
  }),
  message_update: watchUpdates,
  auto_compaction_start: at({
    point: "CompactionStarted",
    event: ({ action, reason }) =>
      reason === "manual" ? undefined : { type: "auto_compaction_start", reason, action },
    answer: nothing
  }),
  auto_compaction_end: at({
    point: "CompactionEnded",
    event: ({ aborted, action, errorMessage, reason, result, willRetry }) =>
      reason === "manual"
        ? undefined
        : {
            type: "auto_compaction_end",
            action,
            result: copyOf(result),
            aborted,
            willRetry,
            ...defined({ errorMessage })
          },
    answer: nothing
  }),
  session_compact_failed: at({
    point: "CompactionEnded",
    event: ({ aborted, errorMessage, reason, result, willRetry }) =>
      result !== undefined
        ? undefined
        : {
            type: "session_compact_failed",
            reason,
            aborted,
            willRetry,
            fromExtension: false,
            ...defined({ errorMessage })
          },
    answer: nothing
  })
}

/** Remembers what was in force before, which the events of the session do not say. */
const remembering =
  (make: (previous: { model: unknown; level: unknown }) => Subscribe): Subscribe =>
  (instance, name, handler) => {
    const { agent } = instance.ports
    const previous: { model: unknown; level: unknown } = { model: undefined, level: undefined }
    const { model, thinkingLevel } = instance.bridge.read(agent.state)
    Object.assign(previous, { model, level: thinkingLevel })
    return make(previous)(instance, name, handler)
  }

const choices: Record<string, Subscribe> = {
  model_select: remembering((previous) =>
    at({
      point: "ModelChanged",
      event: ({ model }) => {
        const previousModel = previous.model
        previous.model = model
        return { type: "model_select", model: copyOf(model), previousModel: copyOf(previousModel), source: "set" }
      },
      answer: nothing
    })
  ),
  thinking_level_select: remembering((previous) =>
    at({
      point: "ThinkingLevelChanged",
      event: ({ level }) => {
        const previousLevel = previous.level
        previous.level = level
        return { type: "thinking_level_select", level, previousLevel }
      },
      answer: nothing
    })
  )
}

export const observed: Readonly<Record<string, Subscribe>> = {
  ...Object.fromEntries(mirrored.map((point) => [events[point].type, mirror(point)])),
  ...changed,
  ...choices
}
