import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import * as MemorySessionStore from "../../../src/layers/session/MemorySessionStore.ts"
import { SessionStore } from "../../../src/services/session/SessionStore.ts"
import { cutOff, ToolFailure } from "../../../src/services/Tools.ts"
import * as Harness from "../../support/agent/AgentHarness.ts"
import { call, failure, say } from "../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../support/agent/TestAgent.ts"

const { output, resultTexts, summary, tool } = Harness
const end = ["RunEnded", "PromptFinished:completed", "RunSettled", "SessionSettled"]
const endAs = (status: string) => ["RunEnded", `PromptFinished:${status}`, "RunSettled", "SessionSettled"]
const user = ["RunStarted", "TurnStarted", "MessageEnded:user"]

it.effect("a prompt without tools is one turn, and its events come in order", () =>
  Harness.run({ turns: [say("Hello")] }, ({ agent, events, script, session }) =>
    Effect.gen(function* () {
      const receipt = yield* agent.prompt({ text: "Hi", requestId: "r" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(receipt, { disposition: "started", runId: "run_1", messageId: "msg_1" })
      assert.deepStrictEqual(summary(events), [...user, "MessageEnded:assistant/stop", "TurnEnded", ...end])
      assert.strictEqual((yield* script.requests).length, 1)
      assert.strictEqual((yield* session.messages).length, 2)
    })
  )
)

it.effect("the end of a run is told only when everything it said survives a power cut", () =>
  Effect.gen(function* () {
    const [syncing, synced] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const memory = MemorySessionStore.layer({ cwd: "/" })
    const store = Layer.map(memory, (context) => {
      const service = Context.get(context, SessionStore)
      const sync = Effect.zipRight(Deferred.succeed(syncing, undefined), Deferred.await(synced))
      const create: typeof service.create = (given) => Effect.map(service.create(given), (log) => ({ ...log, sync }))
      return Context.make(SessionStore, { ...service, create })
    })
    const { agent, events } = yield* TestAgent.make({ turns: [say("Hello")] }, { store })
    yield* agent.prompt({ text: "Hi" })
    yield* Effect.raceFirst(Deferred.await(syncing), agent.awaitIdle)
    assert.strictEqual(summary(events).at(-1), "TurnEnded")
    assert.isTrue((yield* agent.state).isStreaming)
    yield* Deferred.succeed(synced, undefined)
    yield* agent.awaitIdle
    assert.deepStrictEqual(summary(events).slice(-end.length), end)
  }).pipe(Effect.scoped)
)

it.effect("the acceptance is told before the first event, and rejections leave the session idle", () =>
  Harness.run({ turns: [say("a")], budget: { maxTotalTokens: 0 } }, ({ agent, events, session }) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(agent.prompt({ text: "Hi" }))
      assert.strictEqual(refused._tag, "BudgetExceeded")
      assert.deepStrictEqual(summary(events), ["BudgetSpent"])
      assert.isFalse((yield* agent.state).isStreaming)
      assert.strictEqual((yield* session.messages).length, 0)
    })
  )
)

it.effect("a second prompt is refused while one runs, and any prompt once the session closes", () =>
  Harness.run({ turns: [{ events: [], after: "hang" }] }, ({ agent }) =>
    Effect.gen(function* () {
      yield* agent.prompt({ text: "a" })
      assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "b" })))._tag, "AgentBusy")
      yield* agent.close
      yield* agent.abort()
      assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "c" })))._tag, "AgentClosing")
    })
  )
)

it.effect("shared calls end in their own order, results keep the order of the calls", () =>
  Effect.gen(function* () {
    const slow = yield* Deferred.make<void>()
    const tools = [
      tool("slow", () => Effect.as(Deferred.await(slow), output("slow done"))),
      tool("fast", () => Effect.as(Deferred.succeed(slow, undefined), output("fast done")))
    ]
    yield* Harness.run({ turns: [call(["A", "slow", {}], ["B", "fast", {}]), say("ok")], tools }, ({ agent, events }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go" })
        yield* agent.awaitIdle
        const order = summary(events).filter((word) => word.startsWith("Tool"))
        assert.deepStrictEqual(order, ["ToolStarted:A", "ToolStarted:B", "ToolEnded:B", "ToolEnded:A"])
        const turn = events.find((event) => event._tag === "TurnEnded")
        const ids = turn?._tag === "TurnEnded" ? turn.toolResults.map(({ toolCallId }) => toolCallId) : []
        assert.deepStrictEqual(ids, ["A", "B"])
      })
    )
  })
)

