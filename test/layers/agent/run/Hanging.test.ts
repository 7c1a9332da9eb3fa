import { assert, describe, it } from "@effect/vitest"
import * as Usage from "../../../../src/domain/model/Usage.ts"
import { Deferred, Effect, Either, Exit, Fiber, Scope, Supervisor, TestClock, TestServices } from "effect"
import { violations } from "../../../support/agent/EventGrammar.ts"
import { output, tool } from "../../../support/agent/AgentHarness.ts"
import { withUsage } from "../../../support/agent/CompactionHarness.ts"
import * as Fibers from "../../../support/agent/Fibers.ts"
import * as HangingAgent from "../../../support/agent/HangingAgent.ts"
import { call, failure, say } from "../../../support/agent/ScriptedModel.ts"

/**
 * A shared call, a call of a host tool and an exclusive one; a call that fails and is tried again; an answer that did
 * not fit, so that the conversation is compacted and the model asked again; an answer that is long, so that it is
 * compacted once more; a follow-up.
 */
const turns = [
  withUsage(call(["A", "shared", {}], ["B", "host", {}], ["C", "alone", {}]), 10),
  { events: [{ _tag: "TextStarted" as const }], after: failure("overloaded", "529") },
  withUsage(say("from half of it"), 1001),
  withUsage(say("Goal"), 10),
  withUsage(say("short"), 10),
  withUsage(say("A long story about a loom, told at length and with many details."), 20),
  withUsage(say("two"), 20),
  ...Array.from({ length: 8 }, () => say("more"))
]

const options = {
  turns,
  tools: [
    tool("shared", (_, { progress }) => Effect.as(progress(output("half")), output("done"))),
    tool("alone", () => Effect.succeed({ ...output("alone done"), usage: Usage.zero }), {
      concurrency: "exclusive" as const
    })
  ],
  hostTools: [
    {
      name: "host",
      description: "host",
      parameters: { type: "object" },
      timeoutMs: 1000,
      call: () => Effect.succeed(output("host done"))
    }
  ],
  budget: { maxToolCalls: 100, maxTotalTokens: 100_000 },
  settings: { "retry.baseDelayMs": 0, "compaction.keepRecentTokens": 5, "compaction.autoContinue": false }
}

/** The follow-up makes the conversation too long, and the run continues in a new session. */
const handoff = {
  ...options,
  turns: [
    withUsage(say("A long story about a loom, told at length and with many details."), 10),
    withUsage(say("two"), 990),
    withUsage(say("Goal"), 10),
    withUsage(say("short"), 10),
    ...Array.from({ length: 4 }, () => say("more"))
  ],
  settings: { ...options.settings, "compaction.strategy": "handoff" as const }
}

/** Hooks everywhere, of which one hangs. */
const hooked = { ...options, hooks: true as const }

type Script = typeof options | typeof handoff | typeof hooked

const isWrite = (name: string) => name === "SessionLog.append" || name === "SessionLog.sync"

type Hanging = HangingAgent.HangingAgent

/** How a test ends the run. */
interface Ending {
  readonly act: (hanging: Hanging, scope: Scope.CloseableScope) => Effect.Effect<unknown, unknown>
  /** The agent is closed afterwards. */
  readonly closes?: true
  /** Needs a run that has begun. */
  readonly needsRun?: true
}

/** The run that goes on, or went on last: a hook may keep its first event from the sinks. */
const runId = ({ events, supervision }: Hanging) => {
  const running = Fibers.find(supervision.root, "run")?.spec.refs?.["runId"]
  if (running !== undefined) return String(running)
  return events.flatMap((event) => (event._tag === "RunStarted" ? [event.runId] : [])).at(-1) ?? ""
}

const endings = {
  abort: { act: ({ agent }) => agent.abort() },
  interrupt: { act: ({ agent }) => agent.abort({ queue: "keep" }) },
  "cancel of the run's node": {
    act: (hanging) => hanging.supervision.cancel(runId(hanging), 50),
    needsRun: true
  },
  "closing the scope": { act: (_, scope) => Scope.close(scope, Exit.void), closes: true }
} satisfies Readonly<Record<string, Ending>>

