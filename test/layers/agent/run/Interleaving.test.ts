import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Supervisor } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import { plainText } from "../../../../src/domain/conversation/Content.ts"
import * as MessageQueue from "../../../../src/domain/conversation/MessageQueue.ts"
import * as SessionTree from "../../../../src/domain/session/SessionTree.ts"
import type { Agent } from "../../../../src/services/Agent.ts"
import type { InterruptMode } from "../../../../src/services/Settings.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import { call, failure, say } from "../../../support/agent/ScriptedModel.ts"
import { stepping } from "../../../support/agent/Steps.ts"

const { output, tool } = Harness

type Service = typeof Agent.Service

/** Two shared calls and an exclusive one, a call that fails and is tried again, an answer, a follow-up. */
const turns = [
  call(["A", "slow", {}], ["B", "slow", {}], ["C", "alone", {}]),
  { events: [{ _tag: "TextStarted" as const }], after: failure("overloaded", "529") },
  say("one"),
  say("two"),
  ...Array.from({ length: 8 }, () => say("more"))
]
const pause = Effect.repeatN(Effect.yieldNow(), 2)
const tools = [
  tool("slow", (_, { progress }) =>
    pause.pipe(Effect.zipRight(progress(output("half"))), Effect.zipRight(pause), Effect.as(output("done")))
  ),
  tool("alone", () => Effect.as(pause, output("alone done")), { concurrency: "exclusive" })
]

interface Injection {
  /** Answers whether the steering it sent, if any, was sent into the run. */
  readonly act: (agent: Service) => Effect.Effect<boolean, unknown>
  readonly interruptMode?: InterruptMode
  /** A variant of another one: every fifth point is enough. */
  readonly isVariant?: true
  /** Looks once more at the end of the run, with fibers that give way after so many operations. */
  readonly fine?: number
}

const finished = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "PromptFinished" ? [event.requestId] : []))

const delivered = (events: ReadonlyArray<AgentEvent>) =>
  events.filter(
    (event) =>
      event._tag === "MessageStarted" && event.message.role === "user" && plainText(event.message.content) === "S"
  ).length

/** How many points the run has had, and whether the injection came before it was over. */
const play = ({ act, interruptMode = "wait" }: Injection, at: number, by: "task" | "event", ops: number) =>
  Effect.gen(function* () {
    const supervisor = yield* Supervisor.track
    let count = 0
    let agent: Service | undefined
    let acting: Fiber.RuntimeFiber<boolean, unknown> | undefined
    const point = () => {
      if (agent !== undefined && count++ === at) acting = Effect.runFork(act(agent))
    }
    // Not inside of `publish`: nobody who watches can act in the middle of a step.
    const soon = () => queueMicrotask(point)
    const settings = { interruptMode, "retry.baseDelayMs": 0 }
    const played = yield* Harness.run({ turns, tools, settings }, (harness) =>
      Effect.gen(function* () {
        const { events, session } = harness
        const accepted: Array<string> = []
        const ask = (requestId: string, more: object) =>
          Effect.matchEffect(harness.agent.prompt({ text: requestId, requestId, ...more }), {
            onSuccess: () => Effect.sync(() => void accepted.push(requestId)),
            onFailure: ({ _tag }) => Effect.sync(() => assert.oneOf(_tag, ["AgentClosing", "AgentBusy"]))
          })
        if (by === "event") yield* harness.agent.events.attach({ offer: soon, ready: Effect.void })
        agent = harness.agent
        yield* ask("p", {})
        yield* ask("f", { whenBusy: "followUp" })
        yield* harness.agent.awaitIdle
        agent = undefined
        const steered = acting !== undefined && (yield* Effect.exit(Fiber.join(acting)))
        yield* harness.agent.awaitIdle
        const waiting = MessageQueue.items(yield* harness.agent.queue.current).filter(({ text }) => text === "S").length
        assert.isAtMost(delivered(events) + waiting, 1)
        if (steered !== false && steered._tag === "Success" && steered.value) assert.strictEqual(delivered(events), 1)
        yield* ask("n", {})
        yield* harness.agent.awaitIdle
        assert.strictEqual(MessageQueue.size(yield* harness.agent.queue.current), 0)
        assert.deepStrictEqual(violations(events), [])
        assert.sameMembers(finished(events), accepted)
        const messages = yield* harness.session.messages
        assert.deepStrictEqual(SessionTree.make(yield* session.entries).conversation(), messages)
        assert.deepStrictEqual(
          events.flatMap((event) => (event._tag === "RunEnded" ? event.messages : [])),
          [...messages]
        )
        assert.strictEqual(yield* harness.script.open, 0)
        return { early: acting !== undefined, count }
      })
    ).pipe(stepping(by === "task" ? point : () => {}, ops), Effect.supervised(supervisor))
    const left = (yield* supervisor.value).filter((fiber) => fiber.unsafePoll() === null)
    assert.strictEqual(left.length, 0, "a fiber is left")
    return played
  }).pipe(Effect.tapErrorCause(() => Effect.sync(() => console.error(`injected at ${by} ${at}`))))

