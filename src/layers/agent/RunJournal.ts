/**
 * What one run has said and done so far, and what of it is still open. Every event of a run is published here, so
 * that a run cut off at any point can be brought to a proper end: open blocks, calls and turns are closed in order.
 * Owned by the run's fiber. A step that stores and then publishes is uninterruptible: half of it is never seen.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../domain/AgentEvent.ts"
import * as AssistantDraft from "../../domain/AssistantDraft.ts"
import { text, type ToolCall } from "../../domain/Content.ts"
import type { AssistantMessage, Message, ToolOutput, ToolResultMessage, UserMessage } from "../../domain/Message.ts"
import type { Model } from "../../domain/Model.ts"
import type { ModelEvent } from "../../domain/ModelEvent.ts"
import type { Budget } from "../../services/Budget.ts"
import type { Ids } from "../../services/Ids.ts"
import type { Session } from "../../services/Session.ts"

interface Dependencies {
  readonly runId: string
  readonly publish: (event: AgentEvent) => void
  readonly session: typeof Session.Service
  readonly ids: typeof Ids.Service
  readonly budget: typeof Budget.Service
}

/** A call of the turn at hand, in the order of the assistant message. */
interface OpenCall {
  readonly call: ToolCall
  startedAt?: number
  result?: ToolResultMessage
}

interface OpenTurn {
  readonly index: number
  readonly calls: Array<OpenCall>
  streaming?: { readonly messageId: string; draft: AssistantDraft.AssistantDraft }
  message?: AssistantMessage
}

/** Why the run stops before it is done, and what unanswered tool calls are told. */
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

export type RunJournal = ReturnType<typeof make>

export const make = ({ budget, ids, publish, runId, session }: Dependencies) => {
  const messages: Array<Message> = []
  let turn: OpenTurn = { index: -1, calls: [] }
  let turnOpen = false

  const startTurn = Effect.map(Clock.currentTimeMillis, (timestamp) => {
    turn = { index: turn.index + 1, calls: [] }
    turnOpen = true
    publish({ _tag: "TurnStarted", runId, turnIndex: turn.index, timestamp })
  })

  /** Announces a message that is stored already. */
  const announce = (messageId: string, message: UserMessage) => {
    messages.push(message)
    publish({ _tag: "MessageStarted", runId, messageId, message })
    publish({ _tag: "MessageEnded", runId, messageId, message })
  }

  const startAssistant = Effect.fnUntraced(function* (model: Model) {
    const draft = AssistantDraft.empty(model, yield* Clock.currentTimeMillis)
    const messageId = yield* ids.next("message")
    turn.streaming = { messageId, draft }
    publish({ _tag: "MessageStarted", runId, messageId, message: AssistantDraft.toMessage(draft) })
  }, Effect.uninterruptible)

  /** One event of the model stream. Called for every delta: nothing here may grow with the message. */
  const receive = (event: ModelEvent) => {
    const streaming = turn.streaming
    if (streaming === undefined) return
    const [draft, update] = AssistantDraft.apply(streaming.draft, event)
    streaming.draft = draft
    if (update !== undefined) {
      publish({ _tag: "MessageUpdated", runId, messageId: streaming.messageId, draft, update })
    }
  }

  /** Ends the assistant message and answers the calls it asks for. */
  const endAssistant = Effect.fnUntraced(function* (end?: AssistantDraft.End) {
    const streaming = turn.streaming
    if (streaming === undefined) return []
    const [draft, update] = AssistantDraft.cutOff(streaming.draft)
    if (update !== undefined) {
      publish({ _tag: "MessageUpdated", runId, messageId: streaming.messageId, draft, update })
    }
    const message = AssistantDraft.toMessage(draft, end)
    const requested = AssistantDraft.requestedCalls(draft)
    delete turn.streaming
    turn.message = message
    for (const { call } of requested) turn.calls.push({ call })
    messages.push(message)
    yield* budget.recordUsage(message.usage)
    yield* session.append({ type: "message", message })
    publish({ _tag: "MessageEnded", runId, messageId: streaming.messageId, message })
    return requested
  }, Effect.uninterruptible)

  const startCall = (position: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const open = turn.calls[position]
      if (open === undefined || open.startedAt !== undefined) return
      open.startedAt = now
      const { arguments: args, id: toolCallId, name: toolName } = open.call
      publish({ _tag: "ToolStarted", runId, toolCallId, toolName, args })
    })

  const progressOfCall = (position: number, partialResult: ToolOutput) => {
    const open = turn.calls[position]
    if (open === undefined || open.result !== undefined) return
    const { arguments: args, id: toolCallId, name: toolName } = open.call
    publish({ _tag: "ToolUpdated", runId, toolCallId, toolName, args, partialResult })
  }

  const endCall = Effect.fnUntraced(function* (position: number, result: ToolOutput, isError: boolean) {
    const open = turn.calls[position]
    if (open === undefined || open.result !== undefined) return
    const timestamp = yield* Clock.currentTimeMillis
    const { id: toolCallId, name: toolName } = open.call
    const message: ToolResultMessage = { role: "toolResult", toolCallId, toolName, ...result, isError, timestamp }
    open.result = message
    const durationMs = timestamp - (open.startedAt ?? timestamp)
    publish({ _tag: "ToolEnded", runId, toolCallId, toolName, result, isError, durationMs })
    const messageId = yield* ids.next("message")
    messages.push(message)
    yield* session.append({ type: "message", message })
    publish({ _tag: "MessageStarted", runId, messageId, message })
    publish({ _tag: "MessageEnded", runId, messageId, message })
  }, Effect.uninterruptible)

  const endTurn = () => {
    if (!turnOpen || turn.message === undefined) return
    turnOpen = false
    const toolResults = turn.calls.flatMap(({ result }) => (result === undefined ? [] : [result]))
    publish({ _tag: "TurnEnded", runId, turnIndex: turn.index, message: turn.message, toolResults })
  }

  const answerOpenCalls = (reason: string) =>
    Effect.forEach(
      turn.calls,
      (open, position) =>
        open.result === undefined
          ? Effect.zipRight(startCall(position), endCall(position, { content: [text(reason)], details: {} }, true))
          : Effect.void,
      { discard: true }
    )

  /**
   * Brings everything open to its end. A run always ends with an assistant message that says how: where the cut came
   * between two model calls, an empty one is made in a turn of its own (protocol.md 4.9).
   */
  const cutOff = Effect.fnUntraced(function* (how: CutOff, model: Model) {
    const end = { stopReason: how.stopReason, errorMessage: how.errorMessage }
    if (turnOpen && turn.message !== undefined) {
      yield* answerOpenCalls(how.unstartedCall)
      endTurn()
    }
    if (!turnOpen) yield* startTurn
    if (turn.streaming === undefined) yield* startAssistant(model)
    yield* endAssistant(end)
    yield* answerOpenCalls(how.unfinishedCall)
    endTurn()
  })

  return {
    runId,
    messages,
    turnIndex: () => turn.index,
    startTurn,
    announce,
    startAssistant,
    receive,
    endAssistant,
    startCall,
    progressOfCall,
    endCall,
    endTurn,
    answerOpenCalls,
    cutOff
  }
}
