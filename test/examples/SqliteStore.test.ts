import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqliteStore from "../../examples/embedding/SqliteStore.ts"
import { Agent, Heddle, Ids, RandomIds, Sessions } from "../../src/index.ts"
import { ScriptedModel, StoreConformance } from "../../src/testing.ts"

const empty = Layer.provide(SqliteStore.layer({ path: ":memory:", cwd: "/" }), RandomIds.layer)

describe("the example of a store in SQL", () => {
  for (const check of StoreConformance.checks) it.effect(check.name, () => Effect.provide(check.run, empty))

  it.effect("has a conversation of a program again after it was started anew", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-sqlite-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      const script = yield* ScriptedModel.make([ScriptedModel.say("Warp."), ScriptedModel.say("Weft.")])
      const store = SqliteStore.layer({ path: join(folder, "sessions.db"), cwd: folder })
      const start = <A, E>(program: Effect.Effect<A, E, Sessions.Sessions | Ids.Ids>) =>
        Effect.provide(program, Heddle.sessions({ provider: script.provider, store, cwd: folder }))
      const first = yield* start(
        Effect.gen(function* () {
          const session = yield* (yield* Sessions.Sessions).current
          yield* Effect.provide(Heddle.ask("What runs along?"), session)
          return (yield* Context.get(session, Agent.Agent).state).sessionId
        })
      )
      const answer = yield* start(
        Effect.gen(function* () {
          const sessions = yield* Sessions.Sessions
          yield* (yield* sessions.changes).open(first)
          return yield* Effect.provide(Heddle.ask("And across?"), yield* sessions.current)
        })
      )
      assert.strictEqual(answer, "Weft.")
      assert.include(JSON.stringify((yield* script.requests).at(-1)?.messages), "What runs along?")
    }).pipe(Effect.scoped)
  )
})
