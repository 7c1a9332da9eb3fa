import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, TestClock } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import { zeroTokens } from "../../../src/domain/model/Usage.ts"
import type { ModelRequest } from "../../../src/services/model/ModelClient.ts"
import type { SettingsValues } from "../../../src/services/Settings.ts"
import * as Harness from "../../support/agent/AgentHarness.ts"
import { violations } from "../../support/agent/EventGrammar.ts"
import { type RuleTexts, rule } from "../../support/agent/RuleTexts.ts"
import { call, failure, say, type ScriptedTurn } from "../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../support/agent/TestAgent.ts"

interface Case {
  readonly rules: RuleTexts
  readonly turns: ReadonlyArray<ScriptedTurn>
  readonly settings?: Partial<SettingsValues>
  readonly options?: TestAgent.AgentOptions
}

const noConsole = { "no-console": rule({ condition: "console" }, "Use the logger.") }

/** An answer in two pieces that arrive together, and that goes on until it is cut. */
const cut = (first: string, second: string): ScriptedTurn => ({
  events: [
    { _tag: "UsageReported", tokens: { ...zeroTokens, input: 7 } },
    { _tag: "TextStarted" },
    { _tag: "Delta", delta: first },
    { _tag: "Delta", delta: second }
  ],
  after: "hang"
})

/** Every reading of the counter is a slow look later than the one before. */
const withSlowClock = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.clock, (clock) => {
    let nanos = 0n
    return Effect.withClock(effect, {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
      unsafeCurrentTimeNanos: () => (nanos += 41_000_000n),
      currentTimeMillis: clock.currentTimeMillis,
      currentTimeNanos: clock.currentTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    })
  })

const agentFor = ({ options, rules, settings, turns }: Case) =>
  Effect.map(TestAgent.make({ turns, ...options, settings: { ...settings } }, { rules }), (made) => {
    const ask = (text: string) => Effect.orDie(Effect.zipRight(made.agent.prompt({ text }), made.agent.awaitIdle))
    return Object.assign(made, { ask })
  })

/** Every message that the model was sent, as `role: text`; injected rules by their names. */
const sent = (request: ModelRequest | undefined) =>
  request?.messages.map(({ content, role }) => {
    const text = content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("")
    const names = [...text.matchAll(/rule="([^"]+)"/g)].map(([, name]) => name)
    return `${role}: ${names.length > 0 ? `<${names.join()}>` : text}`
  })

const triggered = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "RulesTriggered" ? [event.rules.map(({ name }) => name).join()] : []))

const notices = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "Notice" && event.source === "rules" ? [event.message] : []))

const turnEnd = ["MessageEnded:assistant/aborted", "TurnEnded", "TurnStarted"]
const runEnd = ["TurnEnded", "RunEnded", "PromptFinished:completed", "RunSettled", "SessionSettled"]

