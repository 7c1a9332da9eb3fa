/** What a run says by itself: messages that hooks add to a turn, and the one with which it goes on. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import type { CustomInput } from "../../../../src/domain/conversation/Message.ts"
import { defaults } from "../../../../src/services/Settings.ts"
import * as Events from "../../../../src/layers/session/core/Events.ts"
import * as Delivery from "../../../../src/layers/session/inbox/Delivery.ts"
import * as Messages from "../../../../src/layers/session/inbox/Messages.ts"
import * as SessionQueue from "../../../../src/layers/session/inbox/SessionQueue.ts"
import * as RunJournal from "../../../../src/layers/session/run/RunJournal.ts"
import * as RunSteps from "../../../../src/layers/session/run/RunSteps.ts"
import { Ids } from "../../../../src/services/Ids.ts"
import * as Budgets from "../../../support/agent/Budgets.ts"
import * as FixedIds from "../../../support/agent/FixedIds.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"

const note = (content: string): CustomInput => ({ customType: "note", content, display: false })

const make = Effect.fnUntraced(function* (goesOn: Array<string | CustomInput>, prompted = () => {}) {
  const { session } = yield* TestAgent.make({})
  const ids = yield* Ids
  const events: Array<AgentEvent> = []
  const publish = (event: AgentEvent) => void events.push(event)
  const messages = Messages.make({ publish, session, settings: defaults })
  const queue = SessionQueue.make({ messages, publish, session })
  const now = () => 7
  const journal = RunJournal.make({
    runId: "r",
    core: { entries: session, events: { ...Events.make("e"), publish }, fork: Effect.runFork, ids, now },
    ticks: now,
    budget: Budgets.unlimited,
    steps: RunSteps.make([], { runId: "r", turnIndex: () => 0, messages: () => [] })
  })
  const delivery = Delivery.make({
    ids,
    journal,
    queue,
    session,
    now,
    modes: () => ({ steering: "all", followUp: "all" }),
    since: 0,
    isPrompted: true,
    steps: { prompted, stopping: Effect.sync(() => goesOn.shift()) }
  })
  return { delivery, journal, queue, session, events }
})

const words = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => {
    if (event._tag !== "MessageStarted" && event._tag !== "MessageEnded") {
      return event._tag === "QueueChanged" ? [] : [event._tag]
    }
    const { message, runId } = event
    return [`${event._tag} ${runId} ${message.role} ${JSON.stringify(message.content)}`]
  })

it.scoped("a message is added behind those of its turn, stored, and among the messages of the run", () =>
  Effect.gen(function* () {
    const { delivery, events, journal, queue, session } = yield* make([])
    yield* queue.add({ item: { messageId: "s", queue: "steering", text: "S", images: [], createdAt: 0 }, requests: [] })
    journal.startTurn()
    yield* delivery.open("start", false)
    yield* delivery.inject({ ...note("N"), details: { rules: ["x"] } })
    const user = '[{"type":"text","text":"S"}]'
    assert.deepStrictEqual(words(events), [
      "TurnStarted",
      `MessageStarted r user ${user}`,
      `MessageEnded r user ${user}`,
      'MessageStarted r custom "N"',
      'MessageEnded r custom "N"'
    ])
    const message = { role: "custom", ...note("N"), details: { rules: ["x"] }, timestamp: 7 } as const
    assert.deepStrictEqual(journal.messages[1], message)
    const entry = (yield* session.entries).at(-1)
    assert.deepInclude(entry, { type: "custom_message", ...note("N"), details: { rules: ["x"] } })
    assert.deepStrictEqual(yield* session.betweenAttempts, new Set())
  }).pipe(Effect.provide(FixedIds.layer))
)

it.scoped("in the turn of another attempt it has the mark of one that came between two", () =>
  Effect.gen(function* () {
    const { delivery, session } = yield* make([])
    yield* delivery.open("continue", true)
    yield* delivery.inject(note("between"))
    yield* delivery.open("continue", false)
    yield* delivery.inject(note("after"))
    const [between] = yield* session.messages
    assert.deepInclude(between, { content: "between" })
    assert.deepStrictEqual([...(yield* session.betweenAttempts)], [between])
  }).pipe(Effect.provide(FixedIds.layer))
)

it.scoped("a run goes on with a custom message of its own, or a text", () =>
  Effect.gen(function* () {
    const { delivery, events } = yield* make([note("todo"), "go on"])
    assert.deepStrictEqual(
      [
        yield* delivery.open("settled", false),
        yield* delivery.open("settled", false),
        yield* delivery.open("settled", false)
      ],
      [true, true, false]
    )
    assert.deepStrictEqual(
      words(events).filter((word) => !word.startsWith("MessageEnded")),
      [
        "TurnStarted",
        'MessageStarted r custom "todo"',
        "TurnStarted",
        'MessageStarted r user [{"type":"text","text":"go on"}]'
      ]
    )
  }).pipe(Effect.provide(FixedIds.layer))
)

it.scoped("a module lets the run go on only where nothing else does, and hears of each message of the user", () =>
  Effect.gen(function* () {
    let prompted = 0
    const { delivery, events, queue } = yield* make([note("reminder")], () => void prompted++)
    yield* queue.add({ item: { messageId: "f", queue: "followUp", text: "F", images: [], createdAt: 0 }, requests: [] })
    const opened = [yield* delivery.open("settled", false), yield* delivery.open("continue", false)]
    opened.push(yield* delivery.open("settled", false), yield* delivery.open("settled", false))
    assert.deepStrictEqual(opened, [true, true, true, false])
    const started = words(events).filter((word) => !word.startsWith("MessageEnded"))
    assert.deepStrictEqual(started, [
      "TurnStarted",
      'MessageStarted r user [{"type":"text","text":"F"}]',
      "TurnStarted",
      "TurnStarted",
      'MessageStarted r custom "reminder"'
    ])
    assert.strictEqual(prompted, 1)
  }).pipe(Effect.provide(FixedIds.layer))
)
