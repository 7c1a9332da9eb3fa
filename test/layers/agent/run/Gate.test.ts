import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as Gate from "../../../../src/layers/agent/run/Gate.ts"

/** One that is inside until it is told to leave, and says so. */
const guest = (gate: Gate.Gate, name: string, seen: Array<string>) =>
  Effect.gen(function* () {
    const leave = yield* Deferred.make<void>()
    const visit = Effect.zipRight(
      Effect.sync(() => seen.push(`${name} in`)),
      Effect.ensuring(
        Deferred.await(leave),
        Effect.sync(() => seen.push(`${name} out`))
      )
    )
    const fiber = yield* Effect.fork(gate.through(visit))
    yield* Effect.yieldNow()
    return { fiber, leave: Effect.zipRight(Deferred.succeed(leave, undefined), Fiber.await(fiber)) }
  })

it.effect("one at a time, in the order of their arrival", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const gate = Gate.make()
    const [a, b, c] = [yield* guest(gate, "a", seen), yield* guest(gate, "b", seen), yield* guest(gate, "c", seen)]
    assert.deepStrictEqual(seen, ["a in"])
    yield* a.leave
    yield* b.leave
    yield* c.leave
    assert.deepStrictEqual(seen, ["a in", "a out", "b in", "b out", "c in", "c out"])
    assert.strictEqual(yield* gate.through(Effect.succeed("free again")), "free again")
  })
)

it.effect("who is interrupted, inside or while waiting, does not keep the gate", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const gate = Gate.make()
    const [a, b, c] = [yield* guest(gate, "a", seen), yield* guest(gate, "b", seen), yield* guest(gate, "c", seen)]
    yield* Fiber.interrupt(b.fiber)
    yield* Fiber.interrupt(a.fiber)
    yield* c.leave
    assert.deepStrictEqual(seen, ["a in", "a out", "c in", "c out"])
    assert.isTrue(Exit.isFailure(yield* Effect.exit(gate.through(Effect.fail("no")))))
    assert.strictEqual(yield* gate.through(Effect.succeed(1)), 1)
  })
)

it.effect("one that is let through in the instant it is interrupted hands the gate on", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const gate = Gate.make()
    const [a, b, c] = [yield* guest(gate, "a", seen), yield* guest(gate, "b", seen), yield* guest(gate, "c", seen)]
    const leaving = yield* Effect.fork(a.leave)
    yield* Fiber.interrupt(b.fiber)
    yield* Fiber.join(leaving)
    yield* c.leave
    assert.deepStrictEqual(seen.slice(-2), ["c in", "c out"])
  })
)

it.effect("what goes through as a whole cannot be interrupted inside, but while it waits", () =>
  Effect.gen(function* () {
    const gate = Gate.make()
    const seen: Array<string> = []
    const go = yield* Deferred.make<void>()
    const visit = (name: string) =>
      gate.throughWhole(
        Effect.zipRight(
          Deferred.await(go),
          Effect.sync(() => seen.push(name))
        )
      )
    const inside = yield* Effect.fork(visit("inside"))
    const waiting = yield* Effect.fork(visit("waiting"))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(waiting)
    const interrupting = yield* Effect.fork(Fiber.interrupt(inside))
    yield* Effect.yieldNow()
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(interrupting)
    assert.deepStrictEqual(seen, ["inside"])
    assert.strictEqual(yield* gate.through(Effect.succeed("free again")), "free again")
  })
)