const finished = ({ events }: Hanging, requestId: string) =>
  events.flatMap((event) => (event._tag === "PromptFinished" && event.requestId === requestId ? [event.status] : []))

/** Real time, while the clock of the test stands still: a fiber that is not done by then waits for ever. */
const inTime = <A, E>(fiber: Fiber.Fiber<A, E>, why: string) =>
  Effect.flatMap(TestServices.provideLive(Effect.timeoutOption(Fiber.await(fiber), "2 seconds")), (exit) =>
    Effect.flatten(Effect.orElseFail(exit, () => new Error(why)))
  )

/** The prompt and the follow-up, to the end of their run; answers how the prompt was accepted. */
const work = Effect.fnUntraced(function* ({ agent }: Hanging) {
  const accepted = yield* Effect.either(agent.prompt({ text: "p", requestId: "p" }))
  if (Either.isLeft(accepted)) return accepted.left._tag
  yield* Effect.either(agent.prompt({ text: "f", requestId: "f", whenBusy: "followUp" }))
  yield* agent.awaitIdle
  return "Accepted"
})

/** Nothing is left of the run that was ended, and the agent accepts the next prompt. */
const checkNext = Effect.fnUntraced(function* (hanging: Hanging) {
  const { agent, events, script } = hanging
  assert.strictEqual(yield* script.open, 0)
  const next = yield* Effect.fork(Effect.zipRight(agent.prompt({ text: "n", requestId: "n" }), agent.awaitIdle))
  yield* inTime(next, "the next prompt hangs")
  assert.deepStrictEqual(finished(hanging, "n"), ["completed"])
  assert.deepStrictEqual(violations(events), [])
})

const isHook = (name: string) => name.startsWith("Hooks.")

/** How long an ending may wait for hooks that watch, and how long the run that it ended. */
const patienceFor = (script: Script) =>
  "hooks" in script ? ({ short: "250 millis", long: "6 seconds" } as const) : ({ short: "50 millis", long: 0 } as const)

/** A run does not wait for hooks that only watch, so it may have completed. */
const mayComplete = (name: string) => HangingAgent.watched.some((point) => name === `Hooks.${point}`)

const play = (script: Script, ending: Ending, at: number) =>
  Effect.gen(function* () {
    yield* TestClock.adjust(0)
    const supervisor = yield* Supervisor.track
    const played = yield* Effect.gen(function* () {
      const scope = yield* Scope.make()
      const only = (name: string) => ("hooks" in script ? isHook(name) : !isWrite(name))
      const { long, short } = patienceFor(script)
      const hanging = yield* HangingAgent.make({ ...script, at, only }, scope)
      const { events, hung } = hanging
      const working = yield* Effect.fork(work(hanging))
      const name = yield* Effect.raceFirst(hung, Effect.as(Fiber.await(working), undefined))
      // The check of another prompt is no part of the run.
      const isOutside = runId(hanging) === "" || name === "Budget.check"
      if (name === undefined || (ending.needsRun === true && isOutside)) {
        if (name !== undefined) yield* Fiber.interrupt(working)
        yield* Scope.close(scope, Exit.void)
        return name
      }
      const expected = runId(hanging) === "" ? "PromptWithdrawn" : "Accepted"
      const acting = yield* Effect.fork(ending.act(hanging, scope))
      yield* TestClock.adjust(short)
      yield* inTime(acting, `hangs on ${name}`)
      if (ending.closes === true) {
        yield* Fiber.interrupt(working)
      } else {
        yield* TestClock.adjust(long)
        assert.strictEqual(yield* inTime(working, "the prompt hangs"), expected)
        const ends = finished(hanging, "p")
        const end = mayComplete(name) ? (ends[0] ?? "") : "aborted"
        assert.oneOf(end, ["aborted", "completed"])
        assert.deepStrictEqual(ends, expected === "Accepted" ? [end] : [])
        assert.deepStrictEqual(violations(events), [])
        yield* checkNext(hanging)
      }
      assert.deepStrictEqual(violations(events), [])
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* hanging.script.open, 0)
      return name
    }).pipe(Effect.scoped, Effect.supervised(supervisor))
    const left = (yield* supervisor.value).filter((fiber) => fiber.unsafePoll() === null)
    assert.strictEqual(left.length, 0, "a fiber is left")
    return played
  }).pipe(Effect.tapErrorCause(() => Effect.sync(() => console.error(`hung at call ${at}`))))

