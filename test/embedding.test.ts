import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import * as Heddle from "../src/index.ts"
import * as EventLoop from "../src/layers/platform/EventLoop.ts"
import * as ScriptedModel from "./support/ScriptedModel.ts"

const { Agent } = Heddle.Agent
const { model, say } = ScriptedModel

/** The program of docs/embedding.md: prompt, and read the events as a Stream until the session has settled. */
const ask = (text: string) =>
  Effect.gen(function* () {
    const agent = yield* Agent
    const events = yield* agent.subscribe
    yield* agent.prompt({ text })
    return yield* events.pipe(
      Stream.takeUntil(({ _tag }) => _tag === "SessionSettled"),
      Stream.runFold("", (said, event) =>
        event._tag === "MessageUpdated" && event.update.step === "delta" ? said + event.update.delta : said
      )
    )
  }).pipe(Effect.scoped)

const embedded = (...turns: ReadonlyArray<ScriptedModel.ScriptedTurn>) =>
  Effect.map(ScriptedModel.make(turns), (script) => ({
    ...script,
    agent: Heddle.EmbeddedAgent.layer({ cwd: ".", model }).pipe(Layer.provide(script.layer))
  }))

it.effect("an Effect program prompts and reads the events as a Stream", () =>
  Effect.gen(function* () {
    const { agent, requests } = yield* embedded(say("Hello from inside"))
    assert.strictEqual(yield* Effect.provide(ask("Hi"), agent), "Hello from inside")
    assert.strictEqual((yield* requests)[0]?.messages.length, 1)
  })
)

it.effect("interrupting the caller's scope interrupts the run and closes the model stream", () =>
  Effect.gen(function* () {
    const { agent, open } = yield* embedded({ events: [{ _tag: "TextStarted" }], after: "hang" })
    const running = yield* Effect.fork(Effect.provide(ask("Hi"), agent))
    yield* Effect.repeat(EventLoop.nextTurn, { until: () => Effect.map(open, (count) => count === 1) })
    yield* Fiber.interrupt(running)
    assert.strictEqual(yield* open, 0)
  })
)

it.effect("abort ends a run that would not end by itself", () =>
  Effect.gen(function* () {
    const { agent, open } = yield* embedded({ events: [{ _tag: "TextStarted" }], after: "hang" }, say("again"))
    yield* Effect.gen(function* () {
      const { abort, messages, prompt, state } = yield* Agent
      yield* prompt({ text: "Hi" })
      yield* Effect.repeat(EventLoop.nextTurn, { until: () => Effect.map(open, (count) => count === 1) })
      yield* abort
      assert.isFalse((yield* state).isStreaming)
      const last = (yield* messages).at(-1)
      assert.strictEqual(last?.role === "assistant" && last.stopReason, "aborted")
      assert.strictEqual(yield* ask("once more"), "again")
    }).pipe(Effect.provide(agent))
  })
)

it.effect("two agents in one process share nothing", () =>
  Effect.gen(function* () {
    const { agent: one } = yield* embedded(say("one"))
    const { agent: two } = yield* embedded(say("two"))
    const inspect = Effect.gen(function* () {
      const { messages, state } = yield* Agent
      return { id: (yield* state).sessionId, count: (yield* messages).length }
    })
    const first = yield* Effect.provide(Effect.zipRight(ask("a"), inspect), one)
    const second = yield* Effect.provide(Effect.zipRight(ask("b"), inspect), two)
    const again = yield* Effect.provide(inspect, one)
    assert.deepStrictEqual([first.count, second.count, again.count], [2, 2, 0])
    assert.strictEqual(new Set([first.id, second.id, again.id]).size, 3)
  })
)
