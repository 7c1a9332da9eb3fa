/** One tool call in a fiber of its own: it is asked about, runs and answers, also when it is interrupted. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as RuntimeFlags from "effect/RuntimeFlags"
import type { JsonObject, ToolCall } from "../../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../../domain/conversation/Message.ts"
import * as JsonValue from "../../../../domain/JsonValue.ts"
import type { Usage } from "../../../../domain/model/Usage.ts"
import { defined } from "../../../../domain/Values.ts"
import * as Interrupted from "../../../../services/fibers/Interrupted.ts"
import { decided } from "../../../../services/machine/Sandbox.ts"
import { type Tool, type ToolAnswer, type ToolContext, ToolFailure } from "../../../../services/Tools.ts"
import * as RunNodes from "../../core/RunNodes.ts"
import { type CallSteps, failureOutput } from "./CallSteps.ts"
import * as CutOffCall from "./CutOffCall.ts"
import * as RunJournal from "../RunJournal.ts"

/** How a call ended. A defect is no result: it ends the batch. */
export type Outcome =
  | {
      readonly _tag: "Result"
      readonly position: number
      readonly output: ToolOutput
      readonly isError: boolean
      readonly terminate?: true
      readonly usage?: Usage
    }
  | { readonly _tag: "Defect"; readonly cause: Cause.Cause<never> }

export type CallFiber = Fiber.RuntimeFiber<ToolAnswer, ToolFailure>

interface Dependencies {
  readonly journal: Pick<RunJournal.RunJournal, "startCall" | "progressOfCall">
  readonly steps: CallSteps
  /** Waits while a sink is too far behind. */
  readonly ready: Effect.Effect<void>
  /** Starts a fiber at once, up to its first wait. */
  readonly fork: (call: Effect.Effect<ToolAnswer, ToolFailure>) => CallFiber
  /** The fibers of the calls that run. */
  readonly running: Set<CallFiber>
}

interface Launch {
  /** Among the calls of the message. */
  readonly position: number
  readonly call: ToolCall
  readonly tool: Tool
  /** Whether a steering message has interrupted the call. */
  readonly isSkipped: () => boolean
}

export const skippedText = "Skipped due to queued user message."
const cancelledText = "Cancelled by host"

export const failed = (position: number, failure: ToolFailure): Outcome => ({
  _tag: "Result",
  position,
  output: failureOutput(failure),
  isError: true,
  ...(failure.terminate === true ? { terminate: true } : {})
})

/** What is not part of the output is for the run, and is not stored. */
const answered = (position: number, { terminate, usage, ...output }: ToolAnswer): Outcome => ({
  _tag: "Result",
  position,
  output,
  isError: false,
  ...(terminate === true ? { terminate } : {}),
  ...defined({ usage })
})

/** A result that cannot be stored or sent, such as one that contains itself, is an error for the model. */
const keepable = (outcome: Outcome, { name }: ToolCall): Outcome => {
  const problem = outcome._tag === "Defect" ? undefined : JsonValue.problemOf(outcome.output)
  if (outcome._tag === "Defect" || problem === undefined) return outcome
  const message = `The result of ${name} cannot be used: ${problem}`
  return { ...outcome, output: failureOutput(new ToolFailure({ message })), isError: true }
}

/** The start is announced here, or behind the questions where the steps want that; `begun` tells whether it was. */
const makeStart = ({ journal, steps }: Dependencies, { call, position, tool }: Launch) => {
  const moment = steps.moment()
  let begun = false
  const begin = (isRun: boolean, args?: JsonObject) => {
    if (begun) return
    begun = true
    journal.startCall(position, isRun, args)
  }
  if (moment !== "start") begin(true)
  return {
    begun: () => begun,
    /** Nothing runs that a step refuses, and nothing but what the steps were asked about. */
    run: (
      execute: (args: JsonObject) => Effect.Effect<ToolAnswer, ToolFailure>,
      orInterrupted: ToolContext["orInterrupted"]
    ) =>
      moment === "never"
        ? execute(call.arguments)
        : Effect.flatMap(steps.ask({ call, tool, orInterrupted }), ({ call: asked, escalation, refusal }) => {
            begin(refusal === undefined, asked.input)
            if (refusal !== undefined) return refusal
            const work = execute(asked.input)
            return steps.results(asked, escalation === undefined ? work : decided(escalation)(work))
          })
  }
}

/** `ended` is called once, when the fiber has ended: perhaps before this returns. */
export const start = (dependencies: Dependencies, launch: Launch, ended: (outcome: Outcome) => void) => {
  const { fork, journal, ready, running } = dependencies
  const { call, isSkipped, position, tool } = launch
  const begins = makeStart(dependencies, launch)
  let cancelled = false
  /** Progress after the end of the call is dropped: by then its position may belong to a call of another turn. */
  let isOver = false
  // The result of an interrupted call follows, so its progress is not shown. An abort does not wait for slow sinks.
  const progress = (output: ToolOutput) =>
    Effect.withFiberRuntime<void>((fiber, { runtimeFlags }) => {
      if (isOver || Interrupted.isRequestedOf(fiber)) return Effect.void
      const show = () => journal.progressOfCall(position, output)
      return RuntimeFlags.interruptible(runtimeFlags) ? Effect.map(ready, show) : Effect.sync(show)
    })
  const reason = () => {
    if (cancelled) return cancelledText
    if (isSkipped()) return skippedText
    return begins.begun() ? tool.abortedText : RunJournal.aborted.unstartedCall
  }
  const cutOff = CutOffCall.make(reason)
  const outcome = (exit: Exit.Exit<ToolAnswer, ToolFailure>): Outcome => {
    if (Exit.isSuccess(exit)) return answered(position, exit.value)
    const failure = Cause.failureOption(exit.cause)
    if (Option.isSome(failure)) return failed(position, failure.value)
    if (!Cause.isInterruptedOnly(exit.cause)) return { _tag: "Defect", cause: Cause.stripFailures(exit.cause) }
    return { _tag: "Result", position, output: cutOff.answer(), isError: true }
  }
  const run = Effect.withFiberRuntime<ToolAnswer, ToolFailure>((fiber) => {
    const context = { toolCallId: call.id, progress, orInterrupted: cutOff.within(fiber) }
    return begins.run((args) => tool.run(args, context), context.orInterrupted)
  })
  const fiber = fork(RunNodes.toolCall(call, () => (cancelled = true), run))
  running.add(fiber)
  fiber.addObserver((exit) => {
    running.delete(fiber)
    isOver = true
    ended(keepable(outcome(exit), call))
  })
}
