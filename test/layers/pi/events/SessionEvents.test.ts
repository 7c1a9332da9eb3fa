import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { CompactionEntry } from "../../../../src/domain/compaction/Preparation.ts"
import type { AgentMessage } from "../../../../src/domain/conversation/Message.ts"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"

const wrong = "must return an object or nothing"
const user: AgentMessage = { role: "user", content: [{ type: "text", text: "hi" }], timestamp: 1 }
const entry: SessionEntry = { type: "message", message: user, id: "e1", parentId: null, timestamp: "t" }

const watch = (names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const loaded = yield* Loaded.make()
    const seen: Array<unknown> = []
    for (const name of names) loaded.pi.on(name, (event: unknown) => void seen.push(event))
    return { ...loaded, seen }
  })

const answering = (name: string, results: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const loaded = yield* Loaded.make()
    for (const result of results) loaded.pi.on(name, () => result)
    const reported = () => loaded.hooks.reports.map(({ event, message }) => [event, message])
    return { ...loaded, reported }
  })

describe("beginning and end", () => {
  const names = ["session_start", "session_switch", "session_branch", "session_fork", "session_shutdown"]

  it.scoped("are told with their reason, and under the older names where those fit", () =>
    Effect.gen(function* () {
      const { hooks, seen } = yield* watch(names)
      yield* hooks.ask("sessionStarted", { reason: "startup" })
      yield* hooks.ask("sessionStarted", { reason: "resume", previousSessionFile: "/a.jsonl" })
      yield* hooks.ask("sessionStarted", { reason: "fork" })
      yield* hooks.ask("sessionEnding", { reason: "new", targetSessionFile: "/b.jsonl" })
      assert.deepStrictEqual(seen, [
        { type: "session_start", reason: "startup" },
        { type: "session_start", reason: "resume", previousSessionFile: "/a.jsonl" },
        { type: "session_switch", reason: "resume", previousSessionFile: "/a.jsonl" },
        { type: "session_start", reason: "fork" },
        { type: "session_branch", reason: "fork" },
        { type: "session_fork", reason: "fork" },
        { type: "session_shutdown", reason: "new", targetSessionFile: "/b.jsonl" }
      ])
    })
  )

  it.scoped("a handler that throws is reported by pi's name of the event, and the others go on", () =>
    Effect.gen(function* () {
      const { hooks, pi, seen } = yield* watch([])
      pi.on("session_start", () => {
        throw new Error("now")
      })
      pi.on("session_start", async () => {
        throw new Error("later")
      })
      pi.on("session_start", () => void seen.push("third"))
      assert.deepStrictEqual(yield* hooks.ask("sessionStarted", { reason: "startup" }), [
        undefined,
        undefined,
        undefined
      ])
      assert.deepStrictEqual(
        hooks.reports.map(({ event, message }) => [event, message]),
        [
          ["session_start", "now"],
          ["session_start", "later"]
        ]
      )
      assert.deepStrictEqual(seen, ["third"])
    })
  )

  it.scoped("a handler that was taken away is not called, and nothing waits at the point", () =>
    Effect.gen(function* () {
      const { hooks, pi } = yield* watch([])
      assert.strictEqual(hooks.count("sessionStarted"), 0)
      const remove = pi.on("session_start", () => assert.fail("called"))
      assert.strictEqual(hooks.count("sessionStarted"), 1)
      remove()
      assert.strictEqual(hooks.count("sessionStarted"), 0)
    })
  )
})

describe("changes of the session", () => {
  it.scoped("can be cancelled", () =>
    Effect.gen(function* () {
      const results = [{ cancel: true }, { cancel: "yes" }, undefined, "no"]
      const { hooks, reported } = yield* answering("session_before_switch", results)
      assert.deepStrictEqual(yield* hooks.ask("leaving", { reason: "new" }), [
        { cancel: true },
        { cancel: false },
        undefined,
        undefined
      ])
      assert.deepStrictEqual(reported(), [["session_before_switch", wrong]])
    })
  )

  it.scoped("have pi's members", () =>
    Effect.gen(function* () {
      const { hooks, seen } = yield* watch(["session_before_switch", "session_before_branch", "session_before_fork"])
      yield* hooks.ask("leaving", { reason: "resume", targetSessionFile: "/b.jsonl" })
      yield* hooks.ask("branching", { entryId: "e1" })
      assert.deepStrictEqual(seen, [
        { type: "session_before_switch", reason: "resume", targetSessionFile: "/b.jsonl" },
        { type: "session_before_branch", entryId: "e1", position: "before" },
        { type: "session_before_fork", entryId: "e1", position: "before" }
      ])
    })
  )
})