describe("a rule that fires", () => {
  it.scoped("cuts the call, tells the model, and the partial answer is left out", () =>
    Effect.gen(function* () {
      const { ask, events, script, session } = yield* agentFor({
        rules: noConsole,
        turns: [cut("cons", "ole"), say("ok")]
      })
      yield* ask("go")
      assert.deepStrictEqual(Harness.summary(events), [
        "RunStarted",
        "TurnStarted",
        "MessageEnded:user",
        "RulesTriggered",
        ...turnEnd,
        "MessageEnded:custom",
        "MessageEnded:assistant/stop",
        ...runEnd
      ])
      assert.deepStrictEqual(violations(events), [])
      const updates = events.flatMap((event) =>
        event._tag === "MessageUpdated"
          ? [event.update.step === "delta" ? event.update.delta : event.update.step]
          : [event._tag]
      )
      const at = updates.indexOf("RulesTriggered")
      assert.deepStrictEqual(updates.slice(at - 2, at + 3), ["cons", "ole", "RulesTriggered", "end", "MessageEnded"])
      const [, second] = yield* script.requests
      assert.deepStrictEqual(sent(second), ["user: go", "user: <no-console>"])
      assert.strictEqual(yield* script.open, 0)
      const entries = yield* session.branch
      assert.deepStrictEqual(
        entries.map((entry) => (entry.type === "ttsr_injection" ? entry.injectedRules : entry.type)),
        ["message", "message", "custom_message", ["no-console"], "message"]
      )
      const partial = entries[1]
      assert.isTrue(partial?.type === "message" && partial.message.role === "assistant")
      if (partial?.type !== "message" || partial.message.role !== "assistant") return
      const { content, errorMessage, stopReason, usage } = partial.message
      assert.deepStrictEqual(
        [content, errorMessage, stopReason, usage.input],
        [[{ type: "text", text: "console" }], "Cut off by a stream rule: no-console", "aborted", 7]
      )
    })
  )

  it.scoped("`keep` leaves the partial answer in the conversation", () =>
    Effect.gen(function* () {
      const settings = { "ttsr.contextMode": "keep" as const }
      const { ask, script } = yield* agentFor({ rules: noConsole, settings, turns: [cut("cons", "ole"), say("ok")] })
      yield* ask("go")
      const [, second] = yield* script.requests
      assert.deepStrictEqual(sent(second), ["user: go", "assistant: console", "user: <no-console>"])
    })
  )

  it.scoped("its tool calls are answered and do not run", () =>
    Effect.gen(function* () {
      let ran = 0
      const tools = [Harness.tool("bash", () => Effect.sync(() => (ran++, Harness.output("ran"))))]
      const rules = { r: rule({ condition: "rm -rf", scope: "bash" }) }
      const first = call(["A", "bash", { command: "ls" }], ["B", "bash", { command: "rm -rf x" }])
      const { ask, events, script } = yield* agentFor({ rules, turns: [first, say("ok")], options: { tools } })
      yield* ask("go")
      assert.deepStrictEqual(violations(events), [])
      assert.deepStrictEqual(Harness.resultTexts(events), [
        "Tool execution was aborted: Cut off by a stream rule: r",
        "Tool execution was aborted: Cut off by a stream rule: r"
      ])
      assert.deepStrictEqual([ran, sent((yield* script.requests)[1])], [0, ["user: go", "user: <r>"]])
    })
  )

  it.scoped("once in a session, also after it was opened again", () =>
    Effect.gen(function* () {
      const turns = [cut("cons", "ole"), say("ok"), say("console"), say("console again")]
      const made = yield* agentFor({ rules: noConsole, turns })
      yield* made.ask("one")
      yield* made.ask("two")
      const { sessionId } = yield* made.session.info
      const changes = yield* made.sessions.changes
      yield* changes.create({})
      yield* changes.open(sessionId)
      yield* made.ask("three")
      assert.deepStrictEqual(triggered(made.events), ["no-console"])
      const requests = yield* made.script.requests
      assert.deepStrictEqual(sent(requests[3]), [
        "user: one",
        "user: <no-console>",
        "assistant: ok",
        "user: two",
        "assistant: console",
        "user: three"
      ])
      yield* changes.create({})
      assert.deepStrictEqual(requests.length, 4)
    })
  )

  it.scoped("after a branch was left on which it was told, it may fire again", () =>
    Effect.gen(function* () {
      const made = yield* agentFor({
        rules: noConsole,
        turns: [say("hi"), cut("cons", "ole"), say("ok"), cut("cons", "ole"), say("ok")]
      })
      yield* made.ask("one")
      yield* made.ask("two")
      const second = (yield* made.session.branch).find(
        (entry) =>
          entry.type === "message" &&
          entry.message.role === "user" &&
          JSON.stringify(entry.message.content).includes("two")
      )
      yield* (yield* made.sessions.changes).navigate({ entryId: second?.id ?? "" })
      yield* made.ask("three")
      assert.deepStrictEqual(triggered(made.events), ["no-console", "no-console"])
    })
  )

  it.scoped("again after a gap of completed turns", () =>
    Effect.gen(function* () {
      const settings = { "ttsr.repeatMode": "after-gap", "ttsr.repeatGap": 2 } as const
      const turns = [cut("cons", "ole"), say("console"), say("console"), cut("cons", "ole"), say("ok")]
      const { ask, events } = yield* agentFor({ rules: noConsole, settings, turns })
      yield* ask("one")
      yield* ask("two")
      assert.deepStrictEqual(triggered(events), ["no-console"])
      yield* ask("three")
      assert.deepStrictEqual(triggered(events), ["no-console", "no-console"])
    })
  )

  it.scoped("at most five times in a turn, then the turn is not watched", () =>
    Effect.gen(function* () {
      const rules = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`r${at}`, rule({ condition: `w${at}` })]))
      const turns = [0, 1, 2, 3, 4].map((at) => cut("w", String(at)))
      const { ask, events, script } = yield* agentFor({ rules, turns: [...turns, say("w5"), cut("w", "6"), say("ok")] })
      yield* ask("go")
      assert.deepStrictEqual(triggered(events), ["r0", "r1", "r2", "r3", "r4"])
      assert.deepStrictEqual(sent((yield* script.requests)[5]), [
        "user: go",
        ...[0, 1, 2, 3, 4].map((at) => `user: <r${at}>`)
      ])
      yield* ask("more")
      assert.deepStrictEqual(triggered(events), ["r0", "r1", "r2", "r3", "r4", "r6"])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("several at one delta are told together", () =>
    Effect.gen(function* () {
      const rules = {
        a: rule({ condition: "x" }),
        b: rule({ condition: "x" }),
        c: rule({ condition: "x", interruptMode: "never" })
      }
      const { ask, events, script } = yield* agentFor({ rules, turns: [cut("a", "x"), say("ok")] })
      yield* ask("go")
      assert.deepStrictEqual(triggered(events), ["a,b"])
      assert.deepStrictEqual(sent((yield* script.requests)[1]), ["user: go", "user: <a,b,c>"])
    })
  )
})

