/**
 * Where messages enter a session: a prompt starts a run or joins the queue, other messages join the queue, and one
 * that was sent before is recognised. The fiber of the run checks and stores its prompt before it begins.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { toUserMessage, userContent, type UserMessage } from "../../../domain/conversation/Message.ts"
import type { QueueName } from "../../../domain/conversation/MessageQueue.ts"
import {
  AgentClosing,
  type MessageInput,
  type PromptInput,
  type PromptReceipt,
  type PromptRejected,
  PromptWithdrawn
} from "../../../services/Agent.ts"
import type { SessionBudget } from "../../../services/Budget.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { ClientMessage, ClientMessages, MessageReceipt } from "../inbox/ClientMessages.ts"
import type { LateRecords } from "../inbox/LateRecords.ts"
import type { OpenPrompts } from "../inbox/OpenPrompts.ts"
import type { SessionQueue } from "../inbox/SessionQueue.ts"
import type { Carried, SlashCommands } from "../inbox/SlashCommands.ts"
import type { ModelInForce } from "../model/ModelInForce.ts"
import { exclusively } from "../../Sharing.ts"
import * as RunNodes from "../nodes/RunNodes.ts"
import type { RunFiber } from "./RunFiber.ts"
import type { AcceptedPrompt } from "./RunLifecycle.ts"
import type { RunState } from "./RunState.ts"

interface Dependencies {
  readonly ids: typeof Ids.Service
  readonly now: () => number
  readonly session: typeof Session.Service
  readonly budget: SessionBudget
  readonly model: ModelInForce
  readonly state: RunState
  readonly late: LateRecords
  readonly clientMessages: ClientMessages
  readonly prompts: OpenPrompts
  readonly queue: SessionQueue
  readonly slash: SlashCommands
  /** Prompts are accepted one at a time, and not while the session changes. */
  readonly gate: Effect.Semaphore
  /** Announces that a prompt is being checked, so that a waiting abort withdraws it. */
  readonly accepting: () => void
  readonly fiber: RunFiber
  /** Calls `begun` when the first event of the run was published. */
  readonly run: (prompt: AcceptedPrompt, begun: () => void) => Effect.Effect<void>
}

type Accepted = (receipt: PromptReceipt) => Effect.Effect<void>

const named = ({ clientMessageId }: MessageInput) => (clientMessageId === undefined ? {} : { clientMessageId })
const requested = ({ requestId }: MessageInput) => (requestId === undefined ? {} : { requestId })

const repeated = ({ receipt }: ClientMessage): MessageReceipt => ({ ...receipt, duplicate: true })

/** No message was stored for a handled prompt, so its id is nothing to the sender. */
const told = (receipt: MessageReceipt): PromptReceipt => {
  const { messageId: _, ...handled } = receipt
  return receipt.disposition === "handled" ? handled : receipt
}

/** A prompt that finds the session free: its acceptance and its run are one fiber. */
const makeStart = (dependencies: Dependencies) => {
  const { budget, clientMessages, fiber, ids, late, model, now, prompts, queue, run, session, state } = dependencies

  /** Everything that can refuse a prompt, in the order in which a host is told (protocol.md 3.1). */
  const check = Effect.zipRight(budget.check, model.usable)

  const store = (input: PromptInput, message: UserMessage, since: number) => {
    const [runId, messageId] = [ids.next("run"), ids.next("message")]
    const receipt: MessageReceipt = { disposition: "started", runId, messageId, ...named(input) }
    return Effect.map(session.append({ type: "message", message, messageId, ...named(input) }), () => {
      state.begin(runId)
      prompts.accept(messageId, input.requestId, runId)
      clientMessages.remember({ content: message.content, receipt })
      const prompt: AcceptedPrompt = { runId, messageId, ...named(input), ...requested(input), message, since }
      return { prompt, receipt }
    })
  }

  const refuse = (decided: Deferred.Deferred<PromptReceipt, PromptRejected>, cause: Cause.Cause<PromptRejected>) =>
    late.store.pipe(
      Effect.zipRight(Effect.sync(state.settle)),
      Effect.zipRight(
        Cause.isInterruptedOnly(cause)
          ? Deferred.fail(decided, new PromptWithdrawn())
          : Deferred.failCause(decided, cause)
      ),
      Effect.asVoid
    )

  /**
   * The whole life of a prompt that found the session free. An interrupt during the check withdraws it; from then on
   * it is a run that ends as aborted. `accepted` runs between the message being stored and the first event of the run.
   */
  const live = Effect.fnUntraced(function* (
    input: PromptInput,
    accepted: Accepted,
    decided: Deferred.Deferred<PromptReceipt, PromptRejected>
  ) {
    const message: UserMessage = toUserMessage(input, now())
    const since = queue.nextOrder()
    const checked = yield* Effect.exit(Effect.interruptible(check))
    if (Exit.isFailure(checked)) return yield* refuse(decided, checked.cause)
    const { prompt, receipt } = yield* store(input, message, since)
    const answered = yield* Effect.exit(Effect.interruptible(accepted(receipt)))
    const died = Exit.isFailure(answered) && !Cause.isInterruptedOnly(answered.cause)
    const decision = died ? Exit.failCause(answered.cause) : Exit.succeed(receipt)
    // Not before the first event: a prompt that is queued next may end at once, and says that a run goes on.
    yield* run(prompt, () => Deferred.unsafeDone(decided, decision))
  }, Effect.uninterruptible)

  const start = (input: PromptInput, accepted: Accepted) =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const busy = state.accept()
        if (busy !== undefined) return yield* busy
        const decided = yield* Deferred.make<PromptReceipt, PromptRejected>()
        const running = yield* fiber.start(live(input, accepted, decided))
        dependencies.accepting()
        const withdraw = Effect.suspend(() =>
          state.current()._tag === "Accepting" ? Fiber.interrupt(running) : Effect.void
        )
        return yield* Effect.onInterrupt(restore(Deferred.await(decided)), () => withdraw)
      })
    )

  return start
}

