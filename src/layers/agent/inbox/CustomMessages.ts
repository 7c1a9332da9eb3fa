/** Where messages of extensions enter a session: they join the conversation, the queue, or start a run (protocol.md 11.4). */
import * as Effect from "effect/Effect"
import { type InputContent, plainText } from "../../../domain/conversation/Content.ts"
import { type CustomInput, toCustomMessage, type UserInput } from "../../../domain/conversation/Message.ts"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import { type Agent, AgentClosing, type PromptRejected, type QueueFull } from "../../../services/Agent.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { SendOptions, SendReceipt, SendUserOptions } from "../../../services/Sending.ts"
import type { SettingsValues } from "../../../services/Settings.ts"
import type { RunState } from "../run/RunState.ts"
import type { MessageReceipt } from "./ClientMessages.ts"
import * as CustomInputs from "./CustomInputs.ts"
import type { LateRecords } from "./LateRecords.ts"
import type { SessionQueue } from "./SessionQueue.ts"

interface Dependencies {
  readonly ids: typeof Ids.Service
  readonly now: () => number
  readonly settings: Pick<SettingsValues, "queue.maxBytes">
  readonly state: RunState
  readonly queue: SessionQueue
  readonly late: LateRecords
  /** Starts a run that begins with the message. */
  readonly begin: (custom: CustomInput) => Effect.Effect<MessageReceipt, PromptRejected>
  readonly prompt: (typeof Agent.Service)["prompt"]
}

const queues = { steer: "steering", followUp: "followUp" } as const

const userInput = (content: string | ReadonlyArray<InputContent>): UserInput => {
  if (typeof content === "string") return { text: content }
  const texts = content.flatMap((block) => (block.type === "text" ? [plainText([block])] : []))
  return { text: texts.join("\n"), images: content.filter((block) => block.type === "image") }
}

export const make = ({ begin, ids, late, now, prompt, queue, settings, state }: Dependencies) => {
  const put = (to: MessageQueue.QueueName, custom: CustomInput): Effect.Effect<SendReceipt, QueueFull> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const said = MessageQueue.shownOf(custom)
        const full = queue.refusal(said)
        if (full !== undefined) return full
        const messageId = ids.next("message")
        const receipt: SendReceipt = { disposition: "queued", messageId }
        return Effect.as(queue.add({ messageId, queue: to, ...said, createdAt: now() }), receipt)
      })
    )

  const quietly = (custom: CustomInput): Effect.Effect<SendReceipt, QueueFull> =>
    Effect.suspend(() => {
      const [messageId, message] = [ids.next("message"), toCustomMessage(custom, now())]
      // A run or a compaction reads the conversation; a prompt that is still being checked does not yet.
      const waits = state.isBusy() && state.current()._tag !== "Accepting"
      const receipt: SendReceipt = { disposition: waits ? "queued" : "appended", messageId }
      return Effect.as(waits ? late.hold(messageId, message) : late.join(messageId, message), receipt)
    })

  /** A prompt or a compaction may claim the session first. Then the message waits for the run. */
  const startRun = (custom: CustomInput, to: MessageQueue.RunQueueName) =>
    begin(custom).pipe(
      Effect.map(({ messageId, runId = "" }): SendReceipt => ({ disposition: "started", messageId, runId })),
      Effect.catchTag("AgentBusy", () => put(to, custom))
    )

  const send = Effect.fn("Agent.send")(function* (input: CustomInput, options: SendOptions = {}) {
    const { deliverAs = "steer", triggerTurn } = options
    const custom = yield* CustomInputs.check(input, settings["queue.maxBytes"])
    if (state.isClosing()) return yield* new AgentClosing()
    if (deliverAs === "nextTurn") return yield* put("nextTurn", custom)
    if (triggerTurn === false) return yield* quietly(custom)
    if (state.takesMessages()) return yield* put(queues[deliverAs], custom)
    if (triggerTurn === undefined) return yield* quietly(custom)
    // Not by way of `startRun` while a prompt is being checked: the sender may be a hook for which that check waits.
    if (state.isBusy()) return yield* put(queues[deliverAs], custom)
    return yield* startRun(custom, queues[deliverAs])
  })

  const sendUser = Effect.fn("Agent.sendUser")(function* (
    content: string | ReadonlyArray<InputContent>,
    { deliverAs, nesting = 0, takesCommands = false }: SendUserOptions = {}
  ) {
    const waiting = deliverAs === undefined ? {} : { whenBusy: queues[deliverAs] }
    const plain = takesCommands ? {} : ({ noCommand: true } as const)
    const nested = nesting === 0 ? {} : { nesting }
    return yield* prompt({ ...userInput(content), source: "extension", ...nested, ...waiting, ...plain })
  })

  return { send, sendUser }
}
