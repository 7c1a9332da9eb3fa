/** Hooks that watch a whole run: whatever they do and however long it takes, hosts see the run as it was. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Fiber, Layer, Supervisor, TestClock } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import { plainText } from "../../../src/domain/conversation/Content.ts"
import * as HookLayer from "../../../src/layers/hooks/HookLayer.ts"
import * as EventLoop from "../../../src/layers/platform/EventLoop.ts"
import { output, summary, tool } from "../../support/agent/AgentHarness.ts"
import { violations } from "../../support/agent/EventGrammar.ts"
import { call, failure, say } from "../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../support/agent/TestAgent.ts"
import { settle } from "../../support/hooks/RelayHarness.ts"
import { userPrompt } from "../../../src/services/Agent.ts"

const watched = [
  "RunStarted",
  "TurnStarted",
  "MessageStarted",
  "MessageUpdated",
  "MessageEnded",
  "ToolStarted",
  "ToolUpdated",
  "ToolEnded",
  "TurnEnded",
  "RunEnded",
  "PromptFinished",
  "RunSettled",
  "SessionSettled",
  "QueueChanged",
  "RetryScheduled",
  "RetryEnded"
] as const

type Watched = (typeof watched)[number]

const turns = [
  call(["A", "half", {}], ["B", "half", {}]),
  { events: [{ _tag: "TextStarted" as const }], after: failure("overloaded", "529") },
  say("one"),
  ...Array.from({ length: 8 }, () => say("more"))
]
const half = tool("half", (_, { progress }) => Effect.as(progress(output("half")), output("done")))
const options = { turns, tools: [half], settings: { "retry.baseDelayMs": 0 } }

/** The same hook at every event. */
const everywhere = (hook: (event: AgentEvent) => Effect.Effect<void, { readonly message: string }> | void) => {
  const hooks: { [P in Watched]?: (event: AgentEvent) => ReturnType<typeof hook> } = {}
  for (const point of watched) hooks[point] = hook
  return hooks satisfies HookLayer.HookSet
}

it.scoped("a run without hooks, or with hooks that answer at once, publishes within its own steps", () =>
  Effect.gen(function* () {
    const seen: Array<AgentEvent> = []
    const plain = yield* TestAgent.make(options)
    const hooked = yield* TestAgent.make(options, { hooks: everywhere((event) => void seen.push(event)) })
    const fibersOf = ({ agent }: TestAgent.TestAgent) =>
      Effect.gen(function* () {
        const supervisor = yield* Supervisor.track
        yield* Effect.supervised(Effect.zipRight(agent.prompt({ text: "go" }), agent.awaitIdle), supervisor)
        return (yield* supervisor.value).length
      })
    yield* hooked.startup.started
    assert.strictEqual(yield* fibersOf(hooked), yield* fibersOf(plain))
    assert.deepStrictEqual(seen, hooked.events)
    assert.deepStrictEqual(summary(hooked.events), summary(plain.events))
  })
)