export const make = (dependencies: Dependencies) => {
  const { clientMessages, fiber, gate, ids, now, prompts, queue, slash, state } = dependencies
  const start = makeStart(dependencies)

  /** The receipt of the message, if it was sent before. */
  const earlier = (input: MessageInput) => {
    if (input.clientMessageId === undefined) return Effect.succeed(undefined)
    return clientMessages.find(input.clientMessageId, userContent(input))
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
  const answerHandled = (carried: Carried, input: PromptInput, accepted: Accepted) =>
    Effect.suspend(() => {
      const messageId = ids.next("message")
      const isOver = carried.end() !== undefined ? ({ agentInvoked: false } as const) : {}
      const receipt: MessageReceipt = { disposition: "handled", messageId, ...named(input), ...isOver }
      clientMessages.remember({ content: userContent(input), receipt })
      const shown = told(receipt)
      if (receipt.agentInvoked === false) return Effect.as(accepted(shown), shown)
      prompts.accept(messageId, input.requestId)
      const follow = Effect.sync(() => carried.whenEnded((end) => prompts.end(messageId, end)))
      return Effect.as(Effect.ensuring(accepted(shown), follow), shown)
    })

  /** Queues the message and answers when it is stored. `begun` is called in the same step as the message is queued. */
  const put = (to: QueueName, input: MessageInput, begun: (messageId: string) => void = () => {}) =>
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
        clientMessages.remember({ content: userContent(said), receipt })
        begun(messageId)
        return Effect.as(queue.add(waiting), receipt)
      })
    )

  /** A prompt that may wait joins the run that is under way. */
  const admit = (input: PromptInput, accepted: Accepted): Effect.Effect<PromptReceipt, PromptRejected> => {
    const { requestId, whenBusy } = input
    if (whenBusy === undefined || !state.takesMessages() || state.isClosing()) return start(input, accepted)
    return Effect.tap(
      put(whenBusy, input, (messageId) => prompts.accept(messageId, requestId)),
      accepted
    )
  }

  /** The first prompt with a name reads the session. An abort withdraws it, as it does during the check. */
  const load = Effect.suspend(() => {
    if (clientMessages.isLoaded()) return Effect.void
    return fiber.read(Effect.zipRight(Effect.sync(dependencies.accepting), clientMessages.load))
  })

  const admitText = (input: PromptInput, accepted: Accepted) => {
    const found = input.clientMessageId === undefined ? earlier(input) : Effect.zipRight(load, earlier(input))
    return Effect.flatMap(found, (known) =>
      known === undefined ? admit(input, accepted) : repeat(known, input, accepted)
    )
  }

  /** A prompt that begins with a slash: a command, a text that a command stands for, or a text like any other. */
  const admitSlash = Effect.fnUntraced(function* (given: PromptInput, accepted: Accepted) {
    const input = yield* slash.expand(given)
    if (input !== given) return yield* admitText(input, accepted)
    if (input.clientMessageId !== undefined) yield* load
    const known = yield* earlier(input)
    if (known !== undefined) return yield* repeat(known, input, accepted)
    const carried = state.isClosing() ? Option.none() : yield* slash.carryOut(input)
    return yield* Option.match(carried, {
      onNone: () => admit(input, accepted),
      onSome: (command) => answerHandled(command, input, accepted)
    })
  })

  const prompt = (input: PromptInput, accepted: Accepted = () => Effect.void) => {
    const answered = input.text.startsWith("/") ? admitSlash(input, accepted) : admitText(input, accepted)
    return RunNodes.prompt(input.requestId, exclusively(gate)(answered))
  }

  const enqueue = Effect.fn("Agent.enqueue")(function* (to: QueueName, given: MessageInput) {
    yield* slash.queueable(given)
    const input = yield* slash.expand(given)
    const known = yield* earlier(input)
    if (known !== undefined) return told(repeated(known))
    if (state.isClosing()) return yield* new AgentClosing()
    return yield* put(to, input)
  })

  return { prompt, enqueue, isKnown: clientMessages.isKnown }
}
