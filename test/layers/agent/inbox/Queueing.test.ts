import { assert, it } from "@effect/vitest"
import { Effect, FastCheck, Queue } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import { plainText } from "../../../../src/domain/conversation/Content.ts"
import * as MessageQueue from "../../../../src/domain/conversation/MessageQueue.ts"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import type { QueueMode } from "../../../../src/services/Settings.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import type { Name, Op, Outcome } from "../../../support/agent/QueueModel.ts"
import * as QueueModel from "../../../support/agent/QueueModel.ts"
import { call, failure, say } from "../../../support/agent/ScriptedModel.ts"
import { userPrompt } from "../../../../src/services/Agent.ts"

const { output, tool } = Harness

const answers: Readonly<Record<Exclude<Outcome, "fail">, ReadonlyArray<ModelEvent>>> = {
  stop: say("ok").events,
  tools: call(["A", "noop", {}]).events
}

/** A run that stands still at every model call until the schedule lets it go on. */
const gated = Effect.gen(function* () {
  const orders = yield* Queue.unbounded<Outcome>()
  /** One for each time the run stands still: at a model call, or because it is over. */
  const still = yield* Queue.unbounded<null>()
  const turn = {
    events: [],
    before: Effect.zipRight(
      Queue.offer(still, null),
      Effect.flatMap(Queue.take(orders), (outcome) =>
        outcome === "fail" ? failure("invalid_request", "400") : Effect.succeed(answers[outcome])
      )
    )
  }
  return { orders, still, turns: Array.from({ length: 60 }, () => turn) }
})

const name = FastCheck.constantFrom<Name>("steering", "followUp")
const nth = FastCheck.nat(5)
const sendOptions = FastCheck.record(
  {
    deliverAs: FastCheck.constantFrom("steer" as const, "followUp" as const, "nextTurn" as const),
    triggerTurn: FastCheck.boolean()
  },
  { requiredKeys: [] }
)
const operation: FastCheck.Arbitrary<Op> = FastCheck.oneof(
  FastCheck.record({ do: FastCheck.constant("prompt" as const) }),
  FastCheck.record({ do: FastCheck.constant("prompt" as const), whenBusy: name }),
  FastCheck.record({ do: FastCheck.constant("enqueue" as const), queue: name }),
  FastCheck.record({ do: FastCheck.constant("enqueue" as const), queue: name }),
  FastCheck.record({ do: FastCheck.constant("send" as const), options: sendOptions }),
  FastCheck.record({ do: FastCheck.constant("send" as const), options: sendOptions }),
  FastCheck.constantFrom<Op>({ do: "sendUser" }, { do: "sendUser", deliverAs: "followUp" }),
  FastCheck.record({
    do: FastCheck.constant("model" as const),
    outcome: FastCheck.constantFrom<Outcome>("stop", "tools", "fail")
  }),
  FastCheck.record({ do: FastCheck.constant("model" as const), outcome: FastCheck.constant("stop" as const) }),
  FastCheck.record({
    do: FastCheck.constant("mode" as const),
    queue: name,
    mode: FastCheck.constantFrom<QueueMode>("all", "one-at-a-time")
  }),
  FastCheck.record({ do: FastCheck.constantFrom("remove" as const, "edit" as const), nth }),
  FastCheck.record({
    do: FastCheck.constant("promote" as const),
    nth,
    to: FastCheck.constantFrom<MessageQueue.Promotion>("steering", "front")
  }),
  FastCheck.record({ do: FastCheck.constantFrom("abort" as const, "interrupt" as const, "clear" as const) })
)

const nthItem = (queue: MessageQueue.MessageQueue, n: number) => {
  const all = MessageQueue.items(queue)
  return all[n % Math.max(1, all.length)]
}

/** What the model is to answer, of users and extensions. */
const inputTexts = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => {
    const message = event._tag === "MessageEnded" ? event.message : undefined
    if (message?.role !== "user" && message?.role !== "custom") return []
    return [typeof message.content === "string" ? message.content : plainText(message.content)]
  })
const ends = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "PromptFinished" ? [`${event.requestId}:${event.status}`] : []))

/** As a host is told. */
const hasSettled = (events: ReadonlyArray<AgentEvent>) =>
  events.findLast(({ _tag }) => _tag === "RunStarted" || _tag === "SessionSettled")?._tag !== "RunStarted"

it.effect.prop(
  "any schedule of prompts, queue operations and aborts does what the small reference does",
  [FastCheck.array(operation, { minLength: 1, maxLength: 16 })],
  ([schedule]) =>
    Effect.gen(function* () {
      const { orders, still, turns } = yield* gated
      const tools = [tool("noop", () => Effect.succeed(output("done")))]
      yield* Harness.run({ turns, tools }, ({ agent, controls, events, session }) =>
        Effect.gen(function* () {
          const model = QueueModel.make()
          yield* agent.events.attach({
            offer: ({ _tag }) => void (_tag === "RunSettled" && Queue.unsafeOffer(still, null)),
            ready: Effect.void
          })
          const perform = (op: Op, requestId: string): Effect.Effect<unknown, unknown> => {
            const input = { text: requestId, requestId }
            switch (op.do) {
              case "prompt":
                return Effect.exit(
                  agent.prompt({ ...input, ...(op.whenBusy === undefined ? {} : { whenBusy: op.whenBusy }) })
                )
              case "enqueue":
                return agent.enqueue(op.queue, input)
              case "send":
                return agent.send({ customType: "note", content: requestId, display: true }, op.options)
              case "sendUser":
                return Effect.exit(agent.prompt(userPrompt(requestId, op)))
              case "model":
                return Queue.offer(orders, op.outcome)
              case "mode":
                return op.queue === "steering" ? controls.setSteeringMode(op.mode) : controls.setFollowUpMode(op.mode)
              case "abort":
                return agent.abort()
              case "interrupt":
                return agent.abort({ queue: "keep" })
              case "clear":
                return agent.queue.clear
            }
            return Effect.flatMap(agent.queue.current, (queue) => {
              const item = nthItem(queue, op.nth)
              if (item === undefined) return Effect.void
              if (op.do === "remove") return agent.queue.remove(item.messageId)
              if (op.do === "promote") return agent.queue.promote(item.messageId, op.to)
              return agent.queue.edit(item.messageId, { text: `${item.text}!`, expectedRevision: queue.revision })
            })
          }
          for (const [at, op] of [...schedule, { do: "abort" } as const].entries()) {
            const before = model.isRunning()
            if (op.do === "model" && !before) continue
            model.apply(op, `m${at}`)
            yield* perform(op, `m${at}`)
            // A step of the model, the start of a run and its end each bring the run to its next rest.
            const moves = op.do === "model" || before !== model.isRunning()
            if (moves) yield* Queue.take(still)
            assert.deepStrictEqual(MessageQueue.texts(yield* agent.queue.current), model.texts(), `after ${at}`)
            const stored = (yield* session.queued).map(({ text }) => text)
            assert.deepStrictEqual(stored, model.allTexts(), `in the log after ${at}`)
            const { isSettled, isStreaming } = yield* agent.state
            assert.strictEqual(isStreaming, model.isRunning())
            assert.deepStrictEqual(
              [isSettled, hasSettled(events)],
              [model.isSettled(), model.isSettled()],
              `settled ${at}`
            )
          }
          yield* agent.awaitIdle
          assert.deepStrictEqual(inputTexts(events), model.said)
          assert.sameMembers(ends(events), model.ends)
          assert.deepStrictEqual(violations(events), [])
        })
      )
    }),
  { fastCheck: { numRuns: 500 }, timeout: 120_000 }
)
