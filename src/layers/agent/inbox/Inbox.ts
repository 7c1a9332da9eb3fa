/**
 * Where messages enter a session. Their text is prepared (InputPipeline.ts), they are decided (domain/inbox/decide.ts), and
 * what was decided is carried out here: a run starts, or a message joins the queue, or is known from before.
 */
import * as Effect from "effect/Effect"
import { type CustomInput, userContent } from "../../../domain/conversation/Message.ts"
import type { RunQueueName } from "../../../domain/conversation/MessageQueue.ts"
import type { Decision, Name, Refuse } from "../../../domain/inbox/decide.ts"
import type { Known, Receipt } from "../../../domain/inbox/Receipts.ts"
import { defined } from "../../../domain/Values.ts"
import {
  AgentBusy,
  AgentClosing,
  ClientMessageConflict,
  type MessageInput,
  type PromptInput,
  type PromptReceipt,
  type PromptRejected
} from "../../../services/Agent.ts"
import * as RunNodes from "../nodes/RunNodes.ts"
import * as RunStart from "../run/RunStart.ts"
import { type Accepted, named, requested, requestsOf, sentBy, type StartInput, type Taken } from "../run/RunStart.ts"
import type { InputPipeline } from "./InputPipeline.ts"
import type { Restore } from "./Messages.ts"
import type { SessionQueue } from "./SessionQueue.ts"
import type { Carried } from "./SlashCommands.ts"

interface Dependencies extends RunStart.Dependencies {
  readonly pipeline: InputPipeline
  readonly queue: SessionQueue
}

const saidBy = ({ source = "host", whenBusy }: PromptInput) =>
  whenBusy === undefined ? { source } : { source, whenBusy }

/** No message was stored for a handled prompt, so its id is nothing to the sender. */
const told = (receipt: Receipt & Pick<PromptReceipt, "duplicate">): PromptReceipt => {
  const { messageId: _, ...handled } = receipt
  return receipt.disposition === "handled" ? handled : receipt
}

const repeated = ({ receipt }: Known) => told({ ...receipt, duplicate: true })

const nameOf = (input: Taken): { readonly name?: Name } => {
  const { clientMessageId } = input
  return clientMessageId === undefined ? {} : { name: { clientMessageId, content: sentBy(input) } }
}

const asked = (input: StartInput) =>
  ({ _tag: "Prompt", ...nameOf(input), ...defined({ whenBusy: input.whenBusy }) }) as const

const refused = (
  { code }: Refuse<"busy" | "closing" | "client_message_conflict">,
  { clientMessageId = "" }: MessageInput
) => {
  if (code === "client_message_conflict") return new ClientMessageConflict({ clientMessageId })
  return code === "busy" ? new AgentBusy() : new AgentClosing()
}

