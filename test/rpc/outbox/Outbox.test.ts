import { assert, it } from "@effect/vitest"
import { Deferred, Effect, FastCheck, Fiber, Mailbox, TestClock } from "effect"
import * as AssistantDraft from "../../../src/domain/conversation/AssistantDraft.ts"
import * as Blocks from "../../../src/domain/conversation/Blocks.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import type { UpdateForm } from "../../../src/rpc/connection/Preferences.ts"
import * as Outbox from "../../../src/rpc/outbox/Outbox.ts"
import { HostGone } from "../../../src/services/host/Transport.ts"
import * as Connections from "../../support/Connections.ts"
import { model } from "../../support/agent/ScriptedModel.ts"

/** A step of a session: text of a delta, or the kind of something that must arrive as it is. */
type Step = { readonly delta: string } | "turn" | "response" | "record" | "block"

const steps = FastCheck.array(
  FastCheck.oneof(
    { weight: 6, arbitrary: FastCheck.record({ delta: FastCheck.string({ minLength: 1, maxLength: 200 }) }) },
    { weight: 1, arbitrary: FastCheck.constantFrom(...(["turn", "response", "record", "block"] as const)) }
  ),
  { maxLength: 200 }
)

/** What a host must see: everything but deltas one by one, and between them all the text there was. */
const expected = (all: ReadonlyArray<Step>) => {
  const seen: Array<string> = ["start"]
  let text = ""
  const control = (name: string) => {
    if (text !== "") seen.push(`text ${text}`)
    text = ""
    seen.push(name)
  }
  all.forEach((step, i) => {
    if (typeof step === "object") text += step.delta
    else if (step === "block") seen.push(...(text === "" ? [] : [`text ${text}`]), "end", "start")
    else control(`${step} ${i}`)
    if (step === "block") text = ""
  })
  control("end")
  return seen
}

const observed = (lines: ReadonlyArray<string>) => {
  const seen: Array<string> = []
  const frames = lines.map((line) => JSON.parse(line))
  for (const { assistantMessageEvent: update, id, n, turnIndex, type } of frames) {
    const last = seen.at(-1) ?? ""
    if (type === "turn_start") seen.push(`turn ${turnIndex}`)
    else if (type === "response") seen.push(`response ${id}`)
    else if (type === "note") seen.push(`record ${n}`)
    else if (update.type !== "text_delta") seen.push(update.type.replace("text_", ""))
    else if (last.startsWith("text ")) seen[seen.length - 1] = last + update.delta
    else seen.push(`text ${update.delta}`)
  }
  const numbers = frames.filter(({ type }) => type !== "response").map(({ seq }) => seq)
  return { seen, numbers }
}

const setUp = Effect.fnUntraced(function* (
  updates: UpdateForm,
  write: (text: string) => Effect.Effect<void, HostGone>,
  gather: Effect.Effect<void> = Effect.yieldNow()
) {
  const input = yield* Mailbox.make<Uint8Array>()
  return yield* Outbox.make({ input, write, gather }, Connections.make(updates))
})

const offerAll = (outbox: Outbox.Outbox, all: ReadonlyArray<Step>, pause: (i: number) => boolean) =>
  Effect.gen(function* () {
    let draft = AssistantDraft.empty(model, 0)
    const play = (event: ModelEvent) => {
      const [next, update] = AssistantDraft.apply(draft, event)
      draft = next
      if (update !== undefined) outbox.offer({ _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update })
    }
    play({ _tag: "TextStarted" })
    for (const [i, step] of all.entries()) {
      if (typeof step === "object") play({ _tag: "Delta", delta: step.delta })
      else if (step === "turn") outbox.offer({ _tag: "TurnStarted", runId: "r", turnIndex: i, timestamp: 0 })
      else if (step === "response") outbox.respond({ id: i, type: "response", command: "x", success: true })
      else if (step === "record") outbox.record({ type: "note", n: i })
      else {
        play({ _tag: "BlockEnded" })
        play({ _tag: "TextStarted" })
      }
      if (pause(i)) yield* Effect.yieldNow()
    }
    play({ _tag: "BlockEnded" })
    yield* outbox.end
  })

