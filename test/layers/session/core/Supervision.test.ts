import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import * as RunNodes from "../../../../src/layers/session/core/RunNodes.ts"
import * as Supervision from "../../../../src/services/supervision/Supervision.ts"
import { keepingProgress } from "../../../../src/services/Tools.ts"
import * as FixedIds from "../../../support/agent/FixedIds.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import * as CompactionHarness from "../../../support/agent/CompactionHarness.ts"
import * as Fibers from "../../../support/agent/Fibers.ts"
import { call, failure, say, type ScriptedTurn } from "../../../support/agent/ScriptedModel.ts"

const { output, resultTexts, summary, tool } = Harness
const hang: ScriptedTurn = {
  events: [{ _tag: "TextStarted" }, { _tag: "Delta", delta: "a" }, { _tag: "Delta", delta: "b" }],
  after: "hang"
}
const gone = ["session"]
const endAs = (status: string) => ["RunEnded", `PromptFinished:${status}`, "RunSettled", "SessionSettled"]

/** A tool that never comes to its end, and when it has begun. */
const stuck = Effect.map(Deferred.make<void>(), (begun) => ({
  begun: Deferred.await(begun),
  tool: tool("stuck", (_, context) =>
    keepingProgress(context, ({ progress }) =>
      Effect.zipRight(progress(output("half")), Deferred.succeed(begun, undefined)).pipe(Effect.zipRight(Effect.never))
    )
  )
}))

/** Waits for a look at the tree that fits, letting the run go on in between. */
const until = (root: Supervision.LiveNode, line: string) =>
  Effect.repeat(
    Effect.zipRight(
      TestClock.adjust(0),
      Effect.promise(() => new Promise(setImmediate))
    ),
    {
      until: () => Fibers.paths(root).includes(line)
    }
  )

