import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import type { TodoPhases } from "../../../../../src/domain/todo/Todo.ts"
import * as TodoWrite from "../../../../../src/layers/session/modules/todos/TodoWrite.ts"
import { list, plan, task, update } from "../../../../support/todo/Lists.ts"
import { run, said } from "../../../tools/RunTool.ts"

const make = (phases: TodoPhases = [], isStored = true) =>
  TodoWrite.make({ todos: Effect.succeed(phases), isStored: Effect.succeed(isStored) })

const refused = (...ops: ReadonlyArray<unknown>) =>
  Effect.map(Effect.flip(run(make(), { ops })), ({ message }) => message)

it.effect("answers with the list, for the model in words and for the host as it is", () =>
  Effect.gen(function* () {
    const phases = list(task(1, "a", "completed"), task(2, "b", "in_progress"))
    const text =
      "Open items (1):\n  - task-2: b\n\nPhase 1 of 1, Work: 1 of 2 done.\n\nWork (phase-1):\n  ✓ task-1: a\n  → task-2: b"
    const ops = [plan("a", "b"), update(1, "completed")]
    assert.deepStrictEqual(yield* run(make(), { ops }), said(text, { phases, storage: "session" }))
    assert.deepStrictEqual(yield* run(make([], false), { ops }), said(text, { phases, storage: "memory" }))
  })
)

it.effect("each call starts from the list of that moment", () =>
  Effect.gen(function* () {
    const current = yield* Ref.make<TodoPhases>(list(task(1, "a")))
    const tool = TodoWrite.make({ todos: Ref.get(current), isStored: Effect.succeed(true) })
    const phasesAfter = Effect.map(run(tool, { ops: [update(1, "completed")] }), ({ details }) => details?.["phases"])
    assert.deepStrictEqual(yield* phasesAfter, list(task(1, "a", "completed")))
    yield* Ref.set(current, list(task(1, "b"), task(2, "c")))
    assert.deepStrictEqual(yield* phasesAfter, list(task(1, "b", "completed"), task(2, "c", "in_progress")))
  })
)

it.effect("references that lead nowhere are told and stop nothing", () =>
  Effect.gen(function* () {
    const { content, details } = yield* run(make(list(task(1, "a"))), {
      ops: [update(7, "completed"), update(1, "abandoned")]
    })
    assert.deepStrictEqual(details?.["phases"], list(task(1, "a", "abandoned")))
    assert.match(
      JSON.stringify(content),
      /"Errors: update: there is no task \\"task-7\\"\\n\\nEverything on the list is done\./
    )
  })
)

describe("refuses", () => {
  const long = "x".repeat(2001)
  const wanted = "expected a text of 1 to 2000 characters"
  const rows: ReadonlyArray<readonly [why: string, ops: ReadonlyArray<unknown>, says: string]> = [
    ["a content that is too long", [plan("a", long)], `ops.0.phases.0.tasks.1.content: ${wanted}`],
    ["an empty content", [plan(" ")], `ops.0.phases.0.tasks.0.content: ${wanted}`],
    ["an empty name", [{ op: "add_phase", name: "" }], `ops.0.name: ${wanted}`],
    [
      "notes that are too long",
      [{ op: "update", id: "a", notes: long }],
      "ops.0.notes: expected a text of at most 2000 characters"
    ],
    [
      "a status that does not exist",
      [{ ...update(1, "pending"), status: "done" }],
      "ops.0.status: expected one of pending, in_progress, blocked, completed, abandoned"
    ]
  ]
  for (const [why, ops, says] of rows) {
    it.effect(why, () =>
      Effect.map(refused(...ops), (message) => assert.strictEqual(message, `Invalid arguments for todo_write: ${says}`))
    )
  }
  it.effect("an operation that does not exist", () =>
    Effect.map(refused({ op: "clear" }), (message) =>
      assert.match(message, /^Invalid arguments for todo_write: ops\.0/)
    )
  )
  it.effect("more than a thousand tasks, and says what to do", () =>
    Effect.map(refused(plan(...Array.from({ length: 1001 }, () => "t"))), (message) =>
      assert.strictEqual(
        message,
        "The todo list was not changed: at most 1000 tasks are allowed, and there would be 1001. Remove or finish some, and put the rest in fewer, larger ones."
      )
    )
  )
})

it("runs alone, and models are told the five operations", () => {
  const { concurrency, definition } = make()
  assert.strictEqual(concurrency, "exclusive")
  const text = JSON.stringify(definition.parameters)
  for (const op of ["replace", "add_phase", "add_task", "update", "remove_task"]) assert.include(text, `"${op}"`)
  assert.notInclude(text, "$ref")
})
