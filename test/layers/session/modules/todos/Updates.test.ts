/** Hosts hear of every change of the list, with the whole list and by whom (supplement 7(13)). */
import { assert, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { summary } from "../../../../support/agent/AgentHarness.ts"
import { say } from "../../../../support/agent/ScriptedModel.ts"
import * as TodoAgent from "../../../../support/todo/TodoAgent.ts"
import { plan, update } from "../../../../support/todo/Lists.ts"
import { changes, write } from "../../../../support/todo/TodoAgent.ts"

const settings = { "todo.reminders": false }

it.scoped("a change by the model comes behind its result, one by the host before its answer, one by time with it", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one", "two"), update(1, "completed")), say("Done.")]
    const { ask, events, set } = yield* TodoAgent.make({ turns, settings })
    yield* ask("Weave")
    assert.deepStrictEqual(changes(events), ["model task-1 completed task-2 in_progress"])
    const words = summary(events)
    const at = words.indexOf("TodosChanged")
    assert.strictEqual(words[at - 1], "MessageEnded:toolResult")
    assert.isBelow(at, words.indexOf("TurnEnded"))
    yield* TestClock.adjust("60 seconds")
    yield* set([{ name: "Work", tasks: [{ content: "mine" }] }])
    assert.deepStrictEqual(changes(events).slice(1), ["clear task-2 in_progress", "host task-1 pending"])
  })
)

it.scoped("a list that stays as it was is no change", () =>
  Effect.gen(function* () {
    const turns = [write("a", plan("one")), write("b", update(1, "in_progress")), say("Done.")]
    const { ask, events, phases, set } = yield* TodoAgent.make({ turns, settings })
    yield* set([])
    yield* ask("Weave")
    yield* set(yield* phases)
    assert.deepStrictEqual(changes(events), ["model task-1 in_progress"])
  })
)
