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
import {
  type CustomInput,
  type InputMessage,
  toCustomMessage,
  toUserMessage,
  userContent,
  type UserMessage
} from "../../../domain/conversation/Message.ts"
import type { RunQueueName } from "../../../domain/conversation/MessageQueue.ts"
import * as QueueEntries from "../../../domain/session/QueueEntries.ts"
import type { InputContent } from "../../../domain/conversation/Content.ts"
import { entryOf } from "../../../domain/session/SessionContext.ts"
import {
  AgentClosing,
  type MessageInput,
  type PromptInput,
  type PromptReceipt,
  type PromptRejected,
  PromptWithdrawn
} from "../../../services/Agent.ts"
import type { SlashCommandFailed } from "../../../services/Commands.ts"
import type { SessionBudget } from "../../../services/Budget.ts"
import type { Startup } from "../../hooks/Startup.ts"
import type { HookRegistry } from "../../hooks/HookRegistry.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { ClientMessage, ClientMessages, MessageReceipt } from "../inbox/ClientMessages.ts"
import type { EventRelay } from "../events/EventRelay.ts"
import * as Hearing from "../inbox/Hearing.ts"
import type { Heard } from "../inbox/Hearing.ts"
import type { LateRecords } from "../inbox/LateRecords.ts"
import type { OpenPrompts } from "../inbox/OpenPrompts.ts"
import type { SessionQueue } from "../inbox/SessionQueue.ts"
import type { Carried, SlashCommands } from "../inbox/SlashCommands.ts"
import type { ModelInForce } from "../model/ModelInForce.ts"
import { exclusively } from "../../Sharing.ts"
import * as RunNodes from "../nodes/RunNodes.ts"
import type { RunFiber } from "./RunFiber.ts"
import type { AcceptedPrompt, LatePrompt } from "./RunLifecycle.ts"
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
  readonly startup: Startup
  readonly loading: Hearing.Loading
  readonly hooks: HookRegistry
  readonly relay: EventRelay
  /** Calls `begun` when the first event of the run was published. */
  readonly run: (prompt: AcceptedPrompt, begun: () => void) => Effect.Effect<void>
}

/** Hooks that still look at a prompt that was accepted meanwhile. */
type LateHearing = Effect.Effect<Heard<Taken>>

/** A message, and its content before hooks and commands have changed it: by that it is known when it is sent again. */
interface Taken extends PromptInput {
  readonly sent?: ReadonlyArray<InputContent>
}

const sentBy = (input: Taken) => input.sent ?? userContent(input)

/** How long the answer to a prompt may wait for hooks (supplement 1.2). */
const patienceMs = 5000

type Accepted = (receipt: PromptReceipt) => Effect.Effect<void>

/** A prompt, or a custom message in place of its text. */
interface StartInput extends PromptInput {
  readonly custom?: CustomInput
}

const named = ({ clientMessageId }: MessageInput) => (clientMessageId === undefined ? {} : { clientMessageId })
const requested = ({ requestId }: MessageInput) => (requestId === undefined ? {} : { requestId })

const saidBy = ({ source = "host", whenBusy }: PromptInput) =>
  whenBusy === undefined ? { source } : { source, whenBusy }