it.effect("a stream shows run, turn and model call with its progress; cancelling the call is an aborted attempt", () =>
  Harness.run({ turns: [hang, say("next")] }, ({ agent, events, script, supervision }) =>
    Effect.gen(function* () {
      const { cancel, root } = supervision
      yield* agent.prompt({ text: "go", requestId: "r" })
      yield* until(root, "session > run > turn > model_call")
      yield* Effect.repeat(
        Effect.promise(() => new Promise(setImmediate)),
        {
          until: () => Fibers.find(root, "model_call")?.progress !== undefined
        }
      )
      const node = Fibers.find(root, "model_call")
      assert.deepStrictEqual(node?.progress, { count: 2, lastAt: 0 })
      assert.deepStrictEqual(Fibers.find(root, "run")?.spec.refs, { runId: "run_1", requestId: "r" })
      const outcome = yield* cancel(node?.id ?? "", 1000)
      assert.deepStrictEqual(outcome, { outcome: "cancelled", pidsKilled: [], ms: 0 })
      yield* agent.awaitIdle
      assert.deepStrictEqual(summary(events).slice(-6), [
        "MessageEnded:assistant/aborted",
        "TurnEnded",
        ...endAs("aborted")
      ])
      assert.strictEqual(yield* script.open, 0)
      assert.deepStrictEqual(Fibers.paths(root), gone)
      yield* agent.prompt({ text: "again" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(summary(events).slice(-4), endAs("completed"))
      assert.deepStrictEqual(Fibers.paths(root), gone)
    })
  )
)

it.effect("a cancelled tool call is an error result with its output so far, and the run goes on", () =>
  Effect.gen(function* () {
    const { begun, tool: never } = yield* stuck
    const quick = tool("quick", () => Effect.succeed(output("quick done")))
    yield* Harness.run(
      { turns: [call(["A", "stuck", { on: "this\nand that" }], ["B", "quick", {}]), say("ok")], tools: [never, quick] },
      ({ agent, events, supervision }) =>
        Effect.gen(function* () {
          const { cancel, root } = supervision
          yield* agent.prompt({ text: "go" })
          yield* begun
          assert.strictEqual(Fibers.find(root, "tool_call")?.spec.label, "stuck: this")
          const both = yield* Effect.all([cancel("A", 1000), cancel("A", 1000)], { concurrency: 2 })
          assert.deepStrictEqual(
            both.map(({ outcome }) => outcome),
            ["cancelled", "cancelled"]
          )
          yield* agent.awaitIdle
          assert.deepStrictEqual([...resultTexts(events)].sort(), ["half\n\nCancelled by host", "quick done"])
          assert.deepStrictEqual(summary(events).slice(-4), endAs("completed"))
          assert.strictEqual((yield* cancel("A", 1000)).outcome, "already_done")
        })
    )
  })
)

it.effect("cancelling a run, by name or by node, or a turn, is an abort", () =>
  Effect.forEach(["run_1", "run", "turn"] as const, (target) =>
    Harness.run({ turns: [hang] }, ({ agent, events, supervision }) =>
      Effect.gen(function* () {
        const { cancel, root } = supervision
        yield* agent.prompt({ text: "go" })
        yield* until(root, "session > run > turn > model_call")
        const id = target === "run_1" ? target : (Fibers.find(root, target)?.id ?? "")
        assert.strictEqual((yield* cancel(id, 1000)).outcome, "cancelled")
        yield* agent.awaitIdle
        assert.deepStrictEqual(summary(events).slice(-4), endAs("aborted"))
        assert.deepStrictEqual(Fibers.paths(root), gone)
      })
    )
  )
)

it.effect("the wait before a retry is a node of the run; cancelling it ends the retries", () =>
  Harness.run({ turns: [{ events: [], after: failure("overloaded", "529") }] }, ({ agent, events, supervision }) =>
    Effect.gen(function* () {
      const { cancel, root } = supervision
      yield* agent.prompt({ text: "go" })
      yield* until(root, "session > run > retry_wait")
      const node = Fibers.find(root, "retry_wait")
      assert.deepStrictEqual(node?.spec.waitingOn, { kind: "timer", until: 2000 })
      yield* cancel(node?.id ?? "", 1000)
      yield* agent.awaitIdle
      const ended = events.find(({ _tag }) => _tag === "RetryEnded")
      assert.deepInclude(ended, { success: false, finalError: "Retry cancelled" })
      assert.deepStrictEqual(summary(events).slice(-4), endAs("error"))
    })
  )
)

it.effect("a compaction and its model call are nodes; cancelling it is abort_compaction", () =>
  CompactionHarness.run({ turns: [say("A long story."), say("Short."), hang] }, ({ agent, ask, events, supervision }) =>
    Effect.gen(function* () {
      const { cancel, root } = supervision
      yield* ask("Tell me")
      yield* ask("Another one")
      const compacting = yield* Effect.fork(Effect.flip(Supervision.under(root)(agent.compact({}))))
      yield* until(root, "session > compaction > model_call")
      assert.strictEqual(Fibers.find(root, "compaction")?.spec.label, "compaction (manual)")
      assert.strictEqual((yield* cancel(Fibers.find(root, "compaction")?.id ?? "", 1000)).outcome, "cancelled")
      assert.strictEqual((yield* Fiber.join(compacting))._tag, "CompactionFailed")
      const ended = events.find(({ _tag }) => _tag === "CompactionEnded")
      assert.deepInclude(ended, { aborted: true })
      assert.deepStrictEqual(Fibers.paths(root), gone)
    })
  )
)

it.effect("what was never there, the session itself, and what does not end in time are refused", () =>
  Effect.gen(function* () {
    const tree = yield* Effect.provide(RunNodes.makeTree, FixedIds.layer)
    const reason = (id: string | number) => Effect.map(Effect.flip(tree.cancel(id, 50)), (error) => error.reason)
    assert.strictEqual(yield* reason("nothing"), "unknown_target")
    assert.strictEqual(yield* reason(7), "unknown_target")
    assert.strictEqual(yield* reason(tree.root.id), "not_cancellable")

    const release = yield* Deferred.make<void>()
    const alive = { pid: 42, isAlive: () => true }
    const stubborn = Supervision.node({ kind: "command", label: "x", names: ["x"] }, () =>
      Effect.zipRight(Supervision.hold(alive), Deferred.await(release)).pipe(Effect.uninterruptible)
    )
    const running = yield* Effect.fork(Supervision.under(tree.root)(stubborn))
    yield* Effect.yieldNow()
    const asked = yield* Effect.fork(Effect.flip(tree.cancel("x", 50)))
    yield* TestClock.adjust(50)
    const refused = yield* Fiber.join(asked)
    assert.deepStrictEqual([refused.reason, refused.pids], ["still_running", [42]])
    assert.isTrue(Fibers.find(tree.root, "command")?.cancelling)

    // Its end is still asked for. A process that outlives even that is not reported as killed.
    yield* Deferred.succeed(release, undefined)
    assert.isTrue(Exit.isInterrupted(yield* Fiber.await(running)))
    assert.deepStrictEqual(Fibers.paths(tree.root), gone)
    assert.strictEqual((yield* tree.cancel("x", 50)).outcome, "already_done")
  })
)

it.effect("a node that is ended in its own way is asked, also when nobody is to wait", () =>
  Effect.gen(function* () {
    const tree = yield* Effect.provide(RunNodes.makeTree, FixedIds.layer)
    const asked = yield* Deferred.make<void>()
    const end = Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
    const node = Supervision.node({ kind: "bash", label: "b", names: ["b"], end }, () => Deferred.await(asked))
    const running = Supervision.under(tree.root)(node)
    const fiber = yield* Effect.fork(running)
    yield* Effect.yieldNow()
    const cancelling = yield* Effect.fork(Effect.flip(tree.cancel("b", 0)))
    yield* TestClock.adjust(0)
    assert.strictEqual((yield* Fiber.join(cancelling)).reason, "still_running")
    yield* Fiber.join(fiber)
    assert.strictEqual((yield* tree.cancel("b", 0)).outcome, "already_done")
  })
)

it.effect("a node is there while its effect runs, however it ends, and only where somebody supervises", () =>
  Effect.gen(function* () {
    const tree = yield* Effect.provide(RunNodes.makeTree, FixedIds.layer)
    const look = Effect.sync(() => Fibers.paths(tree.root))
    const node = (effect: Effect.Effect<unknown, unknown>) =>
      Supervision.node({ kind: "turn", label: "t" }, () => Effect.zipRight(effect, look))
    assert.deepStrictEqual(yield* node(Effect.void), gone)
    const within = Supervision.under(tree.root)
    assert.deepStrictEqual(yield* within(node(Effect.void)), ["session", "session > turn"])
    assert.deepStrictEqual(yield* within(node(node(Effect.void))), ["session", "session > turn"])
    const nested = within(node(Effect.flatMap(node(Effect.void), (seen) => Effect.fail(seen))))
    assert.deepStrictEqual(yield* Effect.flip(nested), ["session", "session > turn", "session > turn > turn"])
    for (const end of [Effect.fail("no"), Effect.die("no"), Effect.interrupt]) {
      yield* Effect.exit(within(node(end)))
      assert.deepStrictEqual(yield* look, gone)
    }
    // Fibers that are joined do not leave their node to those who join them.
    const forked = Effect.flatMap(Effect.fork(node(Effect.void)), Fiber.join)
    yield* within(Effect.zipRight(forked, node(Effect.void)))
    assert.deepStrictEqual(yield* look, gone)
  })
)

it("names of what is over are remembered, but not for ever", () => {
  let made = 0
  const root = Supervision.makeRoot({ kind: "session", label: "s" }, 0, () => `fb_${++made}`)
  for (let i = 0; i < 5000; i++) {
    Supervision.close(Supervision.open(root, { kind: "command", label: "c", names: [i] }, 0))
  }
  const { ended, named } = root.registry
  assert.strictEqual(named.size, 0)
  assert.strictEqual(ended.length, 2048)
  assert.isTrue(ended.includes(4999) && !ended.includes(1))
})
