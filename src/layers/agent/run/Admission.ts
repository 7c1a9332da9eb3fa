/**
 * Where messages enter a session: a prompt starts a run or joins the queue, other messages join the queue, and one
 * that was sent before is recognised. The fiber of the run checks and stores its prompt before it begins.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CustomInput, userContent } from "../../../domain/conversation/Message.ts"
import type { RunQueueName } from "../../../domain/conversation/MessageQueue.ts"
import {
  AgentClosing,
  type MessageInput,
  type PromptInput,
  type PromptReceipt,
  type PromptRejected
} from "../../../services/Agent.ts"
import type { Startup } from "../../hooks/Startup.ts"
import type { HookRegistry } from "../../hooks/HookRegistry.ts"
import type { ClientMessage, MessageReceipt } from "../inbox/ClientMessages.ts"
import type { EventRelay } from "../events/EventRelay.ts"
import * as Hearing from "../inbox/Hearing.ts"
import type { Carried, SlashCommands } from "../inbox/SlashCommands.ts"
import { exclusively } from "../../Sharing.ts"
import * as RunNodes from "../nodes/RunNodes.ts"
import * as RunStart from "./RunStart.ts"
import { type Accepted, named, requested, sentBy, type Taken } from "./RunStart.ts"

interface Dependencies extends RunStart.Dependencies {
  readonly slash: SlashCommands
  /** Prompts are accepted one at a time, and not while the session changes. */
  readonly gate: Effect.Semaphore
  readonly startup: Startup
  readonly loading: Hearing.Loading
  readonly hooks: HookRegistry
  readonly relay: EventRelay
}

const saidBy = ({ source = "host", whenBusy }: PromptInput) =>
  whenBusy === undefined ? { source } : { source, whenBusy }

const repeated = ({ receipt }: ClientMessage): MessageReceipt => ({ ...receipt, duplicate: true })

/** No message was stored for a handled prompt, so its id is nothing to the sender. */
const told = (receipt: MessageReceipt): PromptReceipt => {
  const { messageId: _, ...handled } = receipt
  return receipt.disposition === "handled" ? handled : receipt
}