describe("a hook that watches", () => {
  it.scoped("sees every event before the sinks, and in their order, however long it takes", () =>
    Effect.gen(function* () {
      const seen: Array<AgentEvent> = []
      let early = 0
      const made: TestAgent.TestAgent = yield* TestAgent.make(options, {
        hooks: everywhere((event) => {
          seen.push(event)
          if (made.events.includes(event)) early++
          return event._tag === "MessageStarted" ? Effect.sleep("1 second") : Effect.void
        })
      })
      const working = yield* Effect.fork(Effect.zipRight(made.agent.prompt({ text: "go" }), made.agent.awaitIdle))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(working)
      assert.deepStrictEqual([seen, early], [made.events, 0])
      assert.deepStrictEqual(violations(made.events), [])
    })
  )

  it.scoped("may prompt, send and steer, whether it waits for that or not", () =>
    Effect.gen(function* () {
      const once = new Set<string>()
      const made: TestAgent.TestAgent = yield* TestAgent.make(
        { turns: [say("1"), say("2"), say("3"), say("4")] },
        {
          hooks: {
            TurnStarted: () => {
              if (once.has("steer")) return undefined
              once.add("steer")
              return Effect.asVoid(Effect.orDie(made.agent.enqueue("steering", { text: "steered" })))
            },
            RunEnded: () => {
              if (once.has("next")) return undefined
              once.add("next")
              return Effect.asVoid(Effect.orDie(made.agent.prompt(userPrompt("next"))))
            },
            MessageEnded: ({ message }) => {
              if (message.role !== "assistant" || once.has("note")) return undefined
              once.add("note")
              return Effect.asVoid(
                Effect.orDie(made.agent.send({ customType: "note", content: "noted", display: true }))
              )
            }
          }
        }
      )
      yield* made.agent.prompt({ text: "go", requestId: "r" })
      yield* Effect.repeat(Effect.zipRight(settle, made.agent.awaitIdle), { until: () => once.size === 3 })
      yield* made.agent.awaitIdle
      const said = (yield* made.session.messages).flatMap((message) => {
        if (message.role === "custom") return [`custom ${String(message.content)}`]
        return message.role === "user" ? [plainText(message.content)] : []
      })
      assert.sameMembers(said, ["go", "steered", "custom noted", "next"])
      assert.deepStrictEqual(violations(made.events), [])
    })
  )

  it.scoped("may abort the run that it watches", () =>
    Effect.gen(function* () {
      const made: TestAgent.TestAgent = yield* TestAgent.make(
        { turns: [{ events: [], after: "hang" }] },
        { hooks: { TurnStarted: () => Effect.asVoid(made.agent.abort()) } }
      )
      yield* made.agent.prompt({ text: "go" })
      const idle = yield* Effect.fork(made.agent.awaitIdle)
      yield* Effect.repeatN(EventLoop.nextTurn, 20)
      // The abort waits for the event, and the event for the abort: the hook is left behind after 250 ms.
      yield* TestClock.adjust("250 millis")
      yield* Fiber.join(idle)
      assert.include(summary(made.events), "PromptFinished:aborted")
      assert.deepStrictEqual(violations(made.events), [])
    })
  )

  it.scoped("and never answers keeps neither a run nor an abort waiting for long", () =>
    Effect.gen(function* () {
      const made = yield* TestAgent.make(
        { turns: [say("1"), { events: [], after: "hang" }] },
        { hooks: everywhere(({ _tag }) => (_tag === "TurnStarted" ? Effect.never : undefined)) }
      )
      const working = yield* Effect.fork(Effect.zipRight(made.agent.prompt({ text: "go" }), made.agent.awaitIdle))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(working)
      assert.deepStrictEqual(
        made.events.filter(({ _tag }) => _tag === "ExtensionFailed"),
        [
          {
            _tag: "ExtensionFailed",
            extensionPath: "test",
            event: "TurnStarted",
            error: "did not answer in time; its events are left out until it does"
          }
        ]
      )
      yield* made.agent.prompt({ text: "more" })
      yield* settle
      yield* made.agent.abort()
      assert.deepStrictEqual(violations(made.events), [])
    })
  )

  it.scoped("and is more than 1024 events behind keeps the run waiting, but not an abort", () =>
    Effect.gen(function* () {
      const deltas = Array.from({ length: 800 }, () => ({ _tag: "Delta", delta: "x" }) as const)
      const taken: Array<number> = []
      const part = (count: number) => ({
        before: Effect.as(
          Effect.sync(() => taken.push(count)),
          []
        ),
        events: [{ _tag: "TextStarted" }, ...deltas, { _tag: "Finished", stopReason: "stop" }] as const
      })
      const made = yield* TestAgent.make(
        { turns: [part(1), part(2), part(3), part(4)] },
        { hooks: { MessageUpdated: () => Effect.sleep("4 seconds") } }
      )
      for (const text of ["1", "2", "3", "4"]) yield* made.agent.prompt({ text, whenBusy: "followUp" })
      yield* Effect.repeatN(EventLoop.nextTurn, 100)
      // The third call would have begun after 1,600 deltas.
      assert.deepStrictEqual(taken, [1, 2])
      const aborting = yield* Effect.fork(made.agent.abort())
      yield* TestClock.adjust("250 millis")
      yield* Fiber.join(aborting)
      assert.deepStrictEqual(violations(made.events), [])
    })
  )
})

