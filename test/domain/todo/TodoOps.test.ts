import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as Todo from "../../../src/domain/todo/Todo.ts"
import * as TodoOps from "../../../src/domain/todo/TodoOps.ts"
import { list, task } from "../../support/todo/Lists.ts"

const apply = (phases: Todo.TodoPhases, ...ops: ReadonlyArray<TodoOps.TodoOp>) =>
  Either.getOrThrow(TodoOps.apply(phases, ops))

/** `phase-1 Work: → task-1 a, ○ task-2 b` without the words. */
const shown = (phases: Todo.TodoPhases) =>
  phases.map(({ id, name, tasks }) => [id, name, ...tasks.map((one) => `${one.id} ${one.content} ${one.status}`)])

describe("an operation", () => {
  const before = list(task(3, "a", "in_progress"), task(5, "b"))
  const rows: Record<string, readonly [TodoOps.TodoOp, ReadonlyArray<ReadonlyArray<string>>, error?: string]> = {
    "replace starts again with the first ids": [
      { op: "replace", phases: [{ name: "New", tasks: [{ content: "x" }] }, { name: "Bare" }] },
      [
        ["phase-1", "New", "task-1 x in_progress"],
        ["phase-2", "Bare"]
      ]
    ],
    "replace by nothing clears": [{ op: "replace", phases: [] }, []],
    "add_phase takes the next ids": [
      { op: "add_phase", name: "Next", tasks: [{ content: "x", status: "completed" }] },
      [
        ["phase-1", "Work", "task-3 a in_progress", "task-5 b pending"],
        ["phase-2", "Next", "task-6 x completed"]
      ]
    ],
    "add_task by the id of the phase": [
      { op: "add_task", phase: "phase-1", content: "x" },
      [["phase-1", "Work", "task-3 a in_progress", "task-5 b pending", "task-6 x pending"]]
    ],
    "add_task by the name of the phase": [
      { op: "add_task", phase: "Work", content: "x" },
      [["phase-1", "Work", "task-3 a in_progress", "task-5 b pending", "task-6 x pending"]]
    ],
    "add_task to a phase that does not exist": [
      { op: "add_task", phase: "phase-2", content: "x" },
      [["phase-1", "Work", "task-3 a in_progress", "task-5 b pending"]],
      'add_task: there is no phase "phase-2"'
    ],
    "update completes one, and the next is in progress": [
      { op: "update", id: "task-3", status: "completed" },
      [["phase-1", "Work", "task-3 a completed", "task-5 b in_progress"]]
    ],
    "update puts a second one in progress: the first stays": [
      { op: "update", id: "task-5", status: "in_progress", content: "c" },
      [["phase-1", "Work", "task-3 a in_progress", "task-5 c pending"]]
    ],
    "update of a task that does not exist": [
      { op: "update", id: "x".repeat(200), status: "completed" },
      [["phase-1", "Work", "task-3 a in_progress", "task-5 b pending"]],
      `update: there is no task "${"x".repeat(100)}…"`
    ],
    "remove_task leaves its phase": [
      { op: "remove_task", id: "task-3" },
      [["phase-1", "Work", "task-5 b in_progress"]]
    ],
    "remove_task of a task that does not exist": [
      { op: "remove_task", id: "task-4" },
      [["phase-1", "Work", "task-3 a in_progress", "task-5 b pending"]],
      'remove_task: there is no task "task-4"'
    ]
  }
  for (const [name, [op, expected, error]] of Object.entries(rows)) {
    it(name, () => {
      const { errors, phases } = apply(before, op)
      assert.deepStrictEqual(shown(phases), expected)
      assert.deepStrictEqual(errors, error === undefined ? [] : [error])
    })
  }
})

it("operations see what those before them have done; ids are not given out twice", () => {
  const { errors, phases } = apply(
    [],
    { op: "add_phase", name: "A" },
    { op: "add_task", phase: "phase-1", content: "a" },
    { op: "remove_task", id: "task-1" },
    { op: "remove_task", id: "task-1" },
    { op: "update", id: "task-1", status: "completed" },
    { op: "add_task", phase: "A", content: "b" },
    { op: "replace", phases: [{ name: "B" }] },
    { op: "add_task", phase: "A", content: "c" },
    { op: "add_task", phase: "B", content: "d" }
  )
  assert.deepStrictEqual(shown(phases), [["phase-1", "B", "task-1 d in_progress"]])
  assert.deepStrictEqual(errors, [
    'remove_task: there is no task "task-1"',
    'update: there is no task "task-1"',
    'add_task: there is no phase "A"'
  ])
})