describe("navigation", () => {
  const navigating = { targetId: "e0", oldLeafId: "e1", entriesToSummarize: [entry], summarize: true }

  it.scoped("is prepared with the entries that are left, and told afterwards", () =>
    Effect.gen(function* () {
      const { hooks, pi, seen } = yield* watch(["session_tree"])
      pi.on("session_before_tree", ({ signal, ...event }: { readonly signal: AbortSignal }) => {
        seen.push([event, signal.aborted])
      })
      yield* hooks.ask("navigating", navigating)
      yield* hooks.ask("navigated", { newLeafId: "e0", oldLeafId: "e1" })
      const preparation = {
        targetId: "e0",
        oldLeafId: "e1",
        commonAncestorId: null,
        entriesToSummarize: [{ type: "message", id: "e1", parentId: null, timestamp: "t", message: user }],
        userWantsSummary: true
      }
      assert.deepStrictEqual(seen, [
        [{ type: "session_before_tree", preparation }, false],
        { type: "session_tree", newLeafId: "e0", oldLeafId: "e1" }
      ])
    })
  )

  it.scoped("can be cancelled or get a summary", () =>
    Effect.gen(function* () {
      const results = [{ cancel: true }, { summary: { summary: "s", details: { n: 1 } } }, { summary: "s" }, {}, 5]
      const { hooks, reported } = yield* answering("session_before_tree", results)
      assert.deepStrictEqual(yield* hooks.ask("navigating", navigating), [
        { cancel: true },
        { summary: { summary: "s", details: { n: 1 } } },
        undefined,
        undefined,
        undefined
      ])
      assert.deepStrictEqual(reported(), [
        ["session_before_tree", "summary.summary must be a text"],
        ["session_before_tree", wrong]
      ])
    })
  )
})

describe("compaction", () => {
  const previous: CompactionEntry = {
    type: "compaction",
    summary: "before",
    firstKeptEntryId: "e0",
    tokensBefore: 10,
    fromExtension: true,
    id: "c0",
    parentId: null,
    timestamp: "t"
  }
  const plan = {
    reason: "overflow" as const,
    preparation: { history: [user], prefix: [], kept: [], firstKeptEntryId: "e9", previous },
    branch: [entry],
    tokensBefore: 100,
    customInstructions: "short"
  }

  it.scoped("is prepared as pi prepares it, and told afterwards", () =>
    Effect.gen(function* () {
      const { hooks, pi, seen } = yield* watch(["session_compact"])
      pi.on("session_before_compact", ({ signal, ...event }: { readonly signal: AbortSignal }) => {
        seen.push([event, signal.aborted])
      })
      yield* hooks.ask("compacting", plan)
      yield* hooks.ask("compacted", { entry: previous, reason: "manual" })
      const none = new Set()
      assert.deepStrictEqual(seen[0], [
        {
          type: "session_before_compact",
          preparation: {
            firstKeptEntryId: "e9",
            messagesToSummarize: [user],
            turnPrefixMessages: [],
            isSplitTurn: false,
            tokensBefore: 100,
            previousSummary: "before",
            fileOps: { read: none, written: none, edited: none },
            settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 }
          },
          branchEntries: [{ type: "message", id: "e1", parentId: null, timestamp: "t", message: user }],
          customInstructions: "short",
          reason: "overflow",
          willRetry: true
        },
        false
      ])
      assert.deepStrictEqual(seen[1], {
        type: "session_compact",
        compactionEntry: { ...previous, fromHook: true },
        fromExtension: true,
        reason: "manual",
        willRetry: false
      })
    })
  )

  it.scoped("can be cancelled or supplied", () =>
    Effect.gen(function* () {
      const compaction = { summary: "s", firstKeptEntryId: "e2", tokensBefore: 1, details: { n: 1 } }
      const results = [{ cancel: true }, { compaction }, { compaction: {} }, {}, undefined, 5]
      const { hooks, reported } = yield* answering("session_before_compact", results)
      assert.deepStrictEqual(yield* hooks.ask("compacting", plan), [
        { _tag: "Cancel" },
        { _tag: "Supply", compaction: { summary: "s", firstKeptEntryId: "e2", details: { n: 1 } } },
        undefined,
        undefined,
        undefined,
        undefined
      ])
      assert.deepStrictEqual(reported(), [
        ["session_before_compact", "compaction.summary must be a text"],
        ["session_before_compact", wrong]
      ])
    })
  )

  it.scoped("that is interrupted aborts the signal of the event", () =>
    Effect.gen(function* () {
      const { hooks, pi } = yield* watch([])
      const started = yield* Deferred.make<AbortSignal>()
      pi.on("session_before_compact", ({ signal }: { readonly signal: AbortSignal }) => {
        Deferred.unsafeDone(started, Effect.succeed(signal))
        return new Promise(() => {})
      })
      const fiber = yield* Effect.fork(hooks.ask("compacting", plan))
      const signal = yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(signal.aborted, true)
    })
  )
})

it.scoped("resources_discover returns paths, and is told a start or a reload", () =>
  Effect.gen(function* () {
    const results = [{ skillPaths: ["/s", 5], promptPaths: ["/p"], themePaths: ["/t"] }, {}, undefined, "x"]
    const { hooks, pi, reported } = yield* answering("resources_discover", results)
    const seen: Array<unknown> = []
    pi.on("resources_discover", (event: unknown) => void seen.push(event))
    assert.deepStrictEqual(yield* hooks.ask("resources", { reason: "new" }), [
      { skillPaths: ["/s"], promptPaths: ["/p"] },
      {},
      undefined,
      undefined,
      undefined
    ])
    yield* hooks.ask("resources", { reason: "reload" })
    assert.deepStrictEqual(seen, [
      { type: "resources_discover", cwd: "/project", reason: "startup" },
      { type: "resources_discover", cwd: "/project", reason: "reload" }
    ])
    assert.deepStrictEqual(reported()[0], ["resources_discover", wrong])
  })
)