it.effect.prop(
  "whatever the reader's pace, only deltas are merged: nothing else is dropped, merged or moved",
  [steps, FastCheck.constantFrom(...(["full", "delta"] as const)), FastCheck.integer({ min: 1, max: 9 })],
  ([all, form, pace]) =>
    Effect.gen(function* () {
      let text = ""
      const slow = (more: string) =>
        Effect.zipRight(
          Effect.repeatN(Effect.yieldNow(), pace),
          Effect.sync(() => void (text += more))
        )
      const { outbox, run } = yield* setUp(form, slow)
      const writing = yield* Effect.fork(run)
      yield* offerAll(outbox, all, (i) => i % pace === 0)
      yield* Fiber.join(writing)
      const { numbers, seen } = observed(text.split("\n").slice(0, -1))
      assert.deepStrictEqual(seen, expected(all))
      assert.deepStrictEqual(
        numbers,
        numbers.map((_, i) => i + 1)
      )
    }),
  { fastCheck: { numRuns: 150 } }
)

it.effect("deltas that are held back are written before the end, also when nothing follows them", () =>
  Effect.gen(function* () {
    let text = ""
    const { outbox, run } = yield* setUp("full", (more) => Effect.sync(() => void (text += more)))
    const block = { type: "text", text: "x".repeat(10_000) } as const
    const draft = { ...AssistantDraft.empty(model, 0), blocks: Blocks.append(undefined, block), open: true }
    const update = { kind: "text", step: "delta", contentIndex: 0, delta: "y" } as const
    outbox.offer({ _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update })
    yield* outbox.end
    yield* run
    assert.include(text, '"delta":"y"')
  })
)

it.effect("what breaks a silence waits for the turn of the event loop to end, what is being typed does not", () =>
  Effect.gen(function* () {
    let text = ""
    const turn: Array<() => void> = []
    const endTurn = Effect.zipRight(
      Effect.sync(() => {
        for (const go of turn.splice(0)) go()
      }),
      Effect.repeatN(Effect.yieldNow(), 5)
    )
    const write = (more: string) => Effect.sync(() => void (text += more))
    const gather = Effect.async<void>((resume) => void turn.push(() => resume(Effect.void)))
    const { outbox, run } = yield* setUp("delta", write, gather)
    yield* Effect.fork(run)
    yield* Effect.repeatN(Effect.yieldNow(), 5)
    yield* endTurn
    outbox.record({ type: "note", n: 1 })
    yield* Effect.repeatN(Effect.yieldNow(), 20)
    assert.strictEqual(text, "")
    outbox.respond({ type: "response", command: "x", success: true })
    yield* endTurn
    assert.deepStrictEqual(text.match(/"type":"\w+"/g), ['"type":"note"', '"type":"response"'])
    // The turn after a write, in which more may gather.
    yield* endTurn
    const blocks = Blocks.append(undefined, { type: "text", text: "y" })
    const draft = { ...AssistantDraft.empty(model, 0), blocks, open: true }
    const update = { kind: "text", step: "delta", contentIndex: 0, delta: "y" } as const
    outbox.offer({ _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update })
    yield* Effect.repeatN(Effect.yieldNow(), 5)
    assert.include(text, '"delta":"y"')
  })
)