/** Until the run is over before the hang. Answers the calls that hung. */
const everywhere = Effect.fnUntraced(function* (script: Script, ending: Ending, step: number) {
  const hung = new Set<string>()
  for (let at = 1; ; at += step) {
    const name = yield* play(script, ending, at)
    if (name === undefined) return [...hung].toSorted()
    hung.add(name)
  }
})

const everyService = [
  "Budget.check",
  "Budget.mayCall",
  "Budget.modelCall",
  "Budget.recordUsage",
  "Budget.settle",
  "Budget.toolCall",
  "Hooks.compacted",
  "Hooks.compacting",
  "HostTool.call",
  "Mailbox.takeAll",
  "ModelCatalog.isAvailable",
  "ModelClient.open",
  "ModelClient.stream",
  "Session.branch",
  "Session.entries",
  "Session.info",
  "Session.messages",
  "Session.tail",
  "Tool.run",
  "Tools.active",
  "Tools.find"
]

it.effect(
  "an abort ends a run in which any call of a service hangs",
  () => Effect.map(everywhere(options, endings.abort, 1), (hung) => assert.deepStrictEqual(hung, everyService)),
  60_000
)

it.effect(
  "so it does while the run goes to another session",
  () =>
    Effect.map(everywhere(handoff, endings.abort, 1), (hung) =>
      assert.includeMembers(hung, ["SessionStore.create", "Session.branch", "Session.entries", "Session.info"])
    ),
  60_000
)

describe.each([
  ["interrupt", endings.interrupt],
  ["cancel of the run's node", endings["cancel of the run's node"]],
  ["closing the scope", endings["closing the scope"]]
] as const)("%s", (_, ending) => {
  it.effect(
    "ends it, too",
    () => Effect.map(everywhere(options, ending, 5), (hung) => assert.isAbove(hung.length, 8)),
    60_000
  )
})

const everyHook = [...HangingAgent.asked, ...HangingAgent.watched, "compacting", "compacted"]
const everyHookName = [...everyHook, "providerRequest", "providerResponse"].map((name) => `Hooks.${name}`).toSorted()

describe.each([
  ["an abort", endings.abort, 1],
  ["an interrupt", endings.interrupt, 4],
  ["cancel of the run's node", endings["cancel of the run's node"], 4],
  ["closing the scope", endings["closing the scope"], 4]
] as const)("%s", (_, ending, step) => {
  it.effect(
    "ends a run in which any hook hangs",
    () =>
      Effect.map(everywhere(hooked, ending, step), (hung) =>
        step === 1 ? assert.deepStrictEqual(hung, everyHookName) : assert.isAbove(hung.length, 10)
      ),
    60_000
  )
})

it.effect("a compaction that is stored stays one, whoever is told of it", () =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const hanging = yield* HangingAgent.make({ ...options, at: 1, only: (name) => name === "Hooks.compacted" }, scope)
    const { agent, events, hung, session } = hanging
    yield* agent.prompt({ text: "p" })
    yield* hung
    yield* agent.abort()
    const ended = events.flatMap((event) => (event._tag === "CompactionEnded" ? [event] : []))
    assert.deepInclude(ended[0], { aborted: false, willRetry: true })
    assert.strictEqual((yield* session.entries).filter(({ type }) => type === "compaction").length, 1)
  }).pipe(Effect.scoped)
)

