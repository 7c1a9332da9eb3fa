/** What the steps of a run make of its tool calls: before they run, and of their results. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type ToolCall, text } from "../../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../../domain/conversation/Message.ts"
import * as JsonValue from "../../../../domain/JsonValue.ts"
import { defined } from "../../../../domain/Values.ts"
import type { Escalated } from "../../../../services/machine/Sandbox.ts"
import type { CallAsked, CallMoment, CallToRun, CallResult, RunStep } from "../../../../services/session/RunStep.ts"
import { type ToolAnswer, ToolFailure } from "../../../../services/Tools.ts"

/** A call that was asked about. Without a refusal it runs, with the arguments that it has here. */
export interface Judged {
  readonly call: CallAsked
  readonly refusal?: ToolFailure
  readonly escalation?: Escalated
}

/** A call, and what would run. */
export interface Launched extends Pick<CallToRun, "orInterrupted" | "tool"> {
  readonly call: ToolCall
}

export interface CallSteps {
  /** When the steps are asked about a call that would run now. */
  readonly moment: () => CallMoment
  readonly ask: (launched: Launched) => Effect.Effect<Judged, ToolFailure>
  /** Runs a call that was asked about; what comes of it is as the steps leave it. */
  readonly results: (
    call: CallAsked,
    work: Effect.Effect<ToolAnswer, ToolFailure>
  ) => Effect.Effect<ToolAnswer, ToolFailure>
}

export const failureOutput = ({ content, details, message }: ToolFailure): ToolOutput => ({
  content: content ?? [text(message)],
  details: details ?? {}
})

const isLast = ({ callsLast }: RunStep) => callsLast === true

const momentOf = ({ call, callMoment, result }: RunStep): CallMoment => {
  if (callMoment !== undefined) return callMoment()
  if (call !== undefined) return "start"
  return result === undefined ? "never" : "run"
}

const ending = (terminate: boolean | undefined) => (terminate === true ? { terminate } : {})

const resultOf = (failure: ToolFailure): CallResult => ({
  output: { ...failureOutput(failure), ...ending(failure.terminate) },
  isError: true
})

const answerOf = ({ isError, output }: CallResult): Effect.Effect<ToolAnswer, ToolFailure> => {
  if (!isError) return Effect.succeed(output)
  const { content, details, terminate } = output
  return new ToolFailure({ message: "", content, ...defined({ details }), ...ending(terminate) })
}

/** The arguments of the message stay as the model has written them. */
const frozen = (name: string, input: ToolCall["arguments"]) =>
  Either.mapLeft(
    JsonValue.frozen(input),
    (problem) => new ToolFailure({ message: `Invalid arguments for ${name}: ${problem}` })
  )

export const make = (all: ReadonlyArray<RunStep>): CallSteps => {
  const steps = all.filter(({ call, result }) => call !== undefined || result !== undefined)
  const inOrder = [...steps.filter((step) => !isLast(step)), ...steps.filter(isLast)]
  /** Calls are asked about one by one, in the order in which their fibers start. */
  const turn = Effect.unsafeMakeSemaphore(1)

  const ask = Effect.fnUntraced(function* ({ call: { arguments: given, id, name }, orInterrupted, tool }: Launched) {
    const requested = yield* frozen(name, given)
    let call: CallToRun = { toolCallId: id, toolName: name, tool, orInterrupted, requested, input: requested }
    let escalation: Escalated | undefined
    for (const step of inOrder) {
      const verdict = step.call === undefined ? undefined : yield* step.call(call)
      if (verdict?.refusal !== undefined) return { call, refusal: verdict.refusal } satisfies Judged
      escalation = verdict?.escalation ?? escalation
      if (verdict?.input !== undefined) call = { ...call, input: yield* frozen(name, verdict.input) }
    }
    const judged: Judged = { call, ...defined({ escalation }) }
    return judged
  })

  return {
    moment: () => {
      let moment: CallMoment = "never"
      for (const step of steps) {
        const wanted = momentOf(step)
        if (wanted === "start") return wanted
        if (wanted === "run") moment = wanted
      }
      return moment
    },
    ask: (launched) => turn.withPermits(1)(ask(launched)),
    results: (call, work) => {
      const results = steps.flatMap(({ result }) => result ?? [])
      const pass = (initial: CallResult) =>
        Effect.flatMap(
          Effect.reduce(results, initial, (result, step) => step(call, result)),
          answerOf
        )
      return Effect.matchEffect(work, {
        onFailure: (failure) => pass(resultOf(failure)),
        onSuccess: (output) => pass({ output, isError: false })
      })
    }
  }
}
