/** Limits that a program gives a batch of tasks. */
import { writeFileSync } from "node:fs"
import { SubagentSet } from "../../../../src/services/delegation/Subagents.ts"
import { Allowance } from "../../../../src/services/session/modules/Budget.ts"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import * as AgentLive from "../../../../src/layers/Process.ts"
import { Sessions } from "../../../../src/services/session/Sessions.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const lists = { steps: [{ toolCall: { name: "ls", arguments: { path: "." } } }], usage: { input: 10, output: 5 } }

it.scopedLive("all its tasks together end at them, the session goes on", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const scenario = join(folder, "scenario.json")
    writeFileSync(scenario, JSON.stringify({ turns: [lists], atEnd: "stay" }))
    const options: AgentLive.AgentOptions = {
      agentDir: folder,
      cwd: folder,
      overrides: { "offline.scenario": scenario },
      provider: "offline",
      model: "script",
      models: [],
      session: { inMemory: true }
    }
    const sessions = Context.get(yield* Layer.build(AgentLive.layer(options)), Sessions)
    const events: Array<AgentEvent> = []
    yield* sessions.attach({ offer: (event) => events.push(event), ready: Effect.void })
    const current = yield* sessions.current
    const [budget, subagents] = [Context.get(current, Allowance), Context.get(current, SubagentSet)]
    const tasks = ["A", "B", "C"].map((id) => ({ id, assignment: "Look" }))
    const { results } = yield* subagents.run({ agent: "explore", tasks, limits: { maxToolCalls: 7 } })
    assert.deepStrictEqual(
      results.map(({ error }) => error),
      Array.from({ length: 3 }, () => "Budget exceeded (tool_calls)")
    )
    const told = events.flatMap((event) =>
      event._tag === "BudgetWarning" || event._tag === "BudgetSpent" ? [[event._tag, event.scope, event.id]] : []
    )
    assert.deepStrictEqual(told, [
      ["BudgetWarning", "task", "0-A"],
      ["BudgetSpent", "task", "0-A"]
    ])
    const { status, subagents: started, toolCalls } = yield* budget.snapshot
    assert.deepStrictEqual([status, started, toolCalls], ["ok", 3, 7])
    yield* budget.check
  })
)
