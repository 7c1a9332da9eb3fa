/** Starting, steering and stopping runs (protocol.md 3.1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { described, ImageContent, optional } from "../../domain/conversation/Content.ts"
import { keyAdvice } from "../../domain/model/ProviderKeys.ts"
import { defined } from "../../domain/Values.ts"
import { Agent, type PromptReceipt, type PromptRejected, type QueueingRejected } from "../../services/Agent.ts"
import { Inbox } from "../../services/session/Inbox.ts"
import { Sessions } from "../../services/session/Sessions.ts"
import { AbortQueue } from "../../services/Settings.ts"
import * as Command from "../Command.ts"
import { Cleared, RestoredQueue, toCleared, toRestored } from "../protocol/QueueFrames.ts"
import { Attachment } from "../protocol/Attachments.ts"
import { type Input, readInput } from "../protocol/Images.ts"
import { queueFull } from "./queue.ts"

const Message = Schema.Struct({
  message: Schema.String,
  images: optional(Schema.Array(ImageContent)),
  /** The host's own id for the message. */
  clientMessageId: optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(128)))
})

const Prompt = Schema.Struct({
  ...Message.fields,
  attachments: optional(Schema.Array(Attachment)),
  streamingBehavior: optional(Schema.Literal("steer", "followUp"))
})

const Disposition = Schema.Struct({
  disposition: described(
    Schema.Literal("started", "queued", "handled"),
    "`started` a run, `queued` for a run, or `handled` by a slash command or an extension."
  ),
  runId: optional(Schema.String),
  messageId: optional(Schema.String),
  clientMessageId: optional(Schema.String),
  agentInvoked: optional(Schema.Boolean, "`false`: the prompt has already ended, and no `prompt_result` follows."),
  duplicate: optional(Schema.Boolean, "The same `clientMessageId` was sent before; nothing happened."),
  queued: optional(Schema.Boolean),
  idle: optional(Schema.Boolean, "Queued while no run is active; the next prompt takes it."),
  cleared: optional(Cleared, "The texts of queued messages that were handed back.")
}).annotations({ identifier: "PromptDisposition", description: "What became of a message." })

const toDisposition = ({ idle, ...receipt }: PromptReceipt): typeof Disposition.Type => ({
  ...receipt,
  ...(idle === undefined ? {} : { queued: true, idle })
})

const rejection = (error: PromptRejected | QueueingRejected): Command.CommandFailure => {
  switch (error._tag) {
    case "AgentBusy":
      return new Command.CommandFailure({ code: "busy", message: error.message })
    case "AgentClosing":
      return new Command.CommandFailure({ code: "closing", message: error.message })
    case "PromptWithdrawn":
      return new Command.CommandFailure({ code: "aborted", message: error.message })
    case "NoModelSelected":
      return new Command.CommandFailure({ code: "no_model", message: error.message })
    case "QueueFull":
      return queueFull(error)
    case "ClientMessageConflict":
      return new Command.CommandFailure({ code: "client_message_conflict", message: error.message })
    case "CommandNotQueueable":
      return new Command.CommandFailure({ code: "command_not_queueable", message: error.message })
    case "SlashCommandFailed":
      return new Command.CommandFailure({ code: "command_failed", message: `/${error.command}: ${error.message}` })
    case "MissingCredentials":
      return new Command.CommandFailure({
        code: "missing_credentials",
        message: `No API key found for ${error.provider}. ${keyAdvice(error.provider)}`
      })
    case "NoPrice":
      return new Command.CommandFailure({ code: "no_price", message: error.message })
    case "BudgetExceeded":
      return new Command.CommandFailure({
        code: "budget_exceeded",
        message: `Session budget exceeded (${error.reason}). Further prompts are rejected.`
      })
  }
}

const queueing = ["closing", "aborted", "client_message_conflict", "queue_full", "command_failed", "budget_exceeded"]
const rejections = ["busy", "no_model", "missing_credentials", "no_price", ...queueing]

/** The checked text and images of a command, with the ids that the host gave it. */
const read = (
  name: string,
  params: Partial<typeof Prompt.Type> & { readonly message: string },
  request: Partial<Pick<Command.Request, "id">>
) =>
  Either.mapBoth(readInput(params), {
    onLeft: (detail) =>
      new Command.CommandFailure({ code: "invalid_params", message: `Invalid ${name} command: ${detail}` }),
    onRight: (input: Input) => ({
      ...input,
      ...defined({ requestId: request.id, clientMessageId: params.clientMessageId })
    })
  })