/** The preparation of a prompt that an abort has ended withdraws the prompt. */
const withdrawn = <A, E>(exit: Exit.Exit<A, E>): Effect.Effect<A, E | PromptWithdrawn> =>
  Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? new PromptWithdrawn() : exit

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

  /** A prompt that hooks still look at is stored as a queued message, so that a crash does not lose it. */
  const storeLate = (input: StartInput, messageId: string, hearing: LateHearing) => {
    const { documents, images = [], text } = input
    const said = documents === undefined ? { text, images } : { text, images, documents }
    const item = { messageId, ...named(input), queue: "followUp" as const, ...said, createdAt: now(), order: 0 }
    const say = (message: UserMessage) =>
      Effect.as(session.append({ type: "message", message, messageId, ...named(input) }), message)
    const late: LatePrompt = {
      settle: Effect.flatMap(hearing, (heard) =>
        heard._tag === "Said"
          ? say(toUserMessage(heard.input, now()))
          : Effect.as(session.append(QueueEntries.removed([item])), undefined)
      ),
      abandon: Effect.asVoid(say(toUserMessage(input, now())))
    }
    return Effect.as(session.append(QueueEntries.added([item])), { late })
  }

  const store = (input: StartInput, message: InputMessage, since: number, hearing: LateHearing | undefined) => {
    const [runId, messageId] = [ids.next("run"), ids.next("message")]
    const receipt: MessageReceipt = { disposition: "started", runId, messageId, ...named(input) }
    const stored =
      hearing === undefined
        ? Effect.as(session.append(entryOf(message, { messageId, ...named(input) })), {})
        : storeLate(input, messageId, hearing)
    return Effect.map(stored, (late) => {
      state.begin(runId)
      prompts.accept(messageId, input, runId)
      clientMessages.remember({ content: sentBy(input), receipt })
      const prompt: AcceptedPrompt = {
        runId,
        messageId,
        ...named(input),
        ...requested(input),
        message,
        since,
        ...late
      }
      return { prompt, receipt }
    })
  }

  const refuse = (decided: Deferred.Deferred<MessageReceipt, PromptRejected>, cause: Cause.Cause<PromptRejected>) =>
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
    input: StartInput,
    accepted: Accepted,
    decided: Deferred.Deferred<MessageReceipt, PromptRejected>,
    hearing: LateHearing | undefined
  ) {
    const message = input.custom === undefined ? toUserMessage(input, now()) : toCustomMessage(input.custom, now())
    const since = queue.nextOrder()
    const checked = yield* Effect.exit(Effect.interruptible(check))
    if (Exit.isFailure(checked)) return yield* refuse(decided, checked.cause)
    const { prompt, receipt } = yield* store(input, message, since, hearing)
    const answered = yield* Effect.exit(Effect.interruptible(accepted(receipt)))
    const died = Exit.isFailure(answered) && !Cause.isInterruptedOnly(answered.cause)
    const decision = died ? Exit.failCause(answered.cause) : Exit.succeed(receipt)
    // Not before the first event: a prompt that is queued next may end at once, and says that a run goes on.
    yield* run(prompt, () => Deferred.unsafeDone(decided, decision))
  }, Effect.uninterruptible)

  const start = (input: StartInput, accepted: Accepted, hearing?: LateHearing) =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const busy = state.accept()
        if (busy !== undefined) return yield* busy
        const decided = yield* Deferred.make<MessageReceipt, PromptRejected>()
        const running = yield* fiber.start(live(input, accepted, decided, hearing))
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
  const { clientMessages, fiber, gate, ids, now, prompts, queue, state } = dependencies
  const start = makeStart(dependencies)
  const hearing = Hearing.make(dependencies)

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
  const admit = (
    input: Taken,
    accepted: Accepted,
    hearing?: LateHearing
  ): Effect.Effect<PromptReceipt, PromptRejected> => {
    const { whenBusy } = input
    if (whenBusy === undefined || !state.takesMessages() || state.isClosing()) return start(input, accepted, hearing)
    return Effect.tap(
      put(whenBusy, input, (messageId) => prompts.accept(messageId, input)),
      accepted
    )
  }

  /** The first prompt with a name reads the session. An abort withdraws it, as it does during the check. */
  const load = Effect.suspend(() => {
    if (clientMessages.isLoaded()) return Effect.void
    return fiber.read(Effect.zipRight(Effect.sync(dependencies.accepting), clientMessages.load))
  })

  const known = (input: Taken) =>
    input.clientMessageId === undefined ? earlier(input) : Effect.zipRight(load, earlier(input))

  /** Takes the prompt as it is, or finds that it was sent before. */
  const take = (input: Taken, accepted: Accepted, hearing?: LateHearing) =>
    Effect.flatMap(known(input), (before) =>
      before === undefined ? admit(input, accepted, hearing) : repeat(before, input, accepted)
    ).pipe(exclusively(gate))

  /** Waits for a part of the preparation until the answer is due; none if it takes longer. An abort withdraws the prompt. */
  const inTime = Effect.fnUntraced(function* <A, E>(part: Effect.Effect<A, E>, due: number) {
    const { fiber: preparing, keep } = yield* fiber.prepare(() => part)
    dependencies.accepting()
    const withdraw = Effect.onInterrupt(() => Fiber.interrupt(preparing))
    const exit = yield* Effect.timeoutOption(Fiber.await(preparing), Math.max(0, due - now())).pipe(withdraw)
    if (Option.isSome(exit)) return { rest: undefined, done: yield* withdrawn(exit.value) }
    keep()
    return { rest: withdraw(Fiber.join(preparing)), done: undefined }
  })

  /** The prompt is accepted after a while even if hooks still look at it: then its run waits for them. */
  const takeHeard = Effect.fnUntraced(function* (given: PromptInput, accepted: Accepted) {
    const input: Taken = { ...given, sent: userContent(given) }
    const before = yield* known(input)
    if (before !== undefined) return yield* exclusively(gate)(repeat(before, input, accepted))
    const due = now() + patienceMs
    const plain: Heard<Taken> = { _tag: "Said", input }
    const late = (rest: Effect.Effect<Heard<Taken>, SlashCommandFailed>) =>
      take(
        input,
        accepted,
        Effect.orElseSucceed(rest, () => plain)
      )
    const isLate = !hearing.isStarted() && (yield* inTime(hearing.started, due)).rest !== undefined
    if (isLate) return yield* late(hearing.late(input, saidBy(input)))
    const messageId = ids.next("message")
    const begun = () => prompts.accept(messageId, input)
    const carried = yield* Effect.onInterrupt(hearing.carryOut(input, begun), () => prompts.withdraw(messageId))
    if (Option.isSome(carried)) return yield* answerHandled(carried.value, input, accepted, messageId)
    const { done: heard, rest } = yield* inTime(hearing.listen(input, saidBy(input)), due)
    if (rest !== undefined) return yield* late(rest)
    if (heard._tag === "Said") return yield* take(heard.input, accepted)
    return yield* answerHandled(heard.command, input, accepted, messageId)
  })

  const prompt = (input: PromptInput, accepted: Accepted = () => Effect.void) =>
    RunNodes.prompt(input.requestId, hearing.isPlain(input) ? take(input, accepted) : takeHeard(input, accepted))

  const queueUp = Effect.fnUntraced(function* (to: RunQueueName, input: Taken) {
    if (state.isClosing()) return yield* new AgentClosing()
    return yield* put(to, input)
  })

  const enqueue = Effect.fn("Agent.enqueue")(function* (to: RunQueueName, given: MessageInput) {
    const before = yield* earlier(given)
    if (before !== undefined) return told(repeated(before))
    if (hearing.isPlain(given)) return yield* queueUp(to, given)
    const input: Taken = { ...given, sent: userContent(given) }
    const listening = hearing.hearQueued(input, { source: input.source ?? "host", whenBusy: to })
    const heard = yield* Effect.timeoutOption(Effect.disconnect(listening), patienceMs)
    if (Option.isNone(heard)) return yield* queueUp(to, input)
    if (heard.value._tag === "Said") return yield* queueUp(to, heard.value.input)
    return yield* answerHandled(heard.value.command, input, () => Effect.void, ids.next("message"))
  })

  /** A run without a prompt, which begins with a custom message. */
  const begin = (custom: CustomInput) => {
    const started = start({ text: "", source: "extension", custom }, () => Effect.void)
    return RunNodes.prompt(undefined, exclusively(gate)(started))
  }

  return { begin, contract: { prompt, enqueue, isKnown: clientMessages.isKnown } }
}
