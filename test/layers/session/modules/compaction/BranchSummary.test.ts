import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ModelCatalog } from "../../../../../src/services/model/ModelCatalog.ts"
import { asked, story } from "../../../../support/agent/CompactionHarness.ts"
import { model, say } from "../../../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../../../support/agent/TestAgent.ts"

/** Leaves a conversation of two questions for its first one; answers what the model was told to summarise. */
const leaving = (contextWindow: number, reserveTokens: number) =>
  Effect.gen(function* () {
    const own = { ...model, id: "own", contextWindow }
    const catalog = ModelCatalog.of({
      all: Effect.succeed([own]),
      available: Effect.succeed([own]),
      isAvailable: () => Effect.succeed(true),
      find: () => Effect.succeed(Option.some(own))
    })
    const options = {
      turns: [story, say("It was blue."), say("They spoke about a loom.")],
      settings: { "branchSummary.reserveTokens": reserveTokens, "compaction.enabled": false }
    }
    const { agent, controls, script, session, sessions } = yield* TestAgent.make(options, { catalog })
    yield* controls.setModel(own.provider, own.id)
    for (const text of ["Tell me", "Which colour?"]) yield* Effect.zipRight(agent.prompt({ text }), agent.awaitIdle)
    const first = (yield* session.entries).find(({ type }) => type === "message")
    const { navigate } = yield* sessions.changes
    yield* navigate({ entryId: first?.id ?? "", summarize: true })
    assert.strictEqual((yield* session.branch).at(-1)?.type, "branch_summary")
    return asked((yield* script.requests).at(-1))
  }).pipe(Effect.scoped)

it.effect("a branch of which a part fits into the window is summarised from its end", () =>
  Effect.map(leaving(40, 35), (prompt) => {
    assert.include(prompt, "It was blue.")
    assert.notInclude(prompt, "Tell me")
  })
)

it.effect("a branch is summarised as a whole where the window of the model is unknown", () =>
  Effect.map(leaving(0, 35), (prompt) => {
    for (const said of ["Tell me", "A long story about a loom", "Which colour?", "It was blue."]) {
      assert.include(prompt, said)
    }
  })
)

it.scoped("a branch summary for which the budget has no room is refused, and nothing else", () =>
  Effect.gen(function* () {
    const options = {
      turns: [story, say("It was blue.")],
      budget: { maxTotalTokens: 200 },
      settings: { "compaction.enabled": false }
    }
    const { agent, allowance, events, session, sessions } = yield* TestAgent.make(options)
    for (const text of ["Tell me", "Which colour?"]) yield* Effect.zipRight(agent.prompt({ text }), agent.awaitIdle)
    const [first, leaf] = [(yield* session.entries).find(({ type }) => type === "message"), yield* session.leafId]
    const { navigate } = yield* sessions.changes
    const refused = yield* Effect.flip(navigate({ entryId: first?.id ?? "", summarize: true }))
    assert.nestedPropertyVal(refused, "reason", "budget_exceeded")
    assert.strictEqual(refused.message, "Budget exceeded (total_tokens)")
    assert.strictEqual(yield* session.leafId, leaf)
    assert.notInclude(
      events.map(({ _tag }) => _tag),
      "BudgetSpent"
    )
    yield* navigate({ entryId: first?.id ?? "", summarize: false })
    yield* allowance.check
  })
)
