/** A start that the budget refuses ends nothing that is within the limits (protocol.md 15). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import * as Delegating from "../../support/agent/Delegating.ts"
import { call, say } from "../../support/agent/ScriptedModel.ts"

const { assignmentOf, submit } = Delegating

const delegate = (...ids: ReadonlyArray<string>) =>
  call(["t", "task", { agent: "task", tasks: ids.map((id) => ({ id, description: id, assignment: id })) }])

const results = (events: ReadonlyArray<AgentEvent>) =>
  events
    .flatMap((event) =>
      event._tag === "ToolEnded" && event.toolName === "task" ? [...Object(event.result.details)["results"]] : []
    )
    .map(({ error, exitCode, id }) => [id, exitCode, error])

const told = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) =>
    event._tag === "BudgetSpent" || event._tag === "PromptFinished"
      ? [event._tag === "BudgetSpent" ? event.snapshot.reason : event.status]
      : []
  )

/** Completes when the budget has refused the first start. */
const refusal = Effect.map(Deferred.make<void>(), (refused) => ({
  wait: Deferred.await(refused),
  watch: (event: AgentEvent) => {
    if (event._tag === "BudgetSpent") Deferred.unsafeDone(refused, Effect.void)
  }
}))

describe("a subagent that is refused", () => {
  it.scopedLive("ends neither the permitted one, which is in the middle of its work, nor the run", () =>
    Effect.gen(function* () {
      const { wait, watch } = yield* refusal
      const made = yield* Delegating.make({
        budget: { maxSubagents: 1 },
        answer: (request, nth) => {
          if (assignmentOf(request) === "Top") return nth === 1 ? delegate("One", "Two") : say("One of two is done.")
          if (request.messages.length > 1) return submit({ result: "done" })
          return { ...call(["l", "ls", {}]), before: Effect.as(wait, []) }
        }
      })
      const { agent, allowance, events } = made
      yield* agent.events.attach({ offer: watch, ready: Effect.void })
      yield* agent.prompt({ text: "Top" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(results(events), [
        ["0-One", 0, undefined],
        ["1-Two", 1, "Budget exceeded (subagents): subagent not started."]
      ])
      assert.deepStrictEqual(told(events), ["subagents", "completed"])
      assert.deepInclude(yield* allowance.snapshot, { subagents: 1, status: "exceeded", reason: "subagents" })
      const later = yield* Effect.flip(agent.prompt({ text: "Top" }))
      assert.nestedPropertyVal(later, "reason", "subagents")
      yield* allowance.setLimits({ maxSubagents: 2 })
      yield* agent.prompt({ text: "Top" })
      yield* agent.awaitIdle
      assert.strictEqual(told(events).at(-1), "completed")
    })
  )
})

describe("a tool call that is refused", () => {
  it.scopedLive("ends the run that has asked for it, and no other", () =>
    Effect.gen(function* () {
      const { wait, watch } = yield* refusal
      const { agent, allowance, events } = yield* Delegating.make({
        // `task`, `ls` of One, `submit_result` of Two. The second `ls` of One is too much.
        budget: { maxToolCalls: 3 },
        answer: (request, nth) => {
          const asked = assignmentOf(request)
          if (asked === "Top") return nth === 1 ? delegate("One", "Two") : say("Two is done.")
          if (asked === "One")
            return request.messages.length === 1 ? call(["l", "ls", {}]) : call(["a", "ls", {}], ["b", "ls", {}])
          return { ...say("I have thought about it."), before: Effect.as(wait, []) }
        }
      })
      yield* agent.events.attach({ offer: watch, ready: Effect.void })
      yield* agent.prompt({ text: "Top" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(results(events), [
        ["0-One", 1, "Budget exceeded (tool_calls)"],
        ["1-Two", 0, undefined]
      ])
      assert.deepStrictEqual(told(events), ["tool_calls", "completed"])
      assert.strictEqual((yield* allowance.snapshot).toolCalls, 3)
    })
  )

  it.scopedLive("ends its run no longer once the limit is raised", () =>
    Effect.gen(function* () {
      const { agent, allowance, events } = yield* Delegating.make({
        budget: { maxToolCalls: 1 },
        answer: (_, nth) => (nth === 1 ? call(["a", "ls", {}], ["b", "ls", {}]) : say("done"))
      })
      yield* agent.events.attach({
        offer: (event) => {
          if (event._tag === "ToolEnded" && event.isError) Effect.runSync(allowance.setLimits({ maxToolCalls: 5 }))
        },
        ready: Effect.void
      })
      yield* agent.prompt({ text: "Top" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(told(events), ["tool_calls", "completed"])
    })
  )
})