type Behaviour = "at once" | "effect" | "fails" | "throws" | "never" | number

const behaviour: FastCheck.Arbitrary<Behaviour> = FastCheck.oneof(
  { weight: 3, arbitrary: FastCheck.constant("at once" as const) },
  { weight: 2, arbitrary: FastCheck.constant("effect" as const) },
  { weight: 2, arbitrary: FastCheck.integer({ min: 1, max: 7000 }) },
  { weight: 1, arbitrary: FastCheck.constantFrom("fails" as const, "throws" as const, "never" as const) }
)

type Step = "prompt" | "abort" | "interrupt" | number

const step: FastCheck.Arbitrary<Step> = FastCheck.oneof(
  { weight: 3, arbitrary: FastCheck.integer({ min: 0, max: 3000 }) },
  { weight: 3, arbitrary: FastCheck.constant("prompt" as const) },
  { weight: 1, arbitrary: FastCheck.constantFrom("abort" as const, "interrupt" as const) }
)

/** Behaves in another way at each event, over and over. */
const hookOf = (row: ReadonlyArray<Behaviour>) => {
  let count = 0
  return () => {
    const how = row[count++ % row.length]
    if (how === "throws") throw new Error("thrown")
    if (how === "fails") return Effect.fail({ message: "failed" })
    if (how === "never") return Effect.never
    if (how === "effect") return Effect.void
    return typeof how === "number" ? Effect.sleep(how) : undefined
  }
}

const play = Effect.fnUntraced(function* (rows: ReadonlyArray<ReadonlyArray<Behaviour>>, steps: ReadonlyArray<Step>) {
  const layers = rows.map((row, index) => HookLayer.layer(String(index), everywhere(hookOf(row))))
  const contributors = layers.reduce((all, layer) => Layer.provide(layer, all))
  const made = yield* TestAgent.make(options, { contributors })
  const accepted: Array<number> = []
  const perform = (one: Exclude<Step, number>, id: number): Effect.Effect<unknown> => {
    if (one !== "prompt") return made.agent.abort({ queue: one === "abort" ? "return" : "keep" })
    return made.agent.prompt({ text: "go", requestId: id, whenBusy: "followUp" }).pipe(
      Effect.tap(() => Effect.sync(() => accepted.push(id))),
      Effect.either
    )
  }
  const acting: Array<Fiber.Fiber<unknown>> = []
  for (const [id, one] of [...steps, "abort" as const].entries()) {
    if (typeof one === "number") yield* TestClock.adjust(one)
    else acting.push(yield* Effect.fork(perform(one, id)))
  }
  // Whatever the hooks do, this is enough for everything that was asked for.
  yield* TestClock.adjust("10 minutes")
  yield* Fiber.joinAll(acting)
  const last = yield* Effect.fork(Effect.zipRight(made.agent.abort(), made.agent.awaitIdle))
  yield* TestClock.adjust("10 minutes")
  yield* Fiber.join(last)
  return { made, accepted }
})

it.effect.prop(
  "any observers, delays and aborts: sinks get the events of the grammar, in order, and each prompt has one end",
  [
    FastCheck.array(FastCheck.array(behaviour, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
    FastCheck.array(step, { minLength: 1, maxLength: 12 })
  ],
  ([rows, steps]) =>
    Effect.gen(function* () {
      const { accepted, made } = yield* play(rows, steps)
      assert.deepStrictEqual(violations(made.events), [])
      const ended = made.events.flatMap((event) => (event._tag === "PromptFinished" ? [event.requestId] : []))
      assert.sameMembers(ended, accepted)
      const runs = made.events.flatMap((event) => (event._tag === "RunEnded" ? event.messages : []))
      assert.deepStrictEqual(runs, [...(yield* made.session.messages)])
    }).pipe(Effect.scoped),
  { fastCheck: { numRuns: 100 }, timeout: 120_000 }
)
