import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { SessionEntry, SessionHeader } from "../../../../src/domain/session/SessionEntry.ts"
import * as SessionSummaries from "../../../../src/layers/storage/sessions/SessionSummaries.ts"
import type { SessionSummary } from "../../../../src/services/storage/SessionStore.ts"
import { answers, line, placed, says } from "../../../support/sessions/Entries.ts"

const created = "2026-01-01T00:00:00.000Z"
const header: SessionHeader = { type: "session", version: 3, id: "s", timestamp: created, cwd: "/work" }
const name = (text: string, id = "n") => placed(id, null, { type: "session_info", name: text })
const at = (timestamp: string, entry: SessionEntry): SessionEntry => ({ ...entry, timestamp })

const summaryOf = (entries: ReadonlyArray<SessionEntry>, title: Partial<SessionHeader> = {}) =>
  SessionSummaries.summary({ header: { ...header, ...title }, entries, file: Option.some("/s.jsonl") })

describe("summary", () => {
  const nothing: SessionSummary = {
    sessionId: "s",
    file: Option.some("/s.jsonl"),
    cwd: "/work",
    name: Option.none(),
    createdAt: created,
    updatedAt: created,
    messageCount: 0,
    firstMessage: ""
  }
  const talk = line(answers("before"), says("first"), answers("a"), says("second"))
  const cases: ReadonlyArray<readonly [string, SessionSummary, Partial<SessionSummary>]> = [
    ["an empty session", summaryOf([]), {}],
    ["messages, and the first of the user", summaryOf(talk), { messageCount: 4, firstMessage: "first" }],
    ["a name counts as no message", summaryOf([name("mine")]), { name: Option.some("mine") }],
    ["the newest name", summaryOf([name("one"), name("two", "m")]), { name: Option.some("two") }],
    ["the title of the header", summaryOf([], { title: "titled" }), { name: Option.some("titled") }],
    ["a name before the title", summaryOf([name("mine")], { title: "titled" }), { name: Option.some("mine") }],
    [
      "the time of the last entry",
      summaryOf([at("2026-01-03T00:00:00.000Z", name("a")), at("2026-01-02T00:00:00.000Z", name("a", "b"))]),
      { name: Option.some("a"), updatedAt: "2026-01-02T00:00:00.000Z" }
    ],
    [
      "a copy is not older than its header",
      summaryOf([at("2025-01-01T00:00:00.000Z", name("a"))]),
      { name: Option.some("a") }
    ],
    [
      "a long first message is cut",
      summaryOf(line(says("x".repeat(201)))),
      { messageCount: 1, firstMessage: "x".repeat(200) }
    ]
  ]
  it.each(cases)("%s", (_, summary, more) => assert.deepStrictEqual(summary, { ...nothing, ...more }))

  it("newestFirst sorts by the time of the last change", () => {
    const [old, middle, young] = ["2026-01-01", "2026-01-02", "2026-01-03"].map((updatedAt) => ({
      ...nothing,
      updatedAt
    }))
    const sorted = SessionSummaries.newestFirst([middle ?? nothing, young ?? nothing, old ?? nothing])
    assert.deepStrictEqual<unknown>(sorted, [young, middle, old])
  })
})

describe("makeMemory", () => {
  const file = { path: "/a", modifiedAt: 1, size: 10 }
  const counting = () => {
    const [memory, summary] = [SessionSummaries.makeMemory(), summaryOf([])]
    let reads = 0
    const read = Effect.sync(() => ({ ...summary, messageCount: ++reads }))
    return (state: typeof file) => Effect.map(memory(state, read), ({ messageCount }) => messageCount)
  }

  it.effect("reads a file once while its size and time stay the same", () =>
    Effect.gen(function* () {
      const look = counting()
      const seen = [yield* look(file), yield* look(file), yield* look({ ...file, path: "/b" }), yield* look(file)]
      assert.deepStrictEqual(seen, [1, 1, 2, 1])
    })
  )

  it.effect("reads again after either has changed", () =>
    Effect.gen(function* () {
      const look = counting()
      const states = [file, { ...file, size: 11 }, { ...file, size: 11, modifiedAt: 2 }, file]
      assert.deepStrictEqual(yield* Effect.forEach(states, look), [1, 2, 3, 4])
    })
  )

  it.effect("a failure is not remembered", () =>
    Effect.gen(function* () {
      const memory = SessionSummaries.makeMemory()
      assert.strictEqual(yield* Effect.flip(memory(file, Effect.fail("busy"))), "busy")
      assert.strictEqual((yield* memory(file, Effect.succeed(summaryOf([])))).sessionId, "s")
    })
  )
})
