/**
 * Reading and changing the queue, by id (supplement 6.3) or, as omp hosts do, by text, and the modes that say how queued
 * messages reach a run (protocol.md 3.4).
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ImageContent, optional } from "../../domain/conversation/Content.ts"
import * as MessageQueue from "../../domain/conversation/MessageQueue.ts"
import { defined } from "../../domain/Values.ts"
import { Agent, type QueueFull, type QueueRefused } from "../../services/Agent.ts"
import { InterruptMode, QueueMode } from "../../services/Settings.ts"
import { Controls } from "../../services/session/Controls.ts"
import * as Command from "../Command.ts"
import { readInput } from "../protocol/Images.ts"
import { QueueItem, queueItem, queueItems, toCleared } from "../protocol/QueueFrames.ts"

const refusals = ["queue_item_not_found", "already_delivered"]

export const queueFull = ({ maxBytes, maxMessages, message }: QueueFull) =>
  new Command.CommandFailure({ code: "queue_full", message, data: { maxMessages, maxBytes } })

const refused = (error: QueueRefused | QueueFull) =>
  error._tag === "QueueFull"
    ? queueFull(error)
    : new Command.CommandFailure({ code: error.reason, message: error.message })
const invalid = (name: string, detail: string) =>
  new Command.CommandFailure({ code: "invalid_params", message: `Invalid ${name} command: ${detail}` })

const clearQueue = Command.make({
  name: "clear_queue",
  lane: "ordered",
  summary: "Empties the queue and answers with its texts; queued prompts end as aborted.",
  notes:
    "Custom messages of extensions leave the queue, too, also those for the next prompt; the texts are the user's.",
  origin: ["pi"],
  params: Command.noParams,
  result: Schema.Struct({ steering: Schema.Array(Schema.String), followUp: Schema.Array(Schema.String) }),
  run: (_, request) =>
    Command.answering(
      request,
      Effect.flatMap(Agent, ({ queue }) =>
        Effect.map(queue.clear, (items) => toCleared(items).cleared ?? { steering: [], followUp: [] })
      )
    )
})

const getQueue = Command.make({
  name: "get_queue",
  lane: "query",
  summary: "The queue in the order of delivery: steering, then follow-ups, then what waits for the next prompt.",
  notes:
    "Messages of extensions have `custom`. Those in `nextTurn` are delivered behind the next prompt; an `abort` leaves them queued, and `promote_queued_message` moves one to steering.",
  origin: ["ours"],
  params: Command.noParams,
  result: Schema.Struct({ revision: Schema.Int, items: Schema.Array(QueueItem) }),
  run: Effect.fnUntraced(function* () {
    const agent = yield* Agent
    const current = yield* agent.queue.current
    return { revision: current.revision, items: queueItems(current) }
  })
})

const editQueuedMessage = Command.make({
  name: "edit_queued_message",
  lane: "query",
  summary:
    "Changes the text or the images of a queued message; with `expectedRevision` only if the queue still has that revision.",
  origin: ["ours"],
  params: Schema.Struct({
    messageId: Schema.String,
    message: optional(Schema.String),
    images: optional(Schema.Array(ImageContent)),
    expectedRevision: optional(Schema.Int)
  }),
  result: QueueItem,
  errors: [...refusals, "revision_conflict", "queue_full"],
  run: Effect.fnUntraced(function* ({ expectedRevision, images, message, messageId }) {
    const agent = yield* Agent
    const found = MessageQueue.find(yield* agent.queue.current, messageId)
    const wanted = { message: message ?? found?.text ?? "", images: images ?? found?.images ?? [] }
    const checked = found === undefined ? Either.right(undefined) : readInput(wanted)
    if (Either.isLeft(checked)) return yield* invalid("edit_queued_message", checked.left)
    const change = { ...checked.right, ...defined({ expectedRevision }) }
    const edited = yield* Effect.mapError(agent.queue.edit(messageId, change), refused)
    return queueItem(edited, MessageQueue.position(yield* agent.queue.current, edited))
  })
})

const removeQueuedMessage = Command.make({
  name: "remove_queued_message",
  lane: "query",
  summary: "Takes one message out of the queue: by `messageId`, or the first of a `queue` with the text `message`.",
  notes: "By text, `removed: false` says that the queue has no such message; that is no failure.",
  origin: ["omp", "ours"],
  params: Schema.Struct({
    messageId: optional(Schema.String),
    message: optional(Schema.String),
    queue: optional(Schema.Literal("steering", "followUp"))
  }),
  result: Schema.Struct({ removed: Schema.Boolean, item: optional(QueueItem) }),
  errors: refusals,
  run: Effect.fnUntraced(function* ({ message, messageId, queue: name }, request) {
    const agent = yield* Agent
    const before = yield* agent.queue.current
    if (messageId === undefined && (message === undefined || name === undefined)) {
      return yield* invalid("remove_queued_message", '"messageId", or "message" and "queue", must be given')
    }
    const found =
      messageId === undefined
        ? MessageQueue.findText(before, name ?? "steering", message ?? "")
        : MessageQueue.find(before, messageId)
    const id = messageId ?? found?.messageId
    if (id === undefined) return { removed: false }
    const position = found === undefined ? 0 : MessageQueue.position(before, found)
    const removed = Effect.map(agent.queue.remove(id), (item) => ({ removed: true, item: queueItem(item, position) }))
    return yield* Command.answering(request, removed).pipe(
      Effect.catchAll((error) => (messageId === undefined ? Effect.succeed({ removed: false }) : refused(error)))
    )
  })
})

const promoteQueuedMessage = Command.make({
  name: "promote_queued_message",
  lane: "query",
  summary: "Moves a queued message to the end of steering, or to the front of the queue it is in.",
  notes: "By text (`message`) the first follow-up with that text is moved; `promoted: false` when there is none.",
  origin: ["omp", "ours"],
  params: Schema.Struct({
    messageId: optional(Schema.String),
    message: optional(Schema.String),
    to: optional(Schema.Literal("steering", "front"))
  }),
  result: Schema.Struct({ promoted: Schema.Boolean, position: optional(Schema.Int) }),
  errors: refusals,
  run: Effect.fnUntraced(function* ({ message, messageId, to = "steering" }) {
    const agent = yield* Agent
    if (messageId === undefined && message === undefined) {
      return yield* invalid("promote_queued_message", '"messageId" or "message" must be given')
    }
    const id = messageId ?? MessageQueue.findText(yield* agent.queue.current, "followUp", message ?? "")?.messageId
    if (id === undefined) return { promoted: false }
    const moved = yield* Effect.either(agent.queue.promote(id, to))
    if (Either.isLeft(moved)) return messageId === undefined ? { promoted: false } : yield* refused(moved.left)
    return { promoted: true, position: MessageQueue.position(yield* agent.queue.current, moved.right) }
  })
})

const setSteeringMode = Command.make({
  name: "set_steering_mode",
  lane: "ordered",
  summary: "Whether steering messages are delivered one per turn or all at once.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ mode: QueueMode }),
  run: ({ mode }) => Effect.flatMap(Controls, ({ setSteeringMode: set }) => set(mode))
})

const setFollowUpMode = Command.make({
  name: "set_follow_up_mode",
  lane: "ordered",
  summary: "Whether follow-up messages are delivered one per turn or all at once.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ mode: QueueMode }),
  run: ({ mode }) => Effect.flatMap(Controls, ({ setFollowUpMode: set }) => set(mode))
})

const setInterruptMode = Command.make({
  name: "set_interrupt_mode",
  lane: "ordered",
  summary: "Whether steering waits for the tool calls of a turn or interrupts them.",
  origin: ["omp", "xcsh"],
  params: Schema.Struct({ mode: InterruptMode }),
  run: ({ mode }) => Effect.flatMap(Controls, ({ setInterruptMode: set }) => set(mode))
})

export const commands = [
  clearQueue,
  getQueue,
  editQueuedMessage,
  removeQueuedMessage,
  promoteQueuedMessage,
  setSteeringMode,
  setFollowUpMode,
  setInterruptMode
]
