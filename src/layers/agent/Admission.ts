/** How messages get into a session: a prompt starts a run or waits for one, the others wait; what was sent before is found again. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type UserMessage, userMessage } from "../../domain/Message.ts"
import type { QueueName } from "../../domain/MessageQueue.ts"
import { AgentClosing, type MessageInput, type PromptInput, type PromptReceipt } from "../../services/Agent.ts"
import type { Ids } from "../../services/Ids.ts"
import type { Session } from "../../services/Session.ts"
import type { Inbox } from "./Inbox.ts"
import type { AcceptedPrompt } from "./RunLifecycle.ts"
import type { Submission } from "./Submissions.ts"

interface Dependencies<Refused> {
  readonly ids: typeof Ids.Service
  readonly session: typeof Session.Service
  readonly inbox: Inbox
  /** Prompts are accepted one at a time, and not while the session changes. */
  readonly gate: Effect.Semaphore
  /** Everything that can refuse a prompt beside a run that goes on. */
  readonly admit: Effect.Effect<void, Refused>
  /** Not while a compaction alone keeps the session busy: nothing would deliver what is queued then. */
  readonly isRunning: () => boolean
  /** Returns when the run has begun. */
  readonly begin: (prompt: AcceptedPrompt) => Effect.Effect<void>
}

type Accepted = (receipt: PromptReceipt) => Effect.Effect<void>

const named = ({ clientMessageId }: MessageInput) => (clientMessageId === undefined ? {} : { clientMessageId })

const repeated = ({ receipt }: Submission): PromptReceipt => ({ ...receipt, duplicate: true })

export const make = <Refused>(dependencies: Dependencies<Refused>) => {
  const { admit, begin, gate, ids, inbox, isRunning, session } = dependencies
  const { occupancy, prompts, queues, submissions } = inbox

  const takesMessages = () => occupancy.isBusy() && isRunning()

  /** What became of the message when it was sent before. */
  const earlier = (input: MessageInput) => {
    if (input.clientMessageId === undefined) return Effect.succeed(undefined)
    return submissions.find(input.clientMessageId, userMessage(input.text, input.images ?? [], 0).content)
  }

  const repeat = Effect.fnUntraced(function* (known: Submission, input: MessageInput, accepted: Accepted) {
    const receipt = repeated(known)
    yield* accepted(receipt)
    if (!prompts.join(receipt.messageId, input.requestId) && known.end !== undefined) {
      prompts.report(input.requestId, known.end, !occupancy.isBusy())
    }
    return receipt
  })

  const item = Effect.fnUntraced(function* (queue: QueueName, input: MessageInput) {
    const createdAt = yield* Clock.currentTimeMillis
    const messageId = yield* ids.next("message")
    const request = input.requestId === undefined ? {} : { requestId: input.requestId }
    return { messageId, ...named(input), ...request, queue, text: input.text, images: input.images ?? [], createdAt }
  })

  const put = (waiting: Effect.Effect.Success<ReturnType<typeof item>>): PromptReceipt => {
    const { clientMessageId, images, messageId, text } = waiting
    const name = clientMessageId === undefined ? {} : { clientMessageId }
    const idle = takesMessages() ? {} : ({ idle: true } as const)
    const receipt: PromptReceipt = { disposition: "queued", messageId, ...name, ...idle }
    submissions.remember({ content: userMessage(text, images, 0).content, receipt })
    queues.add(waiting)
    return receipt
  }

  const start = Effect.fnUntraced(function* (input: PromptInput, accepted: Accepted) {
    yield* admit
    const message: UserMessage = userMessage(input.text, input.images ?? [], yield* Clock.currentTimeMillis)
    const runId = yield* ids.next("run")
    const messageId = yield* ids.next("message")
    const since = queues.nextOrder()
    yield* session.append({ type: "message", message, messageId, ...named(input) })
    const receipt: PromptReceipt = { disposition: "started", runId, messageId, ...named(input) }
    prompts.accept(messageId, input.requestId, runId)
    submissions.remember({ content: message.content, receipt })
    yield* accepted(receipt)
    const request = input.requestId === undefined ? {} : { requestId: input.requestId }
    yield* begin({ runId, messageId, ...named(input), ...request, message, since })
    return receipt
  })

  const prompt = Effect.fn("Agent.prompt")(
    function* (input: PromptInput, accepted: Accepted = () => Effect.void) {
      const known = yield* earlier(input)
      if (known !== undefined) return yield* repeat(known, input, accepted)
      if (input.whenBusy !== undefined && takesMessages() && !occupancy.isClosing()) {
        const waiting = yield* item(input.whenBusy, input)
        // Where the run has ended meanwhile, the prompt starts one of its own.
        if (occupancy.isBusy()) {
          prompts.accept(waiting.messageId, input.requestId)
          const receipt = put(waiting)
          return yield* Effect.as(accepted(receipt), receipt)
        }
      }
      yield* occupancy.claim
      return yield* Effect.onError(start(input, accepted), () => occupancy.release)
    },
    Effect.uninterruptible,
    gate.withPermits(1)
  )

  const enqueue = Effect.fn("Agent.enqueue")(function* (queue: QueueName, input: MessageInput) {
    const known = yield* earlier(input)
    if (known !== undefined) return repeated(known)
    if (occupancy.isClosing()) return yield* new AgentClosing()
    return put(yield* item(queue, input))
  }, Effect.uninterruptible)

  return { prompt, enqueue, isKnown: submissions.isKnown }
}