it.effect("a reader that has stopped holds back events and responses each by their own measure", () =>
  Effect.gen(function* () {
    const { outbox, run } = yield* setUp("delta", () => Effect.never)
    yield* Effect.fork(run)
    outbox.record({ type: "note" })
    yield* Effect.repeatN(Effect.yieldNow(), 20)
    const isReady = (ready: Effect.Effect<void>) =>
      Effect.gen(function* () {
        const waiting = yield* Effect.fork(ready)
        yield* Effect.yieldNow()
        const done = waiting.unsafePoll() !== null
        yield* Fiber.interrupt(waiting)
        return done
      })
    for (let i = 0; i < 1024; i++) outbox.record({ type: "note" })
    assert.isTrue(yield* isReady(outbox.ready))
    outbox.record({ type: "note" })
    assert.isFalse(yield* isReady(outbox.ready))
    assert.isTrue(yield* isReady(outbox.readerReady))
    for (let i = 0; i < 8193; i++) outbox.respond({ type: "response", command: "x", success: true })
    assert.isFalse(yield* isReady(outbox.readerReady))
  })
)

it.effect("a host that does not read any more holds up neither the run nor the reader", () =>
  Effect.gen(function* () {
    const fail = yield* Deferred.make<void>()
    const { outbox, run } = yield* setUp("delta", () =>
      Effect.zipRight(Deferred.await(fail), new HostGone({ cause: "closed" }))
    )
    const writing = yield* Effect.fork(Effect.flip(run))
    outbox.record({ type: "note" })
    yield* Effect.repeatN(Effect.yieldNow(), 20)
    for (let i = 0; i < 10_000; i++) outbox.record({ type: "note" })
    const waiting = yield* Effect.fork(Effect.zipRight(outbox.ready, outbox.readerReady))
    yield* Effect.yieldNow()
    assert.isNull(waiting.unsafePoll())
    yield* Deferred.succeed(fail, undefined)
    assert.strictEqual((yield* Fiber.join(writing))._tag, "HostGone")
    yield* Fiber.join(waiting)
    outbox.record({ type: "note" })
    yield* outbox.ready
  })
)

it.effect("deltas that are held back go out after 100 ms each time, when nothing follows them", () =>
  Effect.gen(function* () {
    let text = ""
    const { outbox, run } = yield* setUp("full", (more) => Effect.sync(() => void (text += more)))
    yield* Effect.fork(run)
    const block = { type: "text", text: "x".repeat(10_000) } as const
    const draft = { ...AssistantDraft.empty(model, 0), blocks: Blocks.append(undefined, block), open: true }
    const seen: Array<ReadonlyArray<string>> = []
    for (const delta of ["a", "b", "c"]) {
      const update = { kind: "text", step: "delta", contentIndex: 0, delta } as const
      outbox.offer({ _tag: "MessageUpdated", runId: "r", messageId: "m", draft, update })
      for (const millis of [99, 1]) {
        yield* Effect.repeatN(Effect.yieldNow(), 20)
        yield* TestClock.adjust(millis)
        yield* Effect.repeatN(Effect.yieldNow(), 20)
        seen.push(text.match(/"delta":"."/g) ?? [])
        text = ""
      }
    }
    assert.deepStrictEqual(seen, [[], ['"delta":"a"'], [], ['"delta":"b"'], [], ['"delta":"c"']])
  })
)

it.effect("a run names the file that its session is in by then", () =>
  Effect.gen(function* () {
    let text = ""
    const { outbox, run } = yield* setUp("delta", (more) => Effect.sync(() => void (text += more)))
    const ended = { _tag: "RunEnded", runId: "r", messages: [] } as const
    outbox.offer(ended)
    outbox.offer({ _tag: "SessionChanged", sessionId: "s2", epoch: "e2", sessionFile: "/a.jsonl" })
    outbox.offer(ended)
    outbox.offer({ _tag: "PersistFailed", error: "gone", movedTo: "/b.jsonl" })
    outbox.offer({ _tag: "PersistFailed", error: "full" })
    outbox.offer(ended)
    outbox.offer({ _tag: "SessionChanged", sessionId: "s3", epoch: "e3" })
    outbox.offer(ended)
    yield* outbox.end
    yield* run
    const frames = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const files = frames.filter(({ type }) => type === "agent_end").map(({ sessionFile }) => sessionFile)
    assert.deepStrictEqual(files, [undefined, "/a.jsonl", "/b.jsonl", undefined])
  })
)
