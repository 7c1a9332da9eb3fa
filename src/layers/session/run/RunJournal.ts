/**
 * The journal of one run: its messages so far, and which blocks, calls and turns are open. Every event of a run is
 * published here, so that a run that is cut off can close them in order. Owned by the run's fiber. Each step that
 * stores is masked by `storeThenTell`, so nobody sees half of a step.
 */
import * as Effect from "effect/Effect"
import type { MessageRef } from "../../../domain/conversation/AgentEvent.ts"
import type { InputMessage, RunMessage } from "../../../domain/conversation/Message.ts"
import type { Model } from "../../../domain/model/Model.ts"
import type { SessionBudget } from "../../../services/session/modules/Budget.ts"
import type { SessionCore } from "../../../services/session/SessionCore.ts"
import * as AnswerJournal from "./journal/AnswerJournal.ts"
import * as CallJournal from "./journal/CallJournal.ts"
import type { RunSteps } from "./RunSteps.ts"

interface Dependencies {
  readonly runId: string
  readonly core: Pick<typeof SessionCore.Service, "entries" | "events" | "fork" | "ids" | "now">
  /** What the Stopwatch reads. */
  readonly ticks: () => number
  readonly budget: SessionBudget
  readonly steps: Pick<RunSteps, "ending" | "recorded">
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

type UserRef = Omit<MessageRef, "runId">

const makeUserMessages = ({ core: { events }, runId }: Dependencies, messages: Array<RunMessage>) => ({
  startUser: (ref: UserRef, message: InputMessage) => {
    messages.push(message)
    events.publish({ _tag: "MessageStarted", runId, ...ref, message })
  },
  endUser: (ref: UserRef, message: InputMessage) => events.publish({ _tag: "MessageEnded", runId, ...ref, message })
})

export type RunJournal = ReturnType<typeof make>

export const make = (dependencies: Dependencies) => {
  const { core, runId, steps, ticks } = dependencies
  const { events, fork, now } = core
  const messages: Array<RunMessage> = []
  let turn: AnswerJournal.OpenTurn = { index: -1, calls: [] }
  let turnOpen = false

  const answer = AnswerJournal.make({ ...dependencies, messages, turn: () => turn })
  const calls = CallJournal.make({ runId, core, ticks, messages, calls: () => turn.calls, recorded: steps.recorded })

  const startTurn = () => {
    turn = { index: turn.index + 1, calls: [] }
    turnOpen = true
    events.publish({ _tag: "TurnStarted", runId, turnIndex: turn.index, timestamp: now() })
  }

  const endTurn = () => {
    if (!turnOpen || turn.message === undefined) return
    turnOpen = false
    const toolResults = turn.calls.flatMap(({ result }) => (result === undefined ? [] : [result]))
    events.publish({ _tag: "TurnEnded", runId, turnIndex: turn.index, message: turn.message, toolResults })
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
    if (turn.streaming === undefined) answer.shown.startAssistant(model)
    yield* answer.close(end)
    yield* calls.answerOpenCalls(how.unfinishedCall)
    endTurn()
    // An abort does not wait for a budget that somebody else wrote.
    fork(answer.usage.record)
  })

  const { release, reserve } = answer.usage
  return {
    runId,
    messages,
    turnIndex: () => turn.index,
    reserve,
    release,
    startTurn,
    ...makeUserMessages(dependencies, messages),
    ...answer.shown,
    endTurn,
    cutOff,
    ...calls
  }
}
