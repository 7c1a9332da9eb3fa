import { assert, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Mailbox, Scope, Exit, Stream } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import * as AssistantDraft from "../../../../src/domain/conversation/AssistantDraft.ts"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as Events from "../../../../src/layers/session/core/Events.ts"
import type { EventLog } from "../../../../src/services/session/EventLog.ts"
import { model } from "../../../support/agent/ScriptedModel.ts"

const event = (turnIndex: number): AgentEvent => ({ _tag: "TurnStarted", runId: "r", turnIndex, timestamp: 0 })
const events = (count: number) => Array.from({ length: count }, (_, i) => event(i))

/** Publishes more than a reader may leave unread, and returns a fiber that waits for the log. */
const overwhelm = Effect.fnUntraced(function* (log: EventLog, count = 1025) {
  for (const one of events(count)) log.publish(one)
  const waiting = yield* Effect.fork(log.ready)
  yield* Effect.repeatN(Effect.yieldNow(), 5)
  return waiting
})

it.scoped("a Stream has every event since subscribe returned, also those before it is run", () =>
  Effect.gen(function* () {
    const log = Events.make("e")
    log.publish(event(99))
    const stream = yield* Events.subscribe(log.attach)
    for (const one of events(3)) log.publish(one)
    assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(stream, 3))), events(3))
  })
)

it.scoped("the run waits while a reader is more than 1024 events behind, and no event is refused", () =>
  Effect.gen(function* () {
    const log = Events.make("e")
    const stream = yield* Events.subscribe(log.attach)
    const early = yield* overwhelm(log, 1024)
    assert.isNotNull(early.unsafePoll())
    const waiting = yield* overwhelm(log, 1)
    assert.isNull(waiting.unsafePoll())
    const read = yield* Stream.runCollect(Stream.take(stream, 1025))
    assert.strictEqual(read.length, 1025)
    yield* Fiber.join(waiting)
    yield* log.ready
  })
)

it.scoped("a reader that leaves ends its Stream after the events it was given, and nothing waits for it", () =>
  Effect.gen(function* () {
    const log = Events.make("e")
    const scope = yield* Scope.make()
    const stream = yield* Scope.extend(Events.subscribe(log.attach), scope)
    const waiting = yield* overwhelm(log)
    assert.isNull(waiting.unsafePoll())
    yield* Scope.close(scope, Exit.void)
    yield* Fiber.join(waiting)
    log.publish(event(99))
    yield* log.ready
    assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Stream.runCollect(stream)), events(1025))
  })
)

it.scoped("the run waits for the slowest of several readers", () =>
  Effect.gen(function* () {
    const log = Events.make("e")
    const [fast, slow] = [yield* Events.subscribe(log.attach), yield* Events.subscribe(log.attach)]
    const taken = yield* Mailbox.make<AgentEvent>()
    yield* Effect.forkScoped(Stream.runForEach(fast, (one) => taken.offer(one)))
    const waiting = yield* overwhelm(log)
    yield* taken.takeN(1025)
    assert.isNull(waiting.unsafePoll())
    yield* Stream.runDrain(Stream.take(slow, 1))
    yield* Fiber.join(waiting)
  })
)

it.scoped("what failed before anybody listened is told to the first who does, a hundred at most", () =>
  Effect.gen(function* () {
    const log = Events.make("e")
    const failed = (n: number): AgentEvent => ({
      _tag: "ExtensionFailed",
      extensionPath: "a.ts",
      event: "load",
      error: String(n)
    })
    log.publish(event(1))
    for (let n = 0; n < 120; n++) log.publish(failed(n))
    const [first, second]: [Array<AgentEvent>, Array<AgentEvent>] = [[], []]
    for (const seen of [first, second]) yield* log.attach({ offer: (one) => void seen.push(one), ready: Effect.void })
    assert.deepStrictEqual(
      first,
      Array.from({ length: 100 }, (_, n) => failed(n))
    )
    assert.deepStrictEqual(second, [])
  })
)

/** A session that streams, calls a tool that reports, and names itself: its events, one by one. */
const session = (): ReadonlyArray<AgentEvent> => {
  let draft = AssistantDraft.empty(model, 0)
  const play = (event: ModelEvent): ReadonlyArray<AgentEvent> => {
    const [next, update] = AssistantDraft.apply(draft, event)
    draft = next
    return update === undefined ? [] : [{ _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update }]
  }
  const tool = { toolCallId: "t", toolName: "bash", args: {} }
  const text = (text: string) => ({ content: [{ type: "text", text } as const] })
  const deltas = (letters: string) => [...letters].flatMap((delta) => play({ _tag: "Delta", delta }))
  return [
    event(0),
    ...play({ _tag: "ThinkingStarted" }),
    ...deltas("hm"),
    ...play({ _tag: "BlockEnded" }),
    ...play({ _tag: "TextStarted" }),
    ...deltas("abcd"),
    event(1),
    ...deltas("efgh"),
    ...play({ _tag: "BlockEnded" }),
    { _tag: "ToolStarted", ...tool, runId: "r" },
    ...["1", "12", "123"].map((so): AgentEvent => ({
      _tag: "ToolUpdated",
      ...tool,
      partialResult: text(so),
      runId: "r"
    })),
    { _tag: "ToolEnded", ...tool, result: text("123!"), isError: false, durationMs: 1, runId: "r" },
    { _tag: "SessionNamed", name: "n" }
  ]
}

