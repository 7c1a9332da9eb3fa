/** Finished tasks leave the list, each after its own time. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope, TestClock } from "effect"
import * as Clearing from "../../../../../src/layers/session/modules/todos/Clearing.ts"
import { list, task } from "../../../../support/todo/Lists.ts"

const make = Effect.fnUntraced(function* (delay: number) {
  const batches: Array<string> = []
  const scope = yield* Scope.make()
  const expire = (ids: ReadonlySet<string>) => void batches.push([...ids].join(" "))
  const { follow } = yield* Scope.extend(Clearing.make({ delay, expire }), scope)
  return { batches, follow, close: Scope.close(scope, Exit.void) }
})

const done = (n: number, content = "x") => task(n, content, "completed")

it.effect("tasks that are done together leave together, those that are done later leave later", () =>
  Effect.gen(function* () {
    const { batches, follow } = yield* make(60)
    follow(list(done(1), task(2, "x", "abandoned"), task(3, "x")))
    yield* TestClock.adjust("20 seconds")
    follow(list(done(1), task(2, "x", "abandoned"), done(3)))
    yield* TestClock.adjust("39999 millis")
    assert.deepStrictEqual(batches, [])
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(batches, ["task-1 task-2"])
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(batches, ["task-1 task-2", "task-3"])
    yield* TestClock.adjust("1 days")
    assert.strictEqual(batches.length, 2)
  })
)

it.effect("a task that is opened again, removed, or another one of the same id has no time left over", () =>
  Effect.gen(function* () {
    const { batches, follow } = yield* make(60)
    follow(list(done(1), done(2), done(3)))
    yield* TestClock.adjust("59 seconds")
    follow(list(task(1, "x"), done(3, "another")))
    yield* TestClock.adjust("59 seconds")
    assert.deepStrictEqual(batches, [])
    follow(list(done(1), done(3, "another")))
    yield* TestClock.adjust("1 seconds")
    assert.deepStrictEqual(batches, ["task-3"])
    yield* TestClock.adjust("58 seconds")
    assert.deepStrictEqual(batches, ["task-3"])
    yield* TestClock.adjust("1 seconds")
    assert.deepStrictEqual(batches, ["task-3", "task-1"])
  })
)

it.effect("with a delay of zero they leave at once, with a negative one never", () =>
  Effect.gen(function* () {
    const [atOnce, never] = [yield* make(0), yield* make(-1)]
    for (const { follow } of [atOnce, never]) follow(list(done(1), task(2, "x")))
    yield* TestClock.adjust("0 millis")
    assert.deepStrictEqual(atOnce.batches, ["task-1"])
    yield* TestClock.adjust("10000 days")
    assert.deepStrictEqual([atOnce.batches, never.batches], [["task-1"], []])
  })
)

it.effect("a delay that is longer than timers can be is waited for", () =>
  Effect.gen(function* () {
    const { batches, follow } = yield* make(60 * 86_400)
    follow(list(done(1)))
    yield* TestClock.adjust("30 days")
    yield* TestClock.adjust("29 days")
    assert.deepStrictEqual(batches, [])
    yield* TestClock.adjust("1 days")
    assert.deepStrictEqual(batches, ["task-1"])
  })
)

it.effect("nothing leaves after the session is closed", () =>
  Effect.gen(function* () {
    const { batches, close, follow } = yield* make(60)
    follow(list(done(1)))
    yield* close
    yield* TestClock.adjust("1 days")
    assert.deepStrictEqual(batches, [])
  })
)
