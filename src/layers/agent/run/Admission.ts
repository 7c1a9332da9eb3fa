/** How messages get into a session: a prompt starts a run or waits for one, the others wait; what was sent before is found again. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type UserMessage, userMessage } from "../../../domain/conversation/Message.ts"
import type { QueueName } from "../../../domain/conversation/MessageQueue.ts"
import {
  type AgentBusy,
  AgentClosing,
  type MessageInput,
  type PromptInput,
  type PromptReceipt
} from "../../../services/Agent.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { Gate } from "./Gate.ts"
import type { Inbox } from "../inbox/Inbox.ts"
import * as ModelCall from "./ModelCall.ts"
import type { AcceptedPrompt } from "./RunLifecycle.ts"
import type { ClientMessage } from "../inbox/ClientMessages.ts"

interface Dependencies<Refused> {
  readonly ids: typeof Ids.Service
  readonly now: () => number
  readonly session: typeof Session.Service
  readonly inbox: Inbox
  /** OpenPrompts are accepted one at a time, and not while the session changes. */
  readonly gate: Gate
  /** Everything that can refuse a prompt beside a run that goes on. The first model call may be open when it returns. */
  readonly admit: (message: UserMessage) => Effect.Effect<ModelCall.ModelCall | undefined, Refused>
  /** Not while a compaction alone keeps the session busy: nothing would deliver what is queued then. */
  readonly isRunning: () => boolean
  /** Returns when the run has begun. */
  readonly begin: (prompt: AcceptedPrompt) => Effect.Effect<void>
}

type Accepted = (receipt: PromptReceipt) => Effect.Effect<void>

const named = ({ clientMessageId }: MessageInput) => (clientMessageId === undefined ? {} : { clientMessageId })

const repeated = ({ receipt }: ClientMessage): PromptReceipt => ({ ...receipt, duplicate: true })

/** What is left to do where it comes to nothing. Nothing is interrupted here. */
const otherwise = <A, E>(effect: Effect.Effect<A, E>, undo: Effect.Effect<void>): Effect.Effect<A, E> =>
  Effect.catchAllCause(effect, (cause) => Effect.zipRight(undo, Effect.failCause(cause)))

/** Until the run has it, the call is ours to close. */
const owned = <A, E>(effect: Effect.Effect<A, E>, call: ModelCall.ModelCall | undefined): Effect.Effect<A, E> =>
  call === undefined ? effect : otherwise(effect, ModelCall.close(call, Exit.void))

export const make = <Refused>(dependencies: Dependencies<Refused>) => {
  const { admit, begin, gate, ids, inbox, isRunning, now, session } = dependencies
  const { occupancy, prompts, queues, clientMessages } = inbox

  const takesMessages = () => occupancy.isBusy() && isRunning()

  /** What became of the message when it was sent before. */
  const earlier = (input: MessageInput) => {
    if (input.clientMessageId === undefined) return Effect.succeed(undefined)
    return clientMessages.find(input.clientMessageId, userMessage(input.text, input.images ?? [], 0).content)
  }

  const repeat = Effect.fnUntraced(function* (known: ClientMessage, input: MessageInput, accepted: Accepted) {
    const receipt = repeated(known)
    yield* accepted(receipt)
    if (!prompts.join(receipt.messageId, input.requestId) && known.end !== undefined) {
      prompts.report(input.requestId, known.end, !occupancy.isBusy())
    }
    return receipt
  })

  const put = (queue: QueueName, input: MessageInput): PromptReceipt => {
    const { images = [], text } = input
    const messageId = ids.next("message")
    const request = input.requestId === undefined ? {} : { requestId: input.requestId }
    const waiting = { messageId, ...named(input), ...request, queue, text, images, createdAt: now() }
    const idle = takesMessages() ? {} : ({ idle: true } as const)
    const receipt: PromptReceipt = { disposition: "queued", messageId, ...named(input), ...idle }
    clientMessages.remember({ content: userMessage(text, images, 0).content, receipt })
    queues.add(waiting)
    return receipt
  }

  /** `accepted` has its say between the message being stored and the first event of the run. */
  const start = (input: PromptInput, accepted: Accepted) => {
    const message: UserMessage = userMessage(input.text, input.images ?? [], now())
    const since = queues.nextOrder()
    return Effect.flatMap(admit(message), (ahead) => {
      const runId = ids.next("run")
      const messageId = ids.next("message")
      const request = input.requestId === undefined ? {} : { requestId: input.requestId }
      const receipt: PromptReceipt = { disposition: "started", runId, messageId, ...named(input) }
      const stored = Effect.flatMap(session.append({ type: "message", message, messageId, ...named(input) }), () => {
        // From here to the run nothing waits but for `accepted`.
        occupancy.accepted()
        prompts.accept(messageId, input.requestId, runId)
        clientMessages.remember({ content: message.content, receipt })
        return accepted(receipt)
      })
      const opened = ahead === undefined ? {} : { ahead }
      const begun = Effect.suspend(() =>
        begin({ runId, messageId, ...named(input), ...request, message, since, ...opened })
      )
      return Effect.as(Effect.zipRight(owned(stored, ahead), begun), receipt)
    })
  }

  /** A prompt that waits for the run, where there is one and it may. */
  const join = (input: PromptInput): PromptReceipt | undefined => {
    if (input.whenBusy === undefined || !takesMessages() || occupancy.isClosing()) return undefined
    const receipt = put(input.whenBusy, input)
    prompts.accept(receipt.messageId, input.requestId)
    return receipt
  }

  const refused = Effect.suspend(() => {
    occupancy.accepted()
    return occupancy.release
  })

  const admitNew = (
    input: PromptInput,
    accepted: Accepted
  ): Effect.Effect<PromptReceipt, AgentBusy | AgentClosing | Refused> => {
    const waiting = join(input)
    if (waiting !== undefined) return Effect.as(accepted(waiting), waiting)
    const busy = occupancy.claim()
    if (busy !== undefined) return busy
    occupancy.accept()
    return otherwise(start(input, accepted), refused)
  }

  const prompt = (input: PromptInput, accepted: Accepted = () => Effect.void) =>
    gate.throughWhole(
      input.clientMessageId === undefined
        ? Effect.suspend(() => admitNew(input, accepted))
        : Effect.flatMap(earlier(input), (known) =>
            known === undefined ? admitNew(input, accepted) : repeat(known, input, accepted)
          )
    )

  const enqueue = Effect.fn("Agent.enqueue")(function* (queue: QueueName, input: MessageInput) {
    const known = yield* earlier(input)
    if (known !== undefined) return repeated(known)
    if (occupancy.isClosing()) return yield* new AgentClosing()
    return put(queue, input)
  }, Effect.uninterruptible)

  return { prompt, enqueue, isKnown: clientMessages.isKnown }
}
