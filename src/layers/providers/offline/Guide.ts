/**
 * `offline/guide`: the model of a session that has no key. It keeps no state: what it does next follows from the
 * messages since the last prompt, by fixed rules. It lists, reads, then reports.
 */
import type { ModelRequest } from "../../../services/model/ModelClient.ts"
import * as Deltas from "./Deltas.ts"
import * as GuideAnswer from "./GuideAnswer.ts"
import type { Call, Evidence } from "./GuideEvidence.ts"
import * as GuideEvidence from "./GuideEvidence.ts"
import * as GuidePlan from "./GuidePlan.ts"
import * as GuidePrompt from "./GuidePrompt.ts"
import * as GuideSummary from "./GuideSummary.ts"
import * as GuideUsage from "./GuideUsage.ts"
import type * as Playback from "./Playback.ts"

/** Enough of a file for a title, a manifest, the first lines of code. */
const linesPerRead = 60

interface Move {
  readonly thinking: string
  readonly text: string
  readonly calls: ReadonlyArray<Call>
}

const quote = (paths: ReadonlyArray<string>) => paths.map((path) => `\`${path}\``).join(", ")

const announce = (calls: ReadonlyArray<Call>): string => {
  const listed = calls.flatMap(({ path, tool }) => (tool === "ls" ? [path] : []))
  const read = calls.flatMap(({ path, tool }) => (tool === "read" ? [path] : []))
  const folders = listed.includes(GuidePlan.workingFolder) ? "this folder" : quote(listed)
  const parts = [
    ...(listed.length === 0 ? [] : [`list what is in ${folders}`]),
    ...(read.length === 0 ? [] : [`read the start of ${quote(read)}`])
  ]
  return `I will ${parts.join(" and ")}.`
}

const reasonFor = ({ made }: Evidence, intent: GuidePrompt.Intent): string => {
  if (made.length > 0) return "The results so far point to something worth a closer look."
  return intent._tag === "Look" && intent.targets.length > 0
    ? "The prompt names what it is about, so I go there directly."
    : "The prompt names no file, so the first thing to see is the folder itself."
}

const decide = (request: ModelRequest, evidence: Evidence): Move => {
  if (GuideSummary.isAsked(request.systemPrompt)) {
    return { thinking: "", text: GuideSummary.write(evidence.prompt), calls: [] }
  }
  const intent = GuidePrompt.read(evidence.prompt, evidence.images)
  const plan = intent._tag === "Look" ? GuidePlan.make(intent.targets, evidence) : []
  const due = plan.filter(
    (call, index) =>
      !evidence.made.some((made) => GuideEvidence.sameCall(made, call)) &&
      plan.findIndex((other) => GuideEvidence.sameCall(other, call)) === index
  )
  const offered = due.filter((call) => request.tools.some(({ name }) => name === call.tool))
  if (offered.length > 0) return { thinking: reasonFor(evidence, intent), text: announce(offered), calls: offered }
  const thinking =
    intent._tag === "Look" ? "Nothing is left to look at; now the answer." : "No tool is needed for this."
  return { thinking, text: GuideAnswer.write(intent, evidence, due), calls: [] }
}

const argumentsText = ({ path, tool }: Call) => JSON.stringify(tool === "ls" ? { path } : { path, limit: linesPerRead })

export interface Options {
  readonly delayMs?: number
}

/** The next step of the model for this request. */
export function* steps(request: ModelRequest, options: Options = {}): Generator<Playback.Step> {
  const evidence = GuideEvidence.gather(request.messages)
  const move = decide(request, evidence)
  const thinking = request.thinkingLevel === "off" ? "" : move.thinking
  let characters = thinking.length + move.text.length
  if (thinking !== "") {
    yield { _tag: "ThinkingStarted" }
    yield* Deltas.stream(thinking, options)
    yield { _tag: "BlockEnded" }
  }
  yield { _tag: "TextStarted" }
  yield* Deltas.stream(move.text, options)
  yield { _tag: "BlockEnded" }
  for (const [index, call] of move.calls.entries()) {
    const text = argumentsText(call)
    characters += call.tool.length + text.length
    // Unique in a conversation without a counter: prompts and steps only grow in number.
    const id = `call_${evidence.promptNumber}_${evidence.stepNumber}_${index + 1}`
    yield { _tag: "ToolCallStarted", id, name: call.tool }
    yield* Deltas.stream(text, options)
    yield { _tag: "BlockEnded" }
  }
  yield { _tag: "UsageReported", tokens: GuideUsage.estimate(request, characters) }
  yield { _tag: "Finished", stopReason: move.calls.length > 0 ? "toolUse" : "stop" }
}
