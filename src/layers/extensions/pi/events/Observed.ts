/** The events of a session at which extensions only watch, with pi's names and members. */
import * as Effect from "effect/Effect"
import * as AssistantDraft from "../../../../domain/conversation/AssistantDraft.ts"
import type { HookEvent } from "../../../../services/hooks/HookPoints.ts"
import * as Call from "../../../platform/extensions/Call.ts"
import * as ForeignCall from "../../../platform/extensions/ForeignCall.ts"
import * as Context from "../context/Context.ts"
import { copyOf, member } from "../Values.ts"
import { at, nothing, type Subscribe } from "./Mapping.ts"

const kinds = { text: "text", thinking: "thinking", toolCall: "toolcall" } as const

/** Built when it is read: most handlers look at the delta only. */
const lazyMessage = (draft: AssistantDraft.AssistantDraft) => {
  let message: object | undefined
  return () => (message ??= AssistantDraft.toMessage(draft))
}

const endOf = (draft: AssistantDraft.AssistantDraft): object => {
  const block = draft.blocks?.last
  if (block === undefined) return {}
  return block.type === "toolCall" ? { toolCall: AssistantDraft.toContent(block) } : { content: block.text }
}

const startOf = ({ blocks }: AssistantDraft.AssistantDraft): object =>
  blocks?.last.type === "toolCall" ? { id: blocks.last.id, toolName: blocks.last.name } : {}

const update = ({ draft, update }: HookEvent<"MessageUpdated">): object => {
  const message = lazyMessage(draft)
  const type = `${kinds[update.kind]}_${update.step}`
  const { contentIndex } = update
  const step =
    update.step === "delta" ? { delta: update.delta } : update.step === "start" ? startOf(draft) : endOf(draft)
  return {
    type: "message_update",
    get message() {
      return message()
    },
    assistantMessageEvent: {
      type,
      contentIndex,
      ...step,
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
  return instance.seat.on("MessageUpdated", (event) => {
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

const runs: Record<string, Subscribe> = {
  agent_start: at({ point: "RunStarted", event: () => ({ type: "agent_start" }), answer: nothing }),
  agent_end: at({
    point: "RunEnded",
    event: ({ messages }) => ({ type: "agent_end", messages: copyOf(messages) }),
    answer: nothing
  }),
  agent_settled: at({
    point: "RunSettled",
    event: ({ aborted }) => ({ type: "agent_settled", aborted }),
    answer: nothing
  }),
  turn_start: at({
    point: "TurnStarted",
    event: ({ timestamp, turnIndex }) => ({ type: "turn_start", turnIndex, timestamp }),
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
  message_start: at({
    point: "MessageStarted",
    event: ({ message }) => ({ type: "message_start", message: copyOf(message) }),
    answer: nothing
  }),
  message_update: watchUpdates
}

const tools: Record<string, Subscribe> = {
  tool_execution_start: at({
    point: "ToolStarted",
    event: ({ args, toolCallId, toolName }) => ({
      type: "tool_execution_start",
      toolCallId,
      toolName,
      args: copyOf(args)
    }),
    answer: nothing
  }),
  tool_execution_update: at({
    point: "ToolUpdated",
    event: ({ args, partialResult, toolCallId, toolName }) => ({
      type: "tool_execution_update",
      toolCallId,
      toolName,
      args: copyOf(args),
      partialResult: copyOf(partialResult)
    }),
    answer: nothing
  }),
  tool_execution_end: at({
    point: "ToolEnded",
    event: ({ durationMs, isError, result, toolCallId, toolName }) => ({
      type: "tool_execution_end",
      toolCallId,
      toolName,
      result: copyOf(result),
      isError,
      durationMs
    }),
    answer: nothing
  })
}

const retries: Record<string, Subscribe> = {
  auto_retry_start: at({
    point: "RetryScheduled",
    event: ({ attempt, delayMs, errorMessage, maxAttempts }) => ({
      type: "auto_retry_start",
      attempt,
      maxAttempts,
      delayMs,
      errorMessage
    }),
    answer: nothing
  }),
  auto_retry_end: at({
    point: "RetryEnded",
    event: ({ attempt, finalError, success }) => ({
      type: "auto_retry_end",
      success,
      attempt,
      ...member("finalError", finalError)
    }),
    answer: nothing
  }),
  ttsr_triggered: at({
    point: "RulesTriggered",
    event: ({ rules }) => ({ type: "ttsr_triggered", rules }),
    answer: nothing
  }),
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
            ...member("errorMessage", errorMessage)
          },
    answer: nothing
  }),
  todo_reminder: at({
    point: "TodoReminder",
    event: ({ attempt, maxAttempts, todos }) => ({
      type: "todo_reminder",
      todos: copyOf(todos),
      attempt,
      maxAttempts
    }),
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
            ...member("errorMessage", errorMessage)
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
  ),
  session_info_changed: at({
    point: "SessionNamed",
    event: ({ name }) => ({ type: "session_info_changed", name }),
    answer: nothing
  })
}

export const observed: Readonly<Record<string, Subscribe>> = { ...runs, ...tools, ...retries, ...choices }