export const make = (dependencies: Dependencies) => {
  const { budget, clientMessages, fiber, gate, ids, now, prompts, queue, state } = dependencies
  const start = RunStart.make(dependencies)
  const hearing = Hearing.make(dependencies)

  /** Waits for a part of the preparation, in which an abort withdraws the message. */
  const preparing = <A, E>(part: Effect.Effect<A, E>) =>
    fiber.read(Effect.zipRight(Effect.sync(dependencies.accepting), part))

  /** The receipt of the message, if it was sent before. */
  const earlier = (input: Taken) => {
    if (input.clientMessageId === undefined) return Effect.succeed(undefined)
    return clientMessages.find(input.clientMessageId, sentBy(input))
  }

  const repeat = Effect.fnUntraced(function* (known: ClientMessage, input: MessageInput, accepted: Accepted) {
    const receipt = repeated(known)
    const shown = told(receipt)
    yield* accepted(shown)
    if (receipt.agentInvoked === false) return shown
    if (!prompts.join(receipt.messageId, input.requestId) && known.end !== undefined) {
      prompts.report(input.requestId, known.end)
    }
    return shown
  })

  /** Answers a prompt that a slash command has taken the place of. The report of its end comes after the answer. */
  const answerHandled = (carried: Carried, input: Taken, accepted: Accepted, messageId: string) =>
    Effect.suspend(() => {
      const isOver = carried.end() !== undefined ? ({ agentInvoked: false } as const) : {}
      const receipt: MessageReceipt = { disposition: "handled", messageId, ...named(input), ...isOver }
      clientMessages.remember({ content: sentBy(input), receipt })
      const shown = told(receipt)
      if (receipt.agentInvoked === false)
        return Effect.as(Effect.zipRight(prompts.withdraw(messageId), accepted(shown)), shown)
      const follow = Effect.sync(() => carried.whenEnded((end) => prompts.end(messageId, end)))
      return Effect.as(Effect.ensuring(accepted(shown), follow), shown)
    })

  /** Queues the message and answers when it is stored. `begun` is called in the same step as the message is queued. */
  const put = (to: RunQueueName, input: Taken, begun: (messageId: string) => void = () => {}) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const { documents, images = [], text } = input
        const said = documents === undefined ? { text, images } : { text, images, documents }
        const full = queue.refusal(said)
        if (full !== undefined) return full
        const messageId = ids.next("message")
        const waiting = { messageId, ...named(input), ...requested(input), queue: to, ...said, createdAt: now() }
        const idle = state.takesMessages() ? {} : ({ idle: true } as const)
        const receipt: MessageReceipt = { disposition: "queued", messageId, ...named(input), ...idle }
        clientMessages.remember({ content: sentBy(input), receipt })
        begun(messageId)
        return Effect.as(queue.add(waiting), receipt)
      })
    )

  /** A prompt that may wait joins the run that is under way. */
  const admit = (input: Taken, accepted: Accepted): Effect.Effect<PromptReceipt, PromptRejected> => {
    const { whenBusy } = input
    if (whenBusy === undefined || !state.takesMessages() || state.isClosing()) return start(input, accepted)
    const queued = put(whenBusy, input, (messageId) => prompts.accept(messageId, input))
    // An abort withdraws it while it is checked, like any prompt.
    const affordable = budget.isLimited() ? fiber.read(budget.check) : Effect.void
    return Effect.tap(Effect.zipRight(affordable, queued), accepted)
  }

  /** The first prompt with a name reads the session. An abort withdraws it, as it does during the check. */
  const load = Effect.suspend(() => {
    if (clientMessages.isLoaded()) return Effect.void
    return fiber.read(Effect.zipRight(Effect.sync(dependencies.accepting), clientMessages.load))
  })

  const known = (input: Taken) =>
    input.clientMessageId === undefined ? earlier(input) : Effect.zipRight(load, earlier(input))

  /** Takes the prompt as it is, or finds that it was sent before. */
  const take = (input: Taken, accepted: Accepted) =>
    Effect.flatMap(known(input), (before) =>
      before === undefined ? admit(input, accepted) : repeat(before, input, accepted)
    ).pipe(exclusively(gate))

  /** The prompt is accepted when its text is prepared, however long hooks take (supplement 1.2). */
  const takeHeard = Effect.fnUntraced(function* (given: PromptInput, accepted: Accepted) {
    const input: Taken = { ...given, sent: userContent(given) }
    const before = yield* known(input)
    if (before !== undefined) return yield* exclusively(gate)(repeat(before, input, accepted))
    if (!hearing.isStarted()) yield* preparing(hearing.started)
    const messageId = ids.next("message")
    const begun = () => prompts.accept(messageId, input)
    const carried = yield* Effect.onInterrupt(hearing.carryOut(input, begun), () => prompts.withdraw(messageId))
    if (Option.isSome(carried)) return yield* answerHandled(carried.value, input, accepted, messageId)
    const heard = yield* preparing(hearing.listen(input, saidBy(input)))
    if (heard._tag === "Said") return yield* take(heard.input, accepted)
    return yield* answerHandled(heard.command, input, accepted, messageId)
  })

  const prompt = (input: PromptInput, accepted: Accepted = () => Effect.void) =>
    RunNodes.prompt(input.requestId, hearing.isPlain(input) ? take(input, accepted) : takeHeard(input, accepted))

  const queueUp = Effect.fnUntraced(function* (to: RunQueueName, input: Taken) {
    if (state.isClosing()) return yield* new AgentClosing()
    yield* budget.check
    return yield* put(to, input)
  })

  const enqueue = Effect.fn("Agent.enqueue")(function* (to: RunQueueName, given: MessageInput) {
    const before = yield* earlier(given)
    if (before !== undefined) return told(repeated(before))
    if (hearing.isPlain(given)) return yield* queueUp(to, given)
    const input: Taken = { ...given, sent: userContent(given) }
    const from = { source: input.source ?? "host", whenBusy: to }
    const heard = yield* preparing(hearing.hearQueued(input, from))
    if (heard._tag === "Said") return yield* queueUp(to, heard.input)
    return yield* answerHandled(heard.command, input, () => Effect.void, ids.next("message"))
  })

  /** A run without a prompt, which begins with a custom message. */
  const begin = (custom: CustomInput) => {
    const started = start({ text: "", source: "extension", custom }, () => Effect.void)
    return RunNodes.prompt(undefined, exclusively(gate)(started))
  }

  return { begin, contract: { prompt, enqueue, isKnown: clientMessages.isKnown } }
}
