/**
 * The tool calls of the turn that is open: each starts, may report, and gets exactly one result. Owned by the
 * run's fiber, which records one result after the other.
 */
import * as Effect from "effect/Effect"
import { type JsonObject, text, type ToolCall } from "../../../../domain/conversation/Content.ts"
import type { RunMessage, ToolOutput, ToolResultMessage } from "../../../../domain/conversation/Message.ts"
import type { Usage } from "../../../../domain/model/Usage.ts"
import { defined } from "../../../../domain/Values.ts"
import * as EventLoop from "../../../machine/engine/EventLoop.ts"
import { storeThenTell } from "../../core/StoreThenTell.ts"
import type { SessionCore } from "../../../../services/session/SessionCore.ts"

/** A call of the turn at hand, in the order of the assistant message. */
export interface OpenCall {
  readonly call: ToolCall
  /** What it runs with, where that differs from what the model has asked for. */
  args?: JsonObject
  startedAt?: number
  /** The tool was called: hosts see a start also of calls that are refused or skipped. */
  isRun?: true
  result?: ToolResultMessage
}

interface Dependencies {
  readonly runId: string
  readonly core: Pick<typeof SessionCore.Service, "entries" | "events" | "ids" | "now">
  /** What the Stopwatch reads. */
  readonly ticks: () => number
  readonly messages: Array<RunMessage>
  readonly calls: () => ReadonlyArray<OpenCall>
  /** Called after each result, when it is stored and published. */
  readonly recorded: (message: ToolResultMessage) => Effect.Effect<void>
}

/** A model may have asked for thousands of calls, and others want to be heard meanwhile. */
const callsPerTurnOfLoop = 64

export const make = ({ calls, core, messages, recorded, runId, ticks }: Dependencies) => {
  const { entries, events, ids, now } = core
  const { publish } = events

  const startCall = (position: number, isRun: boolean, given?: JsonObject) => {
    const open = calls()[position]
    if (open === undefined || open.startedAt !== undefined) return
    open.startedAt = ticks()
    if (isRun) open.isRun = true
    if (given !== undefined) open.args = given
    const { id: toolCallId, name: toolName } = open.call
    const { args = open.call.arguments } = open
    publish({ _tag: "ToolStarted", runId, toolCallId, toolName, args })
  }

  const progressOfCall = (position: number, partialResult: ToolOutput) => {
    const open = calls()[position]
    if (open === undefined) return
    const { id: toolCallId, name: toolName } = open.call
    const { args = open.call.arguments } = open
    publish({ _tag: "ToolUpdated", runId, toolCallId, toolName, args, partialResult })
  }

  const end = (open: OpenCall, result: ToolOutput, isError: boolean, usage?: Usage) => {
    const timestamp = now()
    const { id: toolCallId, name: toolName } = open.call
    const message: ToolResultMessage = { role: "toolResult", toolCallId, toolName, ...result, isError, timestamp }
    open.result = message
    const durationMs = open.startedAt === undefined ? 0 : Math.round(ticks() - open.startedAt)
    publish({ _tag: "ToolEnded", runId, toolCallId, toolName, result, isError, durationMs })
    const messageId = ids.next("message")
    messages.push(message)
    const call = open.isRun === true ? {} : ({ call: "not_started" } as const)
    const spent = defined({ toolUsage: usage })
    return Effect.flatMap(entries.append({ type: "message", message, ...call, ...spent }), () => {
      publish({ _tag: "MessageStarted", runId, messageId, message })
      publish({ _tag: "MessageEnded", runId, messageId, message })
      return recorded(message)
    })
  }

  const endCall = (position: number, result: ToolOutput, isError: boolean, usage?: Usage) =>
    storeThenTell(
      () => {
        const open = calls()[position]
        if (open === undefined || open.result !== undefined) return Effect.void
        startCall(position, false)
        return end(open, result, isError, usage)
      },
      () => undefined
    )

  const answerOpenCalls = Effect.fnUntraced(function* (reason: string) {
    for (const [position, { result }] of calls().entries()) {
      if (result !== undefined) continue
      yield* endCall(position, { content: [text(reason)], details: {} }, true)
      if (position % callsPerTurnOfLoop === callsPerTurnOfLoop - 1) yield* EventLoop.nextTurn
    }
  })

  return { startCall, progressOfCall, endCall, answerOpenCalls }
}