it.effect("an exclusive call waits for what is before it and holds back what is after it", () => {
  const step = (name: string) => Effect.as(Effect.yieldNow(), output(name))
  const tools = [
    tool("shared", () => step("shared")),
    tool("exclusive", () => step("exclusive"), { concurrency: "exclusive" })
  ]
  const turns = [call(["A", "shared", {}], ["B", "exclusive", {}], ["C", "shared", {}], ["D", "shared", {}]), say("ok")]
  return Harness.run({ turns, tools }, ({ agent, events }) =>
    Effect.gen(function* () {
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      const order = summary(events).filter((word) => word.startsWith("Tool"))
      assert.deepStrictEqual(order, [
        "ToolStarted:A",
        "ToolEnded:A",
        "ToolStarted:B",
        "ToolEnded:B",
        "ToolStarted:C",
        "ToolStarted:D",
        "ToolEnded:C",
        "ToolEnded:D"
      ])
    })
  )
})

it.effect("calls behind an exclusive one run side by side again, and so do those behind the next", () => {
  let [running, most] = [0, 0]
  const step = (name: string) =>
    Effect.sync(() => (most = Math.max(most, ++running))).pipe(
      Effect.zipRight(Effect.yieldNow()),
      Effect.zipRight(Effect.sync(() => void running--)),
      Effect.as(output(name))
    )
  const tools = [tool("shared", () => step("s")), tool("exclusive", () => step("e"), { concurrency: "exclusive" })]
  const asked = ["exclusive", "shared", "shared", "exclusive", "exclusive", "shared", "shared"] as const
  const [first, ...others] = asked.map((name, at) => [`${at}`, name, {}] as const)
  if (first === undefined) return assert.fail("no calls")
  return Harness.run({ turns: [call(first, ...others), say("ok")], tools }, ({ agent, events }) =>
    Effect.gen(function* () {
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      const order = summary(events).flatMap((word) => (word.startsWith("Tool") ? [word.slice("Tool".length)] : []))
      assert.strictEqual(
        order.join(" "),
        "Started:0 Ended:0 Started:1 Started:2 Ended:1 Ended:2 Started:3 Ended:3 Started:4 Ended:4 " +
          "Started:5 Started:6 Ended:5 Ended:6"
      )
      assert.strictEqual(most, 2)
    })
  )
})

it.effect("a failing tool tells the model and the run goes on", () => {
  const tools = [tool("bad", () => new ToolFailure({ message: "no such thing", details: { tried: 1 } }))]
  return Harness.run({ turns: [call(["A", "bad", {}]), say("ok")], tools }, ({ agent, events, script }) =>
    Effect.gen(function* () {
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(resultTexts(events), ["no such thing"])
      const seen = (yield* script.requests)[1]?.messages.at(-1)
      assert.deepInclude(seen, { role: "toolResult", isError: true, details: { tried: 1 } })
    })
  )
})

it.effect("a defect in a tool ends the run with agent_end and a typed error; sibling calls are ended", () => {
  const tools = [tool("boom", () => Effect.dieMessage("kaput")), tool("waits", () => Effect.never)]
  return Harness.run(
    { turns: [call(["A", "waits", {}], ["B", "boom", {}]), say("next")], tools },
    ({ agent, events }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go" })
        yield* agent.awaitIdle
        assert.deepStrictEqual(summary(events).slice(-4), endAs("error"))
        assert.includeMembers([...summary(events)], ["ToolEnded:A!", "ToolEnded:B!", "MessageEnded:assistant/error"])
        const finished = events.find((event) => event._tag === "PromptFinished")
        const message = finished?._tag === "PromptFinished" ? finished.error?.message : ""
        assert.match(message ?? "", /Internal error: .*kaput/)
        yield* agent.prompt({ text: "again" })
        yield* agent.awaitIdle
        assert.deepStrictEqual(summary(events).slice(-4), end)
      })
  )
})

it.effect("a provider that dies, fails or runs out of script ends the run the same way", () =>
  Effect.forEach(
    [
      { events: [], after: Effect.dieMessage("kaput") },
      { events: [{ _tag: "TextStarted" as const }], after: failure("invalid_request", "400 bad request") }
    ],
    (turn) =>
      Harness.run({ turns: [turn] }, ({ agent, events }) =>
        Effect.gen(function* () {
          yield* agent.prompt({ text: "go" })
          if (turn.events.length === 0) yield* agent.abort()
          yield* agent.awaitIdle
          const status = turn.events.length === 0 ? "aborted" : "error"
          assert.deepStrictEqual(summary(events).slice(-4), endAs(status))
        })
      )
  )
)

it.effect("abort while a tool runs keeps its output, answers calls not begun, and adds the aborted turn (4.9)", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const tools = [
      tool(
        "work",
        (_, { orInterrupted }) =>
          Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
            orInterrupted((reason) => Effect.succeed(cutOff(reason, output("half"))))
          ),
        { abortedText: "Command aborted" }
      ),
      tool("edit", () => Effect.succeed(output("never")), { concurrency: "exclusive" })
    ]
    yield* Harness.run({ turns: [call(["A", "work", {}], ["B", "edit", {}])], tools }, ({ agent, events }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go" })
        yield* Deferred.await(begun)
        yield* agent.abort()
        assert.deepStrictEqual(resultTexts(events), ["half\n\nCommand aborted", "Tool execution was aborted."])
        assert.deepStrictEqual(
          summary(events).slice(-8),
          [
            "MessageEnded:toolResult",
            "TurnEnded",
            "TurnStarted",
            "MessageEnded:assistant/aborted",
            "TurnEnded",
            ...endAs("aborted")
          ].slice(-8)
        )
      })
    )
  })
)

