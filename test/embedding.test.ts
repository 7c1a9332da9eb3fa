import { assert, it } from "@effect/vitest"
import { Session } from "../src/services/session/Session.ts"
import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import * as Heddle from "../src/index.ts"
import * as EventLoop from "../src/layers/platform/EventLoop.ts"
import * as ScriptedModel from "./support/agent/ScriptedModel.ts"

const { Agent } = Heddle.Agent
const { model, say } = ScriptedModel

/** The program of docs/embedding.md: prompt, and read the events as a Stream until the session has settled. */
const ask = (text: string) =>
  Effect.gen(function* () {
    const agent = yield* Agent
    const events = yield* agent.events.subscribe
    yield* agent.prompt({ text })
    return yield* events.pipe(
      Stream.takeUntil(({ _tag }) => _tag === "SessionSettled"),
      Stream.runFold("", (said, event) =>
        event._tag === "MessageUpdated" && event.update.step === "delta" ? said + event.update.delta : said
      )
    )
  }).pipe(Effect.scoped)

const withTools = (
  hostTools: ReadonlyArray<Heddle.HostTools.HostTool>,
  ...turns: ReadonlyArray<ScriptedModel.ScriptedTurn>
) =>
  Effect.map(ScriptedModel.make(turns), (script) => ({
    ...script,
    agent: Heddle.EmbeddedAgent.layer({ cwd: ".", model, hostTools }).pipe(Layer.provide(script.layer))
  }))
const embedded = (...turns: ReadonlyArray<ScriptedModel.ScriptedTurn>) => withTools([], ...turns)

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
      const { abort, prompt, state } = yield* Agent
      const { messages } = yield* Session
      yield* prompt({ text: "Hi" })
      yield* Effect.repeat(EventLoop.nextTurn, { until: () => Effect.map(open, (count) => count === 1) })
      yield* abort()
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
      const { state } = yield* Agent
      const { messages } = yield* Session
      return { id: (yield* state).sessionId, count: (yield* messages).length }
    })
    const first = yield* Effect.provide(Effect.zipRight(ask("a"), inspect), one)
    const second = yield* Effect.provide(Effect.zipRight(ask("b"), inspect), two)
    const again = yield* Effect.provide(inspect, one)
    assert.deepStrictEqual([first.count, second.count, again.count], [2, 2, 0])
    assert.strictEqual(new Set([first.id, second.id, again.id]).size, 3)
  })
)

it.effect("functions of the program are tools of the model, beside the built-in ones; an abort interrupts them", () =>
  Effect.gen(function* () {
    const called = yield* Deferred.make<void>()
    const interrupted = yield* Deferred.make<void>()
    const clock: Heddle.HostTools.HostTool = {
      name: "clock",
      description: "Tells the time.",
      parameters: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
      call: ({ zone }) => Effect.succeed({ content: [Heddle.Content.text(`noon in ${zone}`)] })
    }
    const dice = Heddle.Tool.make({
      name: "dice",
      description: "Never stops rolling.",
      parameters: Schema.Struct({ sides: Schema.Number }),
      run: () =>
        Effect.zipRight(Deferred.succeed(called, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
    })
    const { agent, requests } = yield* withTools(
      [clock, Heddle.HostToolRegistry.fromTool(dice)],
      ScriptedModel.call(["a", "clock", { zone: "Utrecht" }], ["b", "clock", {}], ["c", "dice", { sides: "six" }]),
      ScriptedModel.call(["d", "dice", { sides: 6 }])
    )
    yield* Effect.gen(function* () {
      const { abort, prompt } = yield* Agent
      const { messages } = yield* Session
      yield* prompt({ text: "roll" })
      yield* Deferred.await(called)
      yield* abort()
      yield* Deferred.await(interrupted)
      // By call, because they stand in the order in which the calls ended.
      const results = new Map(
        (yield* messages).flatMap((message) =>
          message.role === "toolResult" ? [[message.toolCallId, Heddle.Content.plainText(message.content)]] : []
        )
      )
      assert.strictEqual(results.get("a"), "noon in Utrecht")
      const missing = 'Invalid arguments for clock: Instance does not have required property "zone".'
      assert.strictEqual(results.get("b"), missing)
      assert.match(results.get("c") ?? "", /^Invalid arguments for dice: sides: /)
      assert.strictEqual(results.get("d"), "Operation aborted")
    }).pipe(Effect.provide(agent))
    const names = (yield* requests)[0]?.tools.map(({ name }) => name)
    assert.deepStrictEqual(names?.slice(-3), ["todo_write", "clock", "dice"])
  })
)
