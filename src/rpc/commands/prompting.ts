/** Starting and stopping runs (protocol.md 3.1). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ImageContent, optional } from "../../domain/Content.ts"
import { keyAdvice } from "../../domain/ProviderKeys.ts"
import { Agent, type PromptReceipt, type PromptRejected } from "../../services/Agent.ts"
import * as Command from "../Command.ts"
import { Attachment, readInput } from "../protocol/Images.ts"
import { lazy, type Type } from "../../domain/Lazy.ts"

const Prompt = lazy(() =>
  Schema.Struct({
    message: Schema.String,
    images: optional(Schema.Array(ImageContent())),
    attachments: optional(Schema.Array(Attachment())),
    streamingBehavior: optional(Schema.Literal("steer", "followUp"))
  })
)

const Started = lazy(() =>
  Schema.Struct({
    disposition: Schema.Literal("started", "queued", "handled"),
    messageId: Schema.String,
    runId: Schema.String
  }).annotations({ identifier: "PromptDisposition" })
)

const started = (receipt: PromptReceipt): Type<typeof Started> => ({ disposition: "started", ...receipt })

const rejection = (error: PromptRejected): Command.CommandFailure => {
  switch (error._tag) {
    case "AgentBusy":
      return new Command.CommandFailure({ code: "busy", message: error.message })
    case "AgentClosing":
      return new Command.CommandFailure({ code: "closing", message: error.message })
    case "NoModelSelected":
      return new Command.CommandFailure({ code: "no_model", message: error.message })
    case "MissingCredentials":
      return new Command.CommandFailure({
        code: "missing_credentials",
        message: `No API key found for ${error.provider}. ${keyAdvice(error.provider)}`
      })
    case "BudgetExceeded":
      return new Command.CommandFailure({
        code: "budget_exceeded",
        message: `Session budget exceeded (${error.reason}). Further prompts are rejected.`
      })
  }
}

const rejections = ["busy", "closing", "no_model", "missing_credentials", "budget_exceeded"]

/** The response goes out between acceptance and the first event of the run, so that hosts see them in that order. */
const submit = (name: string) =>
  Effect.fnUntraced(function* (params: Type<typeof Prompt>, request: Command.Request) {
    const agent = yield* Agent
    const input = yield* Effect.mapError(
      readInput(params),
      (detail) => new Command.CommandFailure({ code: "invalid_params", message: `Invalid ${name} command: ${detail}` })
    )
    const requestId = request.id === undefined ? {} : { requestId: request.id }
    const receipt = yield* Effect.mapError(
      agent.prompt({ ...input, ...requestId }, (accepted) => request.answer(started(accepted))),
      rejection
    )
    return started(receipt)
  })

const submitPrompt = submit("prompt")
const submitAfterAbort = submit("abort_and_prompt")

export const prompt = Command.make({
  name: "prompt",
  lane: "ordered",
  summary: "Sends a user message and starts a run.",
  notes:
    "The response says that the prompt was accepted; it is written before `agent_start`, and everything after that is events. " +
    "Every accepted prompt ends with exactly one `agent_end` and one `prompt_result` with the id of the request. " +
    "`streamingBehavior` on an idle session has no effect; queueing into a running one is not there yet, so a prompt during a run is refused.",
  origin: ["pi", "omp", "xcsh"],
  params: Prompt,
  result: Started,
  errors: rejections,
  run: submitPrompt
})

export const abort = Command.make({
  name: "abort",
  lane: "control",
  summary: "Stops the active run and answers after its `agent_end`; succeeds also when nothing runs.",
  notes:
    "A prompt that was sent before the abort is part of what it stops, also when both arrive together: that run starts and ends.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  run: Effect.fnUntraced(function* (_, request) {
    const agent = yield* Agent
    if (request.blocked) yield* agent.abort
    yield* agent.abortCompactions(request.earlier)
    yield* agent.abort
  })
})

export const abortAndPrompt = Command.make({
  name: "abort_and_prompt",
  lane: "holding",
  summary: "Stops the active run, then sends a user message.",
  notes: "One response, after the old run's `agent_end` and before the new `agent_start`.",
  origin: ["omp", "xcsh"],
  params: () => Schema.Struct({ message: Prompt().fields.message, images: Prompt().fields.images }),
  result: Started,
  errors: rejections,
  onArrival: Effect.flatMap(Agent, (agent) => agent.abort),
  run: Effect.fnUntraced(function* (params, request) {
    const agent = yield* Agent
    yield* agent.abort
    return yield* submitAfterAbort(params, request)
  })
})

export const commands = [prompt, abort, abortAndPrompt]
