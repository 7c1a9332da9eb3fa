/** Where messages of extensions enter a session: they join the conversation, the queue, or start a run (protocol.md 11.4). */
import * as Effect from "effect/Effect"
import { type CustomInput, toCustomMessage } from "../../../domain/conversation/Message.ts"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import { defined } from "../../../domain/Values.ts"
import { AgentClosing, type PromptReceipt, type PromptRejected } from "../../../services/Agent.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { SendOptions, SendReceipt } from "../../../services/Sending.ts"
import type { SettingsValues } from "../../../services/Settings.ts"
import * as CustomInputs from "./CustomInputs.ts"
import type { LateRecords } from "./LateRecords.ts"
import type { Messages } from "./Messages.ts"
import type { SessionQueue } from "./SessionQueue.ts"

interface Dependencies {
  readonly ids: typeof Ids.Service
  readonly now: () => number
  readonly settings: Pick<SettingsValues, "queue.maxBytes">
  readonly messages: Messages
  readonly queue: SessionQueue
  readonly late: LateRecords
  /** Starts a run that begins with the message. */
  readonly begin: (custom: CustomInput) => Effect.Effect<PromptReceipt, PromptRejected>
}

const queues = { steer: "steering", followUp: "followUp", nextTurn: "nextTurn" } as const

export const make = ({ begin, ids, late, messages, now, queue, settings }: Dependencies) => {
  /** In the step in which it was decided that there is room for it. */
  const put = (to: MessageQueue.QueueName, said: MessageQueue.Size) => {
    const messageId = ids.next("message")
    const receipt: SendReceipt = { disposition: "queued", messageId }
    return Effect.as(queue.add({ item: { messageId, queue: to, ...said, createdAt: now() }, requests: [] }), receipt)
  }

  const putIfRoom = (to: MessageQueue.QueueName, said: MessageQueue.Size) =>
    Effect.uninterruptible(
      Effect.suspend(() => (messages.decide({ _tag: "Put", said })._tag === "Refuse" ? queue.full() : put(to, said)))
    )

  const quietly = (custom: CustomInput, isLate: boolean) => {
    const [messageId, message] = [ids.next("message"), toCustomMessage(custom, now())]
    const receipt: SendReceipt = { disposition: isLate ? "queued" : "appended", messageId }
    return Effect.as(isLate ? late.hold(messageId, message) : late.join(messageId, message), receipt)
  }

  /** A prompt or a compaction may claim the session first. Then the message waits for the run. */
  const startRun = (custom: CustomInput, to: MessageQueue.QueueName, said: MessageQueue.Size) =>
    begin(custom).pipe(
      Effect.map(({ messageId = "", runId = "" }): SendReceipt => ({ disposition: "started", messageId, runId })),
      Effect.catchTag("AgentBusy", () => putIfRoom(to, said))
    )

  const send = Effect.fn("Agent.send")(function* (input: CustomInput, options: SendOptions = {}) {
    const { deliverAs = "steer", triggerTurn } = options
    const custom = yield* CustomInputs.check(input, settings["queue.maxBytes"])
    const said = MessageQueue.shownOf(custom)
    const to = queues[deliverAs]
    const sent = Effect.uninterruptibleMask((restore): Effect.Effect<SendReceipt, PromptRejected> => {
      const decision = messages.decide({ _tag: "Send", deliverAs: to, said, ...defined({ triggerTurn }) })
      switch (decision._tag) {
        case "Refuse":
          return decision.code === "closing" ? new AgentClosing() : queue.full()
        case "Queue":
          return put(to, said)
        case "Late":
        case "Append":
          return quietly(custom, decision._tag === "Late")
        case "Start":
          return restore(startRun(custom, to, said))
      }
    })
    return yield* sent
  })

  return { send }
}
