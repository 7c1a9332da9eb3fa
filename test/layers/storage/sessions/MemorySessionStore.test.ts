import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as MemorySessionStore from "../../../../src/layers/storage/sessions/MemorySessionStore.ts"
import * as FixedIds from "../../../support/agent/FixedIds.ts"

const entry = (length: number): SessionEntry => ({
  type: "message",
  id: "e",
  parentId: null,
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role: "user", content: [{ type: "text", text: "x".repeat(length) }], timestamp: 1 }
})

/** The ids of the sessions that can be opened, after sessions of these lengths were opened and closed in order. */
const keptOf = (room: number | undefined, lengths: ReadonlyArray<number>, again?: string) =>
  Effect.gen(function* () {
    const store = yield* MemorySessionStore.make({ cwd: "/", ...(room === undefined ? {} : { room }) })
    for (const [i, length] of lengths.entries()) {
      const append = Effect.flatMap(store.create({ sessionId: `s${i}` }), (log) => log.append([entry(length)]))
      yield* Effect.scoped(append)
      if (again !== undefined && i === 1) yield* Effect.scoped(store.open(again))
    }
    const found = yield* Effect.forEach(lengths, (_, i) => Effect.option(Effect.scoped(store.open(`s${i}`))))
    return found.flatMap((each, i) => (each._tag === "Some" ? [`s${i}`] : []))
  }).pipe(Effect.provide(FixedIds.layer))

it.effect("sessions that were closed first make room for others", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* keptOf(undefined, [5000, 5000, 5000]), ["s0", "s1", "s2"])
    assert.deepStrictEqual(yield* keptOf(12_000, [5000, 5000, 5000]), ["s1", "s2"])
    assert.deepStrictEqual(yield* keptOf(12_000, [5000, 5000, 5000], "s0"), ["s0", "s2"])
    assert.deepStrictEqual(yield* keptOf(12_000, [10, 50_000]), [])
    assert.deepStrictEqual(yield* keptOf(12_000, [50_000, 10]), ["s1"])
  })
)

it.effect("a session that is open is kept, whatever its size", () =>
  Effect.gen(function* () {
    const store = yield* MemorySessionStore.make({ cwd: "/", room: 100 })
    const log = yield* store.create({ sessionId: "open" })
    yield* log.append([entry(50_000)])
    yield* Effect.scoped(Effect.flatMap(store.create({ sessionId: "other" }), (other) => other.append([entry(10)])))
    assert.deepStrictEqual(
      (yield* store.list).map(({ sessionId }) => sessionId),
      ["open"]
    )
  }).pipe(Effect.scoped, Effect.provide(FixedIds.layer))
)