const queues = { steer: "steering", followUp: "followUp" } as const

export const prompt = Command.make({
  name: "prompt",
  lane: "prompting",
  summary: "Sends a user message: starts a run, or with `streamingBehavior` joins the active one.",
  notes:
    "The response says that the prompt was accepted, and comes before `agent_start`; after that there are only events. " +
    "Every accepted prompt ends with exactly one `prompt_result` with the id of the request, every run with one `agent_end`. " +
    "During a run a prompt without `streamingBehavior` is refused with `busy`; on an idle session that member has no effect. " +
    "A message that starts with the name of a slash command runs it, also during a run: the answer is `handled`, and no run belongs to it. " +
    "It has `agentInvoked: false` if the command has ended; otherwise a `prompt_result` follows. " +
    "Prompt templates and skills are replaced by their texts. " +
    "The same `clientMessageId` and content again do nothing and answer with `duplicate`; other content is a `client_message_conflict`.",
  origin: ["pi", "omp", "xcsh"],
  params: Prompt,
  result: Disposition,
  errors: rejections,
  run: (params, request) => {
    const input = read("prompt", params, request)
    if (Either.isLeft(input)) return input.left
    const busy = params.streamingBehavior === undefined ? {} : { whenBusy: queues[params.streamingBehavior] }
    // The response goes out between acceptance and the first event of the run.
    const accepted = (receipt: PromptReceipt) => {
      if (receipt.messageId !== undefined) request.connection.echoes?.keep(receipt.messageId, params.attachments)
      return request.answer(toDisposition(receipt))
    }
    const sent = Effect.flatMap(Agent, (agent) => agent.prompt({ ...input.right, ...busy }, accepted))
    return Effect.mapBoth(sent, { onFailure: rejection, onSuccess: toDisposition })
  }
})

const enqueue = (name: "steer" | "follow_up", queue: "steering" | "followUp", summary: string) =>
  Command.make({
    name,
    lane: "prompting",
    summary,
    notes:
      "On an idle session the message waits for the next run, whose first turn takes it after the prompt; the answer then has `idle`. " +
      "No `prompt_result` follows. Slash commands are refused, except for those that stand for a text.",
    origin: ["pi", "omp", "xcsh"],
    params: Message,
    result: Disposition,
    errors: [...queueing, "command_not_queueable"],
    run: Effect.fnUntraced(function* (params, request) {
      const agent = yield* Agent
      const input = yield* read(name, params, request)
      return toDisposition(yield* Effect.mapError(agent.enqueue(queue, input), rejection))
    })
  })

const steer = enqueue(
  "steer",
  "steering",
  "Queues a message for the next model call of the active run; in `immediate` mode the remaining tool calls are skipped."
)
const followUp = enqueue("follow_up", "followUp", "Queues a message for when the model would stop.")

const currentAgent = (sessions: typeof Sessions.Service) => Effect.map(sessions.current, Context.get(Agent))

type HandBack = (typeof Inbox.Service)["handBack"]

const nothing: HandBack = Effect.succeed([])

/** The `data` of a response that hands messages back. */
type ToData = (items: Effect.Effect.Success<HandBack>) => object | undefined

/** There is none where no message is handed back. */
const clearedData: ToData = (items) => {
  const data = toCleared(items)
  return data.cleared === undefined ? undefined : data
}

const dataBy = (handBack: HandBack, toData = clearedData) => Effect.map(handBack, toData)

/**
 * Stops the run, and returns the effect that hands the queue back then. A host that cancels the command meanwhile gets
 * what is in the queue at that moment; what it sends later stays queued.
 */
const stop = (inbox: typeof Inbox.Service, request: Command.Request, before = nothing, toData = clearedData) =>
  Effect.suspend(() => {
    const handBack = Effect.zipWith(before, inbox.handBack, (first, rest) => [...first, ...rest])
    const isWanted = request.whenCancelled(dataBy(handBack, toData))
    return Effect.as(isWanted ? inbox.halt : Effect.void, handBack)
  })

/** A command that the host sends twice must not stop the run that it started the first time. */
const stopUnlessKnown = Effect.fnUntraced(function* (
  clientMessageId: string | undefined,
  request: Command.Request,
  before = nothing
) {
  const inbox = yield* Inbox
  if (clientMessageId !== undefined && (yield* inbox.isKnown(clientMessageId))) return before
  const { abortQueue } = yield* Ref.get(request.connection.preferences)
  if (abortQueue === "keep") return yield* Effect.as((yield* Agent).abort({ queue: "keep" }), before)
  return yield* stop(inbox, request, before)
})

