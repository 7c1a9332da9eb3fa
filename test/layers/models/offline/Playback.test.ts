import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope, TestClock } from "effect"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import * as Playback from "../../../../src/layers/models/offline/Playback.ts"
import { ModelFailure } from "../../../../src/services/model/ModelClient.ts"
import { collect } from "./support.ts"

const delta = (text: string): ModelEvent => ({ _tag: "Delta", delta: text })
const finished: ModelEvent = { _tag: "Finished", stopReason: "stop" }

it.effect("events come in order and the mailbox ends", () =>
  Effect.gen(function* () {
    const steps = [{ _tag: "TextStarted" }, delta("a"), delta("b"), { _tag: "BlockEnded" }, finished] as const
    assert.deepStrictEqual(yield* collect(Playback.play(steps)), { events: [...steps], failure: undefined })
  })
)

it.effect("what came before a failure is read before it", () =>
  Effect.gen(function* () {
    const failure = new ModelFailure({ reason: "server", message: "down", provider: "offline", model: "script" })
    const steps = [delta("a"), { _tag: "Fail", failure }, delta("never")] as const
    assert.deepStrictEqual(yield* collect(Playback.play(steps)), { events: [delta("a")], failure })
  })
)

it.effect("a pause waits on the clock", () =>
  Effect.gen(function* () {
    const seen: Array<ModelEvent> = []
    const steps = [delta("a"), { _tag: "Pause", ms: 1000 }, delta("b")] as const
    const fiber = yield* Effect.fork(collect(Playback.play(steps), (event) => seen.push(event)))
    yield* TestClock.adjust("999 millis")
    assert.deepStrictEqual(seen, [delta("a")])
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(fiber)
    assert.deepStrictEqual(seen, [delta("a"), delta("b")])
  })
)

it.effect("closing the scope ends a call that hangs, and its readers", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const mailbox = yield* Scope.extend(Playback.play([delta("a"), { _tag: "Hang" }]), scope)
    yield* mailbox.take
    const reader = yield* Effect.fork(mailbox.takeAll)
    yield* Effect.yieldNow()
    yield* Scope.close(scope, Exit.void)
    assert.isTrue(Exit.isInterrupted(yield* Fiber.await(reader)))
  })
)

it.effect("closing the scope before the call has begun ends its readers too", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const mailbox = yield* Scope.extend(Playback.play([{ _tag: "Hang" }]), scope)
    yield* Scope.close(scope, Exit.void)
    yield* Effect.exit(mailbox.takeAll)
  })
)

it.effect("a reader that stops holds the call back", () =>
  Effect.gen(function* () {
    let made = 0
    function* endless(): Generator<Playback.Step> {
      while (true) {
        made++
        yield delta("x")
      }
    }
    const scope = yield* Scope.make()
    void (yield* Scope.extend(Playback.play(endless()), scope))
    for (let turn = 0; turn < 20; turn++) yield* EventLoop.nextTurn
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(made, 1025)
  })
)

it.effect("the event loop turns while a long stream plays", () =>
  Effect.gen(function* () {
    const turned = yield* Deferred.make<void>()
    let turnedAt = -1
    let read = 0
    const steps = Array.from({ length: 20_000 }, () => delta("x"))
    yield* Effect.fork(Effect.andThen(EventLoop.nextTurn, Deferred.succeed(turned, undefined)))
    const fiber = yield* Effect.fork(collect(Playback.play(steps), () => read++))
    yield* Deferred.await(turned)
    turnedAt = read
    yield* Fiber.join(fiber)
    assert.strictEqual(read, 20_000)
    assert.isBelow(turnedAt, 2_000)
  })
)