/** At every point, until the run is over before the injection comes. */
const everywhere = (injection: Injection, by: "task" | "event", ops = 2048, from = 0) =>
  Effect.gen(function* () {
    let at = from
    while ((yield* play(injection, at, by, ops)).early) at += injection.isVariant === true ? 5 : 1
    return at
  })

/** The points around the end of the run: what is decided there is decided in few steps. */
const nearTheEnd = Effect.fnUntraced(function* (injection: Injection, ops: number) {
  const { count } = yield* play(injection, Number.POSITIVE_INFINITY, "task", ops)
  const points = yield* everywhere(injection, "task", ops, Math.floor(count * 0.85))
  assert.isAbove(points, count * 0.85)
})

const steer = (agent: Service) => Effect.map(agent.enqueue("steering", { text: "S" }), ({ idle }) => idle === undefined)
const none = Effect.as(false)

const removeQueued = (agent: Service) =>
  Effect.flatMap(agent.queue.current, ({ followUp }) =>
    none(Effect.forEach(followUp, ({ messageId }) => agent.queue.remove(messageId)))
  )

const injections: Readonly<Record<string, Injection>> = {
  abort: { act: (agent) => none(agent.abort()) },
  "abort that keeps the queue": { act: (agent) => none(agent.abort({ queue: "keep" })), isVariant: true },
  "two aborts": {
    act: (agent) => none(Effect.all([agent.abort(), agent.abort()], { concurrency: 2 })),
    isVariant: true
  },
  // Fine enough to come between the last look into the queue and the end of the run.
  "steering that waits": { act: steer, fine: 13 },
  "steering that interrupts": { act: steer, interruptMode: "immediate" },
  "steering, then abort": {
    act: (agent) => none(Effect.zipRight(steer(agent), agent.abort())),
    interruptMode: "immediate",
    isVariant: true
  },
  "a queued prompt that is removed": { act: removeQueued, isVariant: true },
  EOF: { act: (agent) => none(Effect.zipRight(agent.close, agent.abort())) }
}

describe.each(Object.entries(injections))("%s", (_, injection) => {
  it.effect(
    "at every event",
    () => Effect.map(everywhere(injection, "event"), (points) => assert.isAbove(points, 40)),
    60_000
  )
  it.effect(
    "at every point where fibers take turns",
    () => Effect.map(everywhere(injection, "task", 64), (points) => assert.isAbove(points, 40)),
    60_000
  )
  if (injection.fine !== undefined) {
    const { fine } = injection
    it.effect("closely, at the end", () => nearTheEnd(injection, fine), 60_000)
  }
})

it.effect("a queued prompt that is removed as soon as it is queued has joined a run that was told of", () =>
  Effect.gen(function* () {
    for (let ops = 54; ops < 62; ops++) {
      for (let at = 0; at < 4; at++) assert.isTrue((yield* play({ act: removeQueued }, at, "task", ops)).early)
    }
  })
)