/** Ends at once what holds an abort back, and what begins before its turn. */
const endBefore = Effect.fnUntraced(function* (position: Command.Position) {
  const sessions = yield* Sessions
  if (position.isFar) yield* Effect.flatMap(currentAgent(sessions), ({ abort }) => abort({ queue: "keep" }))
  yield* Command.aheadIn(position, (session) => Context.get(session, Inbox).withdrawUntil(position))
})

/** Ends what runs. Unless `keeps` says otherwise, what is queued is handed back. */
const end = Effect.fnUntraced(function* (request: Command.Request, keeps: boolean, toData: ToData) {
  if (keeps) return yield* Effect.zipRight((yield* Agent).abort({ queue: "keep" }), request.answer())
  yield* Command.answering(request, dataBy(yield* stop(yield* Inbox, request, nothing, toData), toData))
})

export const abort = Command.make({
  name: "abort",
  lane: "ending",
  summary: "Stops the active run and answers after its `agent_end`; succeeds also when nothing runs.",
  notes:
    "A prompt sent before the abort is stopped, too, even when both arrive together: its run starts and ends, or the prompt is refused with `aborted` if it was still being checked. " +
    'Queued messages are handed back as `cleared`; with `queue: "keep"` they stay for the next run.',
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ queue: optional(AbortQueue) }),
  result: Schema.Struct({ cleared: optional(Cleared) }),
  heldBack: endBefore,
  run: ({ queue }, request) =>
    Effect.flatMap(Ref.get(request.connection.preferences), ({ abortQueue }) =>
      Effect.as(end(request, (queue ?? abortQueue) === "keep", clearedData), {})
    )
})

/** Hosts read the members at the top; `cleared` is where `abort` has them. */
const restoredData = (items: Parameters<ToData>[0]) => {
  const restored = toRestored(items)
  return { ...restored, cleared: restored }
}

const abortAndRestoreQueue = Command.make({
  name: "abort_and_restore_queue",
  lane: "ending",
  summary: "`abort`, with the messages that it takes out of the queue as they were sent, to be edited and sent again.",
  notes: "They are handed back also where aborts keep the queue. Custom messages of extensions are not among them.",
  origin: ["omp"],
  params: Command.noParams,
  result: Schema.Struct({ ...RestoredQueue.fields, cleared: RestoredQueue }),
  heldBack: endBefore,
  run: (_, request) => Effect.as(end(request, false, restoredData), restoredData([]))
})

export const abortAndPrompt = Command.makeAhead({
  name: "abort_and_prompt",
  lane: "holding",
  summary: "Stops the active run, then sends a user message.",
  notes:
    "One response, after the old run's `agent_end` and before the new `agent_start`. Queued messages are handed back as `cleared`, as by `abort`. " +
    "A command of the wrong shape is refused when it arrives, and stops nothing.",
  origin: ["omp", "xcsh"],
  params: Message,
  result: Disposition,
  errors: rejections,
  onArrival: (params) =>
    Either.map(
      read("abort_and_prompt", params, {}),
      () => (request) =>
        Effect.withFiberRuntime((fiber) =>
          stopUnlessKnown(params.clientMessageId, request, Effect.as(Fiber.interrupt(fiber), []))
        )
    ),
  run: (params, request, arrived) =>
    Effect.gen(function* () {
      const agent = yield* Agent
      const input = yield* read("abort_and_prompt", params, request)
      // Earlier commands may have started a run or queued messages since.
      const handBack = yield* stopUnlessKnown(params.clientMessageId, request, yield* arrived)
      const given = (data: object | undefined) => request.whenCancelled(Effect.succeed(data))
      const data = yield* Effect.uninterruptible(Effect.tap(dataBy(handBack), (data) => given(data)))
      const answer = (receipt: PromptReceipt) => ({ ...toDisposition(receipt), ...data })
      return yield* Effect.mapBoth(
        agent.prompt(input, (receipt) => request.answer(answer(receipt))),
        {
          onFailure: (error) => {
            const { code, message } = rejection(error)
            return new Command.CommandFailure({ code, message, data })
          },
          onSuccess: answer
        }
      )
    })
})

export const commands = [prompt, steer, followUp, abort, abortAndRestoreQueue, abortAndPrompt]
