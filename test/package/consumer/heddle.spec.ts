/** The tests of an embedder, run by vitest on Node. */
import { Effect } from "effect"
import * as Library from "heddle"
import { FixedIds, MemorySessionStore, ScriptedModel, StoreConformance } from "heddle/testing"
import { describe, expect, it } from "vitest"

const { Heddle } = Library

it("loads every export", () => {
  expect(process.versions["bun"]).toBeUndefined()
  expect(Object.values(Library).every((module) => Object.keys(module).length >= 0)).toBe(true)
  expect(Object.keys(Library).length).toBeGreaterThan(80)
})

it("asks a scripted model, with ids that count", async () => {
  const asked = Effect.gen(function* () {
    const script = yield* ScriptedModel.make([ScriptedModel.say("Hello from the script")])
    const agent = Heddle.layer({ provider: script.provider, ids: FixedIds.layer })
    return yield* Effect.gen(function* () {
      const answer = yield* Heddle.ask("Hi")
      const { sessionId } = yield* Effect.flatMap(Library.Agent.Agent, ({ state }) => state)
      return { answer, sessionId }
    }).pipe(Effect.provide(agent))
  })
  expect(await Effect.runPromise(asked)).toEqual({ answer: "Hello from the script", sessionId: "session-1" })
})

describe("a store", () => {
  const store = MemorySessionStore.layer({ cwd: "/" })
  it.each(StoreConformance.checks.map((check) => [check.name, check] as const))("%s", async (_, { run }) => {
    await Effect.runPromise(Effect.provide(Effect.provide(run, store), FixedIds.layer))
  })
})
