/** One turn of a scenario as the steps that play it. Pure. */
import * as Json from "../../../domain/Json.ts"
import type { Model } from "../../../domain/model/Model.ts"
import type { FinishReason } from "../../../domain/model/ModelEvent.ts"
import { defined } from "../../../domain/Values.ts"
import { ModelFailure } from "../../../services/model/ModelClient.ts"
import * as Deltas from "./Deltas.ts"
import type * as Playback from "./Playback.ts"
import type * as Scenario from "./Scenario.ts"

type Of<Kind extends string> = Extract<Scenario.Step, Record<Kind, unknown>>

const finishReason = ({ steps, stopReason }: Scenario.Turn): FinishReason => {
  if (stopReason !== undefined) return stopReason
  if (steps.some((step) => "cutOff" in step && step.cutOff === true)) return "length"
  return steps.some((step) => "toolCall" in step) ? "toolUse" : "stop"
}

function* block(
  started: Playback.Step,
  text: string,
  step: Deltas.Pace & { readonly cutOff?: boolean; readonly signature?: string; readonly redacted?: boolean }
): Generator<Playback.Step> {
  yield started
  yield* Deltas.stream(text, step)
  if (step.cutOff === true) return
  yield {
    _tag: "BlockEnded",
    ...defined({ signature: step.signature }),
    ...(step.redacted === true ? { redacted: true } : {})
  }
}

const failure = (model: Model, { fail }: Of<"fail">): Playback.Step => ({
  _tag: "Fail",
  failure: new ModelFailure({ ...fail, provider: model.provider, model: model.id })
})

const disconnected = {
  fail: { reason: "stream_ended", message: "Stream ended without a terminal event" }
} as const

const argumentsText = ({ toolCall }: Of<"toolCall">) =>
  toolCall.rawArguments ?? Json.stringify(toolCall.arguments ?? {})

/** `callNumber` counts the calls of the process from 1; it keeps default tool call ids apart when turns repeat. */
export function* play(turn: Scenario.Turn, callNumber: number, model: Model): Generator<Playback.Step> {
  let toolCalls = 0
  for (const step of turn.steps) {
    if ("text" in step) yield* block({ _tag: "TextStarted" }, step.text, step)
    else if ("thinking" in step) yield* block({ _tag: "ThinkingStarted" }, step.thinking, step)
    else if ("toolCall" in step) {
      toolCalls++
      const id = step.toolCall.id ?? `call_${callNumber}_${toolCalls}`
      yield* block({ _tag: "ToolCallStarted", id, name: step.toolCall.name }, argumentsText(step), step)
    } else if ("wait" in step) yield { _tag: "Pause", ms: step.wait }
    else if ("hang" in step) yield { _tag: "Hang" }
    else yield failure(model, "fail" in step ? step : disconnected)
  }
  if (turn.usage !== undefined) {
    yield { _tag: "UsageReported", tokens: { cacheRead: 0, cacheWrite: 0, ...turn.usage } }
  }
  yield { _tag: "Finished", stopReason: finishReason(turn) }
}
