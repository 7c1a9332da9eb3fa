/**
 * The start of a run for a prompt that finds the session free: the prompt is checked and stored in the fiber of its run.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type { InputContent } from "../../../domain/conversation/Content.ts"
import {
  type CustomInput,
  type InputMessage,
  toCustomMessage,
  toUserMessage,
  userContent
} from "../../../domain/conversation/Message.ts"
import type { Receipt } from "../../../domain/inbox/Receipts.ts"
import { entryOf } from "../../../domain/session/SessionContext.ts"
import { defined } from "../../../domain/Values.ts"
import {
  type MessageInput,
  type PromptInput,
  type PromptReceipt,
  type PromptRejected,
  PromptWithdrawn
} from "../../../services/Agent.ts"
import type { SessionBudget } from "../../../services/Budget.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { LateRecords } from "../inbox/LateRecords.ts"
import type { Messages, Restore } from "../inbox/Messages.ts"
import type { ModelInForce } from "../model/ModelInForce.ts"
import type { RunFiber } from "./RunFiber.ts"
import type { AcceptedPrompt } from "./RunSetup.ts"

export interface Dependencies {
  readonly ids: typeof Ids.Service
  readonly now: () => number
  readonly session: typeof Session.Service
  readonly budget: SessionBudget
  readonly model: ModelInForce
  readonly messages: Messages
  readonly late: LateRecords
  readonly fiber: RunFiber
  /** Calls `begun` when the first event of the run was published. */
  readonly run: (prompt: AcceptedPrompt, begun: () => void) => Effect.Effect<void>
}

/** A message, and its content before hooks and commands have changed it: by that it is known when it is sent again. */
export interface Taken extends PromptInput {
  readonly sent?: ReadonlyArray<InputContent>
}

export const sentBy = (input: Taken) => input.sent ?? userContent(input)

export type Accepted = (receipt: PromptReceipt) => Effect.Effect<void>

/** A prompt, or a custom message in place of its text. */
export interface StartInput extends Taken {
  readonly custom?: CustomInput
}

export const named = ({ clientMessageId }: MessageInput) => defined({ clientMessageId })
export const requested = ({ requestId }: MessageInput) => defined({ requestId })

/** Nobody waits for the end of a message of an extension. */
export const requestsOf = ({ requestId, source }: MessageInput) => (source === "extension" ? [] : [requestId])

/** Its acceptance and its run are one fiber. */
export const make = (dependencies: Dependencies) => {
  const { budget, fiber, ids, late, messages, model, now, run, session } = dependencies

  /** Everything that can refuse a prompt, in the order in which refusals are reported (protocol.md 3.1). */
  const check = Effect.zipRight(budget.check, Effect.flatMap(model.usable, budget.checkModel))

  const store = (input: StartInput, message: InputMessage, since: number) => {
    const [runId, messageId] = [ids.next("run"), ids.next("message")]
    const receipt: Receipt = { disposition: "started", runId, messageId, ...named(input) }
    return Effect.map(session.append(entryOf(message, { messageId, ...named(input) })), () => {
      const known = { content: sentBy(input), receipt }
      messages.tell({ _tag: "Begun", runId, requests: requestsOf(input), known })
      const prompt: AcceptedPrompt = { runId, messageId, ...named(input), ...requested(input), message, since }
      return { prompt, receipt }
    })
  }

  const refuse = (decided: Deferred.Deferred<Receipt, PromptRejected>, cause: Cause.Cause<PromptRejected>) =>
    late.store.pipe(
      Effect.zipRight(Effect.sync(() => messages.tell({ _tag: "Settled" }))),
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
    decided: Deferred.Deferred<Receipt, PromptRejected>
  ) {
    const message = input.custom === undefined ? toUserMessage(input, now()) : toCustomMessage(input.custom, now())
    const since = messages.state().nextOrder
    const checked = yield* Effect.exit(Effect.interruptible(check))
    if (Exit.isFailure(checked)) return yield* refuse(decided, checked.cause)
    const { prompt, receipt } = yield* store(input, message, since)
    const answered = yield* Effect.exit(Effect.interruptible(accepted(receipt)))
    const died = Exit.isFailure(answered) && !Cause.isInterruptedOnly(answered.cause)
    const decision = died ? Exit.failCause(answered.cause) : Exit.succeed(receipt)
    // Not before the first event: a prompt that is queued next may end at once, and says that a run goes on.
    yield* run(prompt, () => Deferred.unsafeDone(decided, decision))
  }, Effect.uninterruptible)

  /** To be called under a mask, in the step in which it was decided. */
  return (input: StartInput, accepted: Accepted, restore: Restore) => {
    messages.tell({ _tag: "Checking" })
    const decided = Deferred.unsafeMake<Receipt, PromptRejected>(FiberId.none)
    const withdraw = (running: Fiber.RuntimeFiber<void>) =>
      Effect.suspend(() => (messages.state().phase._tag === "Preparing" ? Fiber.interrupt(running) : Effect.void))
    return Effect.flatMap(fiber.start(live(input, accepted, decided)), (running) =>
      Effect.onInterrupt(restore(Deferred.await(decided)), () => withdraw(running))
    )
  }
}