it.effect("an abort withdraws a prompt for whose name the session is read", () =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const only = (name: string) => name === "Session.entries"
    const hanging = yield* HangingAgent.make({ ...options, budget: {}, at: 1, only }, scope)
    const { agent, hung } = hanging
    const named = { text: "p", requestId: "p", clientMessageId: "c" }
    const asking = yield* Effect.fork(Effect.flip(agent.prompt(named)))
    yield* hung
    const aborting = yield* Effect.fork(agent.abort())
    yield* inTime(aborting, "the abort hangs")
    assert.strictEqual((yield* inTime(asking, "the prompt hangs"))._tag, "PromptWithdrawn")
    const again = yield* Effect.fork(Effect.zipLeft(agent.prompt(named), agent.awaitIdle))
    assert.isUndefined((yield* inTime(again, "the same prompt hangs")).duplicate)
    yield* checkNext(hanging)
  }).pipe(Effect.scoped)
)

const overdue = (operation: string) =>
  `Cannot ${operation} session session-1: the store did not answer within 5 seconds`

/** How often the store is called in the run. */
const writes = { "SessionLog.append": 11, "SessionLog.sync": 2 } as const

const hangingWrite = (call: keyof typeof writes, at: number) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const hanging = yield* HangingAgent.make({ ...options, at, only: (name) => name === call }, scope)
    const { agent, events, hung } = hanging
    const failures = () =>
      events.flatMap((event) => (event._tag === "PersistFailed" || event._tag === "Notice" ? [event] : []))
    const working = yield* Effect.fork(work(hanging))
    yield* Effect.raceFirst(hung, Effect.zipRight(Fiber.await(working), Effect.dieMessage("nothing hung")))
    const aborting = yield* Effect.fork(agent.abort())
    yield* TestClock.adjust("4999 millis")
    assert.isNull(aborting.unsafePoll())
    assert.deepStrictEqual(failures(), [])
    yield* TestClock.adjust("1 millis")
    yield* inTime(aborting, "the abort hangs")
    yield* inTime(working, "the prompt hangs")
    const error = overdue(call === "SessionLog.append" ? "append" : "sync")
    const message = `${error}. The conversation goes on in memory and is lost when the process ends.`
    assert.deepStrictEqual(failures(), [
      { _tag: "PersistFailed", error },
      { _tag: "Notice", level: "error", message, source: "session-persistence" }
    ])
    assert.deepStrictEqual(violations(events), [])
    yield* checkNext(hanging)
    const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
    yield* inTime(closing, "the scope hangs")
  }).pipe(Effect.scoped)

describe.each(Object.entries(writes))("%s that hangs", (call, count) => {
  it.effect(
    "is waited for up to the deadline, and announced like any failure of the store",
    () =>
      Effect.forEach(
        Array.from({ length: count }, (_, index) => index + 1),
        (at) => hangingWrite(call === "SessionLog.sync" ? call : "SessionLog.append", at)
      ),
    60_000
  )
})

it.effect("an abort does not wait for the disk; a sync that hangs is announced afterwards", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const started = yield* Deferred.make<void>()
    const stuck = tool("stuck", () => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never))
    const script = { turns: [call(["A", "stuck", {}]), say("next")], tools: [stuck] }
    const hanging = yield* HangingAgent.make({ ...script, at: 1, only: (name) => name === "SessionLog.sync" }, scope)
    const { agent, events, hung } = hanging
    yield* agent.prompt({ text: "p", requestId: "p" })
    yield* Deferred.await(started)
    const aborting = yield* Effect.fork(agent.abort())
    yield* inTime(aborting, "the abort hangs")
    assert.deepStrictEqual(finished(hanging, "p"), ["aborted"])
    assert.strictEqual(yield* hung, "SessionLog.sync")
    yield* TestClock.adjust("5 seconds")
    const errors = events.flatMap((event) => (event._tag === "PersistFailed" ? [event.error] : []))
    assert.deepStrictEqual(errors, [overdue("sync")])
    yield* checkNext(hanging)
    yield* Scope.close(scope, Exit.void)
  }).pipe(Effect.scoped)
)