it.effect("two aborts at once, and one when idle, all return after the run has ended", () =>
  Harness.run({ turns: [{ events: [], after: "hang" }] }, ({ agent, events, script }) =>
    Effect.gen(function* () {
      yield* agent.prompt({ text: "go" })
      const aborts = yield* Effect.fork(Effect.all([agent.abort(), agent.abort()], { concurrency: 2 }))
      yield* Fiber.join(aborts)
      yield* agent.abort()
      assert.strictEqual(events.filter(({ _tag }) => _tag === "RunEnded").length, 1)
      assert.strictEqual(yield* script.open, 0)
    })
  )
)

it.effect("a spent budget ends the run after the tools, without another model call", () =>
  Harness.run(
    {
      turns: [call(["A", "t", {}], ["B", "t", {}]), say("never")],
      tools: [tool("t", () => Effect.succeed(output("ok")))],
      budget: { maxToolCalls: 1 }
    },
    ({ agent, events, script }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go" })
        yield* agent.awaitIdle
        assert.deepStrictEqual(resultTexts(events), ["ok", "Budget exceeded (tool_calls): tool call not started."])
        assert.strictEqual((yield* script.requests).length, 1)
        assert.deepStrictEqual(summary(events).slice(-5), [
          "TurnEnded",
          "RunEnded",
          "PromptFinished:error",
          "RunSettled",
          "SessionSettled"
        ])
      })
  )
)

it.effect("a reader that falls behind pauses the run, and abort does not wait for it", () =>
  Harness.run({ turns: [{ events: [{ _tag: "TextStarted" }], after: "hang" }] }, ({ agent }) =>
    Effect.gen(function* () {
      yield* agent.events.attach({ offer: () => {}, ready: Effect.never })
      yield* agent.prompt({ text: "go" })
      yield* agent.abort()
      assert.isFalse((yield* agent.state).isStreaming)
    })
  )
)

it.effect("models and levels: unknown ones are refused, changes are announced once", () =>
  Harness.run({ turns: [] }, ({ agent, controls, events }) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(controls.setModel("x", "y")))._tag, "ModelNotFound")
      assert.strictEqual((yield* controls.setModel("scripted", "test-model")).id, "test-model")
      assert.strictEqual(yield* controls.setThinkingLevel("high"), "off")
      assert.isNull(yield* controls.cycleModel)
      assert.isNull(yield* controls.cycleThinkingLevel)
      assert.deepStrictEqual(events, [])
      assert.deepStrictEqual(Option.fromNullable((yield* agent.state).sessionFile), Option.none())
    })
  )
)

it.effect("progress that a call reports after its end is not shown", () =>
  Effect.gen(function* () {
    let late: Effect.Effect<void> = Effect.void
    const leaks = Harness.tool("leaks", (_, { progress }) =>
      Effect.sync(() => {
        late = progress(Harness.output("too late"))
        return Harness.output("done")
      })
    )
    const tells = Harness.tool("tells", () =>
      Effect.as(
        Effect.suspend(() => late),
        Harness.output("told")
      )
    )
    const turns = [call(["A", "leaks", {}]), call(["B", "tells", {}]), say("ok")]
    yield* Harness.run({ turns, tools: [leaks, tells] }, ({ agent, events }) =>
      Effect.gen(function* () {
        yield* Effect.zipRight(agent.prompt({ text: "go" }), agent.awaitIdle)
        assert.deepStrictEqual(
          events.filter(({ _tag }) => _tag === "ToolUpdated"),
          []
        )
        assert.deepStrictEqual(Harness.resultTexts(events), ["done", "told"])
      })
    )
  })
)

it.effect("a run that a defect ends cannot be retried, and leaves the queue for the next prompt", () =>
  Effect.gen(function* () {
    const began = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const dies = Harness.tool("dies", () =>
      Deferred.succeed(began, undefined).pipe(
        Effect.zipRight(Deferred.await(goOn)),
        Effect.zipRight(Effect.dieMessage("a bug"))
      )
    )
    yield* Harness.run({ turns: [call(["A", "dies", {}])], tools: [dies] }, ({ agent, events }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go" })
        yield* Deferred.await(began)
        yield* agent.enqueue("followUp", { text: "F" })
        yield* Deferred.succeed(goOn, undefined)
        yield* agent.awaitIdle
        const finished = events.find(({ _tag }) => _tag === "PromptFinished")
        const error = finished?._tag === "PromptFinished" ? finished.error : undefined
        assert.deepStrictEqual([error?.retryable, error?.message], [false, "Internal error: RuntimeException: a bug"])
        assert.deepStrictEqual(
          (yield* agent.queue.current).followUp.map(({ text }) => text),
          ["F"]
        )
      })
    )
  })
)