/** What the events say: texts of blocks joined, progress without what was superseded. */
const said = (all: ReadonlyArray<AgentEvent>) => {
  const seen: Array<string> = []
  for (const one of all) {
    const last = seen.at(-1) ?? ""
    if (one._tag === "MessageUpdated" && one.update.step === "delta") {
      if (last.startsWith("delta ")) seen[seen.length - 1] = last + one.update.delta
      else seen.push(`delta ${one.update.delta}`)
    } else if (one._tag === "MessageUpdated") seen.push(one.update.step)
    else if (one._tag !== "ToolUpdated") seen.push(one._tag)
  }
  return seen
}

const watcher = () => {
  const seen: Array<AgentEvent> = []
  return { seen, sink: { offer: (one: AgentEvent) => void seen.push(one), ready: Effect.void } }
}

it.scoped("an observer that attaches at any position, at any time, has every event behind it once and in order", () =>
  Effect.gen(function* () {
    const all = session()
    for (let until = 0; until <= all.length; until++) {
      for (let from = 0; from <= until; from++) {
        const log = Events.make("e")
        for (const one of all.slice(0, until)) log.publish(one)
        const { seen, sink } = watcher()
        assert.strictEqual(yield* log.attach(sink, from), "live")
        for (const one of all.slice(until)) log.publish(one)
        assert.deepStrictEqual(said(seen), said(all.slice(from)), `from ${from} when ${until} had happened`)
      }
    }
  })
)

it.scoped("an observer that attaches while a call reports gets its newest progress only", () =>
  Effect.gen(function* () {
    const log = Events.make("e")
    const all = session()
    for (const one of all.slice(
      0,
      all.findIndex(({ _tag }) => _tag === "ToolEnded")
    ))
      log.publish(one)
    const { seen, sink } = watcher()
    yield* log.attach(sink, 0)
    const progress = seen.filter(({ _tag }) => _tag === "ToolUpdated")
    assert.deepStrictEqual(progress, [all.at(-3)])
  })
)

it.scoped("one that attaches while an event is published has it once, and none of what it did not ask for", () =>
  Effect.gen(function* () {
    const log = Events.make("e")
    const [late, later] = [watcher(), watcher()]
    const scope = yield* Effect.scope
    const begin = (sink: typeof late.sink, from?: number) => Effect.runSync(Scope.extend(log.attach(sink, from), scope))
    let begun = false
    yield* log.attach({
      offer: () => {
        if (begun) return
        begun = true
        begin(late.sink, 0)
        begin(later.sink)
      },
      ready: Effect.void
    })
    for (const one of events(2)) log.publish(one)
    assert.deepStrictEqual(late.seen, events(2))
    assert.deepStrictEqual(later.seen, [event(1)])
  })
)

it.scoped("the log is bounded: what is gone is said, not skipped, and a long answer is kept as one draft", () =>
  Effect.gen(function* () {
    const log = Events.make("e")
    let draft = AssistantDraft.empty(model, 0)
    const play = (event: ModelEvent) => {
      const [next, update] = AssistantDraft.apply(draft, event)
      draft = next
      if (update !== undefined) log.publish({ _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update })
    }
    play({ _tag: "TextStarted" })
    for (let n = 0; n < 5000; n++) play({ _tag: "Delta", delta: `${n} ` })
    assert.strictEqual(log.position(), 5001)
    const early = watcher()
    assert.strictEqual(yield* log.attach(early.sink, 0), "evicted")
    const recent = watcher()
    assert.strictEqual(yield* log.attach(recent.sink, 5001 - 512), "live")
    play({ _tag: "Delta", delta: "end" })
    assert.deepStrictEqual(early.seen, [])
    assert.strictEqual(recent.seen.length, 2)
    const numbers = Array.from({ length: 512 }, (_, n) => `${4488 + n} `).join("")
    assert.deepStrictEqual(said(recent.seen), [`delta ${numbers}end`])
    const future = watcher()
    assert.strictEqual(yield* log.attach(future.sink, 9999), "live")
    assert.deepStrictEqual(future.seen, [])
  })
)

it.scoped("what subagents say is not kept, and the epoch is that of the newest change", () =>
  Effect.gen(function* () {
    const log = Events.make("e")
    log.publish({ _tag: "SubagentSaid", id: "sub", event: event(0) })
    assert.strictEqual(log.epoch(), "e")
    log.publish({ _tag: "SessionChanged", sessionId: "s2", epoch: "e2" })
    const { seen, sink } = watcher()
    yield* log.attach(sink, 0)
    assert.deepStrictEqual(
      seen.map(({ _tag }) => _tag),
      ["SessionChanged"]
    )
    assert.strictEqual(log.epoch(), "e2")
  })
)