describe("a rule that does not interrupt", () => {
  const later = { later: rule({ condition: "TODO", interruptMode: "never" }) }

  it.scoped("is told after the answer, before a follow-up", () =>
    Effect.gen(function* () {
      const held = yield* Deferred.make<void>()
      const first = { ...say("TODO"), after: Deferred.await(held) }
      const { agent, events, script } = yield* agentFor({ rules: later, turns: [first, say("ok"), say("last")] })
      yield* agent.prompt({ text: "go" })
      yield* agent.enqueue("followUp", { text: "then" })
      yield* Deferred.succeed(held, undefined)
      yield* agent.awaitIdle
      assert.deepStrictEqual(triggered(events), [])
      const requests = yield* script.requests
      assert.deepStrictEqual(sent(requests[1]), ["user: go", "assistant: TODO", "user: <later>"])
      assert.deepStrictEqual(sent(requests[2])?.slice(3), ["assistant: ok", "user: then"])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("is told after the results of tools, and not where tools have ended the run", () =>
    Effect.gen(function* () {
      const tools = [
        Harness.tool("go", () => Effect.succeed(Harness.output("went"))),
        Harness.tool("end", () => Effect.succeed({ ...Harness.output("ended"), terminate: true }))
      ]
      const rules = { later: rule({ condition: "TODO", interruptMode: "never", scope: "tool" }) }
      const turns = [call(["A", "go", { x: "TODO" }]), say("ok")]
      const { ask, script } = yield* agentFor({ rules, turns, options: { tools } })
      yield* ask("go")
      assert.deepStrictEqual(sent((yield* script.requests)[1])?.slice(2), ["toolResult: went", "user: <later>"])
      const ended = yield* agentFor({ rules, turns: [call(["A", "end", { x: "TODO" }])], options: { tools } })
      yield* ended.ask("go")
      assert.deepStrictEqual((yield* ended.script.requests).length, 1)
      assert.deepStrictEqual(Harness.summary(ended.events).slice(-5), runEnd)
    })
  )

  it.scoped("does not turn an answer into an error where maxTurns ends the run", () =>
    Effect.gen(function* () {
      const { ask, events } = yield* agentFor({ rules: later, turns: [say("TODO")], settings: { maxTurns: 1 } })
      yield* ask("go")
      assert.deepStrictEqual(Harness.summary(events).slice(-6), ["MessageEnded:assistant/stop", ...runEnd])
    })
  )
})

describe("rules beside other reasons to call again", () => {
  it.scoped("retries are counted apart, and both partial answers are left out", () =>
    Effect.gen(function* () {
      const failed: ScriptedTurn = { ...cut("par", "tial"), after: failure("overloaded", "529") }
      const turns = [failed, cut("cons", "ole"), failed, say("ok")]
      const { agent, events, script } = yield* agentFor({ rules: noConsole, turns })
      yield* agent.prompt({ text: "go" })
      const idle = yield* Effect.fork(agent.awaitIdle)
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.join(idle)
      assert.deepStrictEqual(
        events.flatMap((event) =>
          event._tag === "RetryScheduled" || event._tag === "RetryEnded" ? [`${event._tag} ${event.attempt}`] : []
        ),
        ["RetryScheduled 1", "RetryScheduled 2", "RetryEnded 2"]
      )
      assert.deepStrictEqual(sent((yield* script.requests)[3]), ["user: go", "user: <no-console>"])
      assert.deepStrictEqual(violations(events), [])
    })
  )

  it.scoped("steering that arrives meanwhile comes first, and the partial answer is left out", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const first = { ...cut("cons", "ole"), before: Effect.as(Deferred.await(gate), []) }
      const { agent, script } = yield* agentFor({ rules: noConsole, turns: [first, say("ok")] })
      yield* agent.prompt({ text: "go" })
      yield* agent.enqueue("steering", { text: "left" })
      yield* Deferred.succeed(gate, undefined)
      yield* agent.awaitIdle
      assert.deepStrictEqual(sent((yield* script.requests)[1]), ["user: go", "user: left", "user: <no-console>"])
    })
  )

  it.scoped("a cut call counts for the budget and not for maxTurns", () =>
    Effect.gen(function* () {
      const turns = [cut("cons", "ole"), say("ok")]
      const { ask, events } = yield* agentFor({ rules: noConsole, turns, settings: { maxTurns: 1 } })
      yield* ask("go")
      assert.deepStrictEqual(Harness.summary(events).slice(-6), ["MessageEnded:assistant/stop", ...runEnd])
      const spent = yield* agentFor({ rules: noConsole, turns, options: { budget: { maxInputTokens: 6 } } })
      yield* spent.ask("go")
      assert.deepStrictEqual((yield* spent.script.requests).length, 1)
    })
  )

  it.scoped("an abort at any moment ends the run in order, and nothing goes on", () =>
    Effect.gen(function* () {
      for (let at = 0; ; at++) {
        const made = yield* agentFor({ rules: noConsole, turns: [cut("cons", "ole"), say("ok"), say("fine")] })
        let [count, acting]: [number, Fiber.RuntimeFiber<unknown> | undefined] = [0, undefined]
        const offer = () =>
          queueMicrotask(() => {
            if (count++ === at) acting = Effect.runFork(made.agent.abort())
          })
        yield* made.agent.events.attach({ offer, ready: Effect.void })
        yield* made.ask("go")
        const aborting: Fiber.RuntimeFiber<unknown> | undefined = acting
        if (aborting !== undefined) yield* Fiber.join(aborting)
        assert.deepStrictEqual(violations(made.events), [], `at ${at}`)
        assert.strictEqual(yield* made.script.open, 0)
        const told = (yield* made.session.branch).filter(({ type }) => type === "ttsr_injection").length
        const said = (yield* made.session.branch).filter(({ type }) => type === "custom_message").length
        assert.strictEqual(told, said, `at ${at}`)
        if (aborting === undefined) return assert.isAbove(at, 10)
      }
    })
  )
})

describe("no rules", () => {
  it.scoped("`ttsr.enabled: false` disables them", () =>
    Effect.gen(function* () {
      const rules = { ...noConsole, bad: rule({ condition: "(" }) }
      const { ask, events } = yield* agentFor({ rules, turns: [say("console")], settings: { "ttsr.enabled": false } })
      yield* ask("go")
      assert.deepStrictEqual([triggered(events), notices(events)], [[], []])
    })
  )

  it.scoped("problems are told once, with the first prompt, and not too many", () =>
    Effect.gen(function* () {
      const rules = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`r${at}`, rule({ condition: "(" })]))
      const { ask, events } = yield* agentFor({ rules, turns: [say("a"), say("b")] })
      assert.deepStrictEqual(notices(events), [])
      yield* ask("one")
      yield* ask("two")
      const told = notices(events)
      assert.deepStrictEqual(
        [told.length, told[0], told[1], told.at(-1)],
        [
          21,
          '/rules/r0.md: condition: "(" missing closing ): `(`',
          "/rules/r0.md: the rule is ignored: it has no valid condition",
          "Rules have 10 more problems"
        ]
      )
    })
  )

  it.scoped("patterns that take too much time are given up on, and the answer comes", () =>
    Effect.gen(function* () {
      const deltas = Array.from({ length: 3000 }, () => ({ _tag: "Delta", delta: "foo " }) as const)
      const slow: ScriptedTurn = {
        events: [{ _tag: "TextStarted" }, ...deltas, { _tag: "BlockEnded" }, { _tag: "Finished", stopReason: "stop" }]
      }
      const rules = { slow: rule({ condition: "foo bar" }), ...noConsole }
      const { ask, events } = yield* agentFor({ rules, turns: [slow, slow] })
      yield* ask("one")
      yield* ask("two")
      assert.strictEqual(notices(events).length, 1)
      assert.match(
        notices(events)[0] ?? "",
        /^The conditions of stream rules take too much time on this output \(text\)/
      )
      assert.deepStrictEqual(triggered(events), [])
    }).pipe(withSlowClock)
  )
})
