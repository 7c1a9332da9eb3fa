/** Two connections in one process, each with a session of its own. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as EmbeddedAgent from "../../src/layers/EmbeddedAgent.ts"
import { SessionRegistry } from "../../src/services/session/SessionRegistry.ts"
import { Sessions } from "../../src/services/session/Sessions.ts"
import { SessionStore } from "../../src/services/session/SessionStore.ts"
import * as ScriptedModel from "../support/agent/ScriptedModel.ts"
import { connect, idsIn, settled } from "../support/host/WireHost.ts"

const say = (text: string): ScriptedModel.ScriptedTurn => ({
  events: [
    { _tag: "TextStarted" },
    ...Array.from({ length: 500 }, () => ({ _tag: "Delta", delta: text }) as const),
    { _tag: "BlockEnded" },
    { _tag: "Finished", stopReason: "stop" }
  ]
})

const setUp = Effect.gen(function* () {
  const script = yield* ScriptedModel.make([say("x"), say("x"), say("x"), say("x")])
  const graph = EmbeddedAgent.layerSessions({ cwd: ".", model: ScriptedModel.model })
  const context = yield* Layer.build(Layer.provideMerge(graph, script.layer))
  const store = Context.get(context, SessionStore)
  const { host, ids } = Context.get(context, SessionRegistry)
  const scope = yield* Scope.make()
  const other = yield* Scope.extend(host(store.create({})), scope)
  const serve = (sessions: typeof Sessions.Service) => Effect.provide(connect(sessions), context)
  return {
    one: yield* serve(Context.get(context, Sessions)),
    two: yield* serve(other),
    ids: Effect.map(ids, ([first = "", second = ""]) => [first, second] as const),
    leave: Scope.close(scope, Exit.void)
  }
})

it.scoped("each gets only the records of its own session, numbered without gaps, while both stream", () =>
  Effect.gen(function* () {
    const { ids, one, two } = yield* setUp
    yield* Effect.all(
      [one.ask("p", { type: "prompt", message: "a" }), two.ask("p", { type: "prompt", message: "b" })],
      {
        concurrency: 2
      }
    )
    yield* one.until(settled)
    yield* two.until(settled)
    const open = yield* ids
    assert.deepStrictEqual([idsIn(one.records()), idsIn(two.records())], [[open[0]], [open[1]]])
    for (const { records } of [one, two]) {
      const numbers = records().map(({ seq }) => seq)
      assert.deepStrictEqual(
        numbers,
        numbers.map((_, at) => at + 1)
      )
      assert.strictEqual(records().filter(({ type }) => type === "message_update").length, 502)
      assert.strictEqual(records().filter(settled).length, 1)
    }
  })
)

it.scoped("a change, a filter and the end of one connection do not touch the other", () =>
  Effect.gen(function* () {
    const { ids, leave, one, two } = yield* setUp
    const [first, second] = yield* ids
    yield* two.ask("f", { type: "set_event_filter", events: ["agent_end"] })
    yield* two.ask("n", { type: "new_session" })
    const third = (yield* ids)[1]
    assert.deepStrictEqual(yield* ids, [first, third])
    assert.notStrictEqual(third, second)
    const before = two.records().length
    yield* two.ask("p", { type: "prompt", message: "b" })
    yield* two.until(settled)
    const filtered = two.records().slice(before)
    assert.deepStrictEqual(idsIn(filtered), [third])
    assert.isFalse(
      filtered.some(({ type }) => type === "message_update"),
      "the filter is that of the connection"
    )
    yield* two.end
    yield* leave
    assert.deepStrictEqual(yield* ids, [first, ""])
    yield* one.ask("p", { type: "prompt", message: "a" })
    yield* one.until(settled)
    assert.deepStrictEqual(idsIn(one.records()), [first])
    assert.strictEqual(one.records().filter(({ type }) => type === "message_update").length, 502)
  })
)
