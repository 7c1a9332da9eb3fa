import { assert, it } from "@effect/vitest"
import * as Todo from "../../../src/domain/todo/Todo.ts"
import { list, task } from "../../support/todo/Lists.ts"

const [open, busy, done, given] = [
  task(1, "open"),
  task(2, "busy", "in_progress"),
  task(3, "done", "completed"),
  task(4, "given up", "abandoned")
]
const phase = (id: string, ...tasks: ReadonlyArray<Todo.TodoItem>): Todo.TodoPhase => ({ id, name: id, tasks })

it("a task is open until it is completed or abandoned", () => {
  assert.deepStrictEqual(Todo.openTasks(list(open, busy, done, given)), [open, busy])
  assert.deepStrictEqual([open, busy, done, given].map(Todo.isDone), [false, false, true, true])
})

it("what a session is opened with has neither finished tasks nor empty phases", () =>
  assert.deepStrictEqual(Todo.withoutDone([phase("a", done, open), phase("b", given), phase("c"), phase("d", busy)]), [
    phase("a", open),
    phase("d", busy)
  ]))

it("removing tasks removes the phases that it empties, and no others", () => {
  const phases = [phase("a", done, open), phase("b", given), phase("c")]
  assert.deepStrictEqual(Todo.withoutTasks(phases, new Set(["task-3", "task-4"])), [phase("a", open), phase("c")])
  assert.deepStrictEqual(Todo.withoutTasks(phases, new Set(["task-9"])), phases)
})

it("lists are the same if every part of them is", () => {
  const remarked = { ...open, notes: "n", details: "d" }
  const phases = list(remarked, done)
  assert.isTrue(Todo.isSame(phases, structuredClone(phases)))
  assert.isTrue(Todo.isSame([], []))
  const others = [
    [],
    [...phases, ...phases],
    list(remarked),
    list(done, remarked),
    list({ ...remarked, id: "x" }, done),
    list({ ...remarked, content: "x" }, done),
    list({ ...remarked, status: "completed" as const }, done),
    list({ ...remarked, notes: "x" }, done),
    list({ ...open, notes: "n" }, done),
    [phase("x", remarked, done)],
    [{ ...phase("phase-1", remarked, done), name: "x" }]
  ]
  for (const other of others) assert.isFalse(Todo.isSame(phases, other), JSON.stringify(other))
})

it("a list has at most 1000 tasks and 1000 phases", () => {
  const tasks = (count: number) => Array.from({ length: count }, (_, n) => task(n, "t"))
  const phases = (count: number) => Array.from({ length: count }, (_, n) => phase(`p${n}`))
  assert.isUndefined(Todo.sizeProblem([phase("a", ...tasks(600)), phase("b", ...tasks(400))]))
  assert.strictEqual(
    Todo.sizeProblem([phase("a", ...tasks(600)), phase("b", ...tasks(401))]),
    "at most 1000 tasks are allowed, and there would be 1001"
  )
  assert.isUndefined(Todo.sizeProblem(phases(1000)))
  assert.strictEqual(Todo.sizeProblem(phases(1001)), "at most 1000 phases are allowed, and there would be 1001")
})
