import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Option, Scope } from "effect"
import * as Bridge from "../../../../src/layers/machine/foreign/Bridge.ts"
import { rejected, thrown } from "../../../support/extensions/Loaded.ts"

const failed = (message: string) => Effect.fail({ message })

it.scoped("run gives the result as a promise, and a failure as an Error with its message", () =>
  Effect.gen(function* () {
    const bridge = yield* Bridge.make
    assert.strictEqual(yield* Effect.promise(() => bridge.run(Effect.delay(Effect.succeed(1), 0))), 1)
    assert.strictEqual(yield* rejected(bridge.run(failed("no room"))), "no room")
    assert.strictEqual(yield* rejected(bridge.run(Effect.dieMessage("a bug"))), "a bug")
  })
)

it.scoped("a signal interrupts the effect, and its promise gets the value for that, or is rejected", () =>
  Effect.gen(function* () {
    const bridge = yield* Bridge.make
    const interrupted = yield* Deferred.make<string>()
    const hanging = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, "yes"))
    const controller = new AbortController()
    const { signal } = controller
    const one = bridge.run<string>(hanging, { signal, whenAborted: { value: "default" } })
    const other = bridge.run(Effect.never, { signal })
    controller.abort()
    assert.strictEqual(yield* Effect.promise(() => one), "default")
    assert.strictEqual(yield* Deferred.await(interrupted), "yes")
    assert.strictEqual(yield* rejected(other), "The operation was aborted.")
    const late = bridge.run<string>(Effect.never, { signal, whenAborted: { value: "at once" } })
    assert.strictEqual(yield* Effect.promise(() => late), "at once")
  })
)

it.scoped("fire starts at once and tells of failures; an interrupt is none", () =>
  Effect.gen(function* () {
    const bridge = yield* Bridge.make
    const seen: Array<string> = []
    const tell = (message: string) => void seen.push(message)
    bridge.fire(
      Effect.sync(() => tell("ran")),
      tell
    )
    assert.deepStrictEqual(seen, ["ran"])
    bridge.fire(failed("failed"), tell)
    bridge.fire(Effect.interrupt, tell)
    yield* Effect.yieldNow()
    assert.deepStrictEqual(seen, ["ran", "failed"])
  })
)

it.scoped("read answers at once, throws failures, and refuses what would have to wait", () =>
  Effect.gen(function* () {
    const bridge = yield* Bridge.make
    const many = Effect.loop(0, { while: (n) => n < 10_000, step: (n) => n + 1, body: Effect.succeed, discard: true })
    assert.strictEqual(bridge.read(Effect.as(many, "all")), "all")
    assert.strictEqual(
      thrown(() => bridge.read(failed("not there"))),
      "not there"
    )
    const interrupted = yield* Deferred.make<void>()
    const waiting = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
    assert.match(
      thrown(() => bridge.read(waiting)),
      /cannot answer this at once/
    )
    yield* Deferred.await(interrupted)
  })
)

it.effect("after its scope every call is stale, and what still ran is interrupted", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const bridge = yield* Scope.extend(Bridge.make, scope)
    const running = bridge.run(Effect.never)
    assert.strictEqual(bridge.isOpen(), true)
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(bridge.isOpen(), false)
    assert.match(yield* rejected(running), /stale/)
    assert.match(yield* rejected(bridge.run(Effect.void)), /stale/)
    assert.match(
      thrown(() => bridge.read(Effect.void)),
      /stale/
    )
    assert.match(
      thrown(() => bridge.fire(Effect.void, () => {})),
      /stale after a session change or reload/
    )
  })
)

it.effect("calls are refused before the finalizers of the same scope run that were added earlier", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    let wasOpen = Option.none<boolean>()
    const opened = Effect.gen(function* () {
      let bridge: Bridge.Bridge | undefined
      yield* Effect.addFinalizer(() => Effect.sync(() => (wasOpen = Option.fromNullable(bridge?.isOpen()))))
      bridge = yield* Bridge.make
    })
    yield* Scope.extend(opened, scope)
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(wasOpen, Option.some(false))
  })
)

it.scoped("no more than ten thousand calls are pending at a time", () =>
  Effect.gen(function* () {
    const bridge = yield* Bridge.make
    const gate = yield* Deferred.make<void>()
    for (let count = 0; count < 10_000; count++) bridge.fire(Deferred.await(gate), () => {})
    assert.match(
      thrown(() => bridge.fire(Effect.void, () => {})),
      /More than 10000 calls/
    )
    yield* Deferred.succeed(gate, undefined)
    yield* Effect.yieldNow()
    assert.strictEqual(yield* Effect.promise(() => bridge.run(Effect.succeed("again"))), "again")
  })
)