it("remarks are kept, replaced, and taken away by an empty text", () => {
  const remarked = list({ ...task(1, "a", "in_progress"), notes: "n", details: "d" })
  const after = (members: object) => apply(remarked, { op: "update", id: "task-1", ...members }).phases[0]?.tasks[0]
  const plain = task(1, "a", "in_progress")
  assert.deepStrictEqual(after({ content: "b" }), { ...plain, content: "b", notes: "n", details: "d" })
  assert.deepStrictEqual(after({ notes: "m" }), { ...plain, notes: "m", details: "d" })
  assert.deepStrictEqual(after({ notes: "", details: "" }), plain)
  const added = apply([], { op: "add_phase", name: "P", tasks: [{ content: "a", notes: "n", details: "" }] })
  assert.deepStrictEqual(added.phases[0]?.tasks, [{ ...plain, notes: "n" }])
})

it("a blocked task has its blocker until it goes on, and the next one is in progress", () => {
  const after = (...ops: ReadonlyArray<TodoOps.TodoOp>) => apply(list(task(1, "a"), task(2, "b")), ...ops).phases
  const blocked = { ...task(1, "a", "blocked"), blocker: "the key" }
  const block: TodoOps.TodoOp = { op: "update", id: "task-1", status: "blocked", blocker: "the key" }
  assert.deepStrictEqual(after(block), list(blocked, task(2, "b", "in_progress")))
  assert.deepStrictEqual(after(block, { op: "update", id: "task-1", content: "c" })[0]?.tasks[0], {
    ...blocked,
    content: "c"
  })
  assert.deepStrictEqual(
    after(block, { op: "update", id: "task-1", status: "in_progress" }),
    list(task(1, "a", "in_progress"), task(2, "b"))
  )
  const added = after({ op: "replace", phases: [{ name: "Work", tasks: [{ content: "x", blocker: "nothing" }] }] })
  assert.deepStrictEqual(added, list(task(1, "x", "in_progress")))
})

it("a list that would be too long is left as it is", () => {
  const full = list(...Array.from({ length: 1000 }, (_, n) => task(n + 1, "t", "completed")))
  const one: TodoOps.TodoOp = { op: "add_task", phase: "phase-1", content: "x" }
  assert.deepStrictEqual(
    TodoOps.apply(full, [one]),
    Either.left("at most 1000 tasks are allowed, and there would be 1001")
  )
  assert.isTrue(Either.isRight(TodoOps.apply(full, [one, { op: "remove_task", id: "task-1" }])))
})

const statuses = fc.constantFrom(...Todo.TodoStatus.literals)
const newTasks = fc.array(fc.record({ content: fc.string({ minLength: 1 }), status: statuses }), { maxLength: 4 })
const ops: fc.Arbitrary<TodoOps.TodoOp> = fc.oneof(
  fc.record({
    op: fc.constant("replace" as const),
    phases: fc.array(fc.record({ name: fc.string(), tasks: newTasks }), { maxLength: 3 })
  }),
  fc.record({ op: fc.constant("add_phase" as const), name: fc.string(), tasks: newTasks }),
  fc.record({ op: fc.constant("add_task" as const), phase: fc.nat(4).map((n) => `phase-${n}`), content: fc.string() }),
  fc.record({ op: fc.constant("update" as const), id: fc.nat(8).map((n) => `task-${n}`), status: statuses }),
  fc.record({ op: fc.constant("remove_task" as const), id: fc.nat(8).map((n) => `task-${n}`) })
)

it("whatever is done, ids are unique, and exactly one task is in progress if any can be", () =>
  fc.assert(
    fc.property(fc.array(fc.array(ops, { maxLength: 6 }), { maxLength: 5 }), (calls) => {
      let phases: Todo.TodoPhases = []
      for (const call of calls) phases = apply(phases, ...call).phases
      const tasks = Todo.tasksOf(phases)
      for (const named of [tasks, phases]) assert.strictEqual(new Set(named.map(({ id }) => id)).size, named.length)
      const busy = tasks.filter(({ status }) => status === "in_progress").length
      assert.strictEqual(busy, tasks.some(Todo.isActionable) ? 1 : 0)
    }),
    { numRuns: 300 }
  ))

it("ten thousand operations on a full list take no longer than they are many", () => {
  const full = list(...Array.from({ length: 1000 }, (_, n) => task(n + 1, "t")))
  const many = Array.from({ length: 10_000 }, (_, n): TodoOps.TodoOp => {
    if (n % 3 === 0) return { op: "update", id: `task-${(n % 1000) + 1}`, status: "completed" }
    if (n % 3 === 1) return { op: "remove_task", id: `task-${(n % 1000) + 1}` }
    return { op: "add_task", phase: "Work", content: "x" }
  })
  const began = performance.now()
  TodoOps.apply(full, many)
  assert.isBelow(performance.now() - began, 1000)
})