export const make = (dependencies: Dependencies) => {
  const { budget, fiber, ids, messages, now, pipeline, queue } = dependencies
  const start = RunStart.make(dependencies)

  /** Answers a message that was sent before. The sender is told of its end, too. */
  const repeat = (known: Known, { clientMessageId = "", requestId }: MessageInput, accepted: Accepted) =>
    Effect.suspend(() => {
      const { agentInvoked, messageId } = known.receipt
      const shown = repeated(known)
      const follow = Effect.sync(() => {
        const end = messages.known(clientMessageId)?.end
        if (agentInvoked === false) return shown
        if (messages.state().records.has(messageId)) messages.tell({ _tag: "Joined", messageId, requestId })
        else if (end !== undefined) messages.report(requestId, end)
        return shown
      })
      return Effect.zipRight(accepted(shown), follow)
    })

  /** Answers a message that a slash command or a hook has taken the place of. The report of its end comes after the answer. */
  const answerHandled = (command: Carried, input: Taken, accepted: Accepted, messageId: string) =>
    Effect.suspend(() => {
      const isOver = command.end() !== undefined ? ({ agentInvoked: false } as const) : {}
      const receipt: Receipt = { disposition: "handled", messageId, ...named(input), ...isOver }
      messages.tell({ _tag: "Handled", known: { content: sentBy(input), receipt } })
      if (receipt.agentInvoked === false) messages.tell({ _tag: "Withdrawn", messageId })
      const follow = Effect.sync(() => {
        if (receipt.agentInvoked !== false) command.whenEnded((end) => messages.end(messageId, end))
      })
      return Effect.as(Effect.ensuring(accepted(told(receipt)), follow), told(receipt))
    })

  /** Queues a message, and answers when it is stored. */
  const put = (to: RunQueueName, input: Taken, isPrompt: boolean) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const { documents, images = [], text } = input
        const said = { text, images, ...defined({ documents }) }
        const decision = messages.decide({ _tag: "Put", said })
        if (decision._tag === "Refuse") return queue.full()
        const messageId = ids.next("message")
        const item = { messageId, ...named(input), ...requested(input), queue: to, ...said, createdAt: now() }
        const idle = decision.isIdle ? ({ idle: true } as const) : {}
        const receipt: Receipt = { disposition: "queued", messageId, ...named(input), ...idle }
        const known: Known = { content: sentBy(input), receipt }
        return Effect.as(queue.add({ item, known, requests: isPrompt ? requestsOf(input) : [] }), receipt)
      })
    )

  /** What was decided of a prompt. In the step of the decision, so that nothing comes between the two. */
  const carryOut = (
    decision: Decision<"Prompt">,
    input: StartInput,
    accepted: Accepted,
    restore: Restore
  ): Effect.Effect<PromptReceipt, PromptRejected> => {
    switch (decision._tag) {
      case "Read": {
        const again = Effect.suspend(() => carryOut(messages.decide(asked(input)), input, accepted, restore))
        return Effect.zipRight(restore(fiber.prepare(messages.readReceipts)), again)
      }
      case "Refuse":
        return refused(decision, input)
      case "Repeat":
        return restore(repeat(decision.known, input, accepted))
      case "Start":
        return start(input, accepted, restore)
      case "Join": {
        // An abort withdraws it while it is checked, like any prompt.
        const affordable = budget.isLimited() ? fiber.prepare(budget.check) : Effect.void
        return restore(Effect.tap(Effect.zipRight(affordable, put(decision.queue, input, true)), accepted))
      }
    }
  }

  /** Takes a prompt as it is. */
  const take = (input: StartInput, accepted: Accepted) =>
    messages.inTurn((restore) => carryOut(messages.decide(asked(input)), input, accepted, restore))

  /** Whether the text of a message is to be prepared: not that of one that was sent before. */
  const isNew = Effect.fnUntraced(function* <E>(
    input: Taken,
    reading: (read: Effect.Effect<void>) => Effect.Effect<void, E>
  ) {
    const message = { _tag: "Heard", ...nameOf(input) } as const
    if (messages.decide(message)._tag === "Read") yield* reading(messages.readReceipts)
    return messages.decide(message)._tag === "Handle"
  })

  /** The prompt is accepted when its text is prepared, however long hooks take (supplement 1.2). */
  const takePrepared = Effect.fnUntraced(function* (given: PromptInput, accepted: Accepted) {
    const input: Taken = { ...given, sent: userContent(given) }
    if (!(yield* isNew(input, fiber.prepare))) return yield* take(input, accepted)
    const messageId = ids.next("message")
    const begun = () => {
      messages.tell({ _tag: "Handling", messageId, requests: requestsOf(input), ...named(input) })
    }
    const prepared = yield* Effect.onInterrupt(pipeline.prepare(input, saidBy(input), begun), () =>
      Effect.sync(() => messages.tell({ _tag: "Withdrawn", messageId }))
    )
    if (prepared._tag === "Said") return yield* take(prepared.input, accepted)
    return yield* answerHandled(prepared.command, input, accepted, messageId)
  })

  const prompt = (input: PromptInput, accepted: Accepted = () => Effect.void) =>
    RunNodes.prompt(input.requestId, pipeline.isPlain(input) ? take(input, accepted) : takePrepared(input, accepted))

  const queueUp = Effect.fnUntraced(function* (to: RunQueueName, input: Taken) {
    const message = { _tag: "Enqueue", ...nameOf(input) } as const
    if (messages.decide(message)._tag === "Read") yield* messages.readReceipts
    const decision = messages.decide(message)
    if (decision._tag === "Repeat") return repeated(decision.known)
    if (decision._tag === "Refuse") {
      const { clientMessageId = "" } = input
      return yield* decision.code === "closing" ? new AgentClosing() : new ClientMessageConflict({ clientMessageId })
    }
    yield* budget.check
    return yield* put(to, input, false)
  })

  const enqueue = Effect.fn("Agent.enqueue")(function* (to: RunQueueName, given: MessageInput) {
    if (pipeline.isPlain(given)) return yield* queueUp(to, given)
    const input: Taken = { ...given, sent: userContent(given) }
    if (!(yield* isNew(input, (read) => read))) return yield* queueUp(to, input)
    const prepared = yield* pipeline.prepareQueued(input, { source: input.source ?? "host", whenBusy: to })
    if (prepared._tag === "Said") return yield* queueUp(to, prepared.input)
    return yield* answerHandled(prepared.command, input, () => Effect.void, ids.next("message"))
  })

  /** A run without a prompt, which begins with a custom message. */
  const begin = (custom: CustomInput) =>
    RunNodes.prompt(
      undefined,
      take({ text: "", source: "extension", custom }, () => Effect.void)
    )

  return { begin, prompt, enqueue }
}
