import { assert, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import * as TodoInput from "../../../src/domain/todo/TodoInput.ts"

const idsOf = (phases: ReadonlyArray<TodoInput.PhaseInput>) =>
  TodoInput.normalise(phases).map(({ id, tasks }) => [id, ...tasks.map((task) => task.id)].join(" "))

const named = (id: string | undefined) => (id === undefined ? {} : { id })
const phase = (id: string | undefined, ...tasks: ReadonlyArray<string | undefined>): TodoInput.PhaseInput => ({
  ...named(id),
  name: "P",
  tasks: tasks.map((task) => ({ ...named(task), content: "c" }))
})

const rows: ReadonlyArray<
  readonly [why: string, given: ReadonlyArray<TodoInput.PhaseInput>, ids: ReadonlyArray<string>]
> = [
  [
    "none are given",
    [phase(undefined, undefined, undefined), phase(undefined, undefined)],
    ["phase-1 task-1 task-2", "phase-2 task-3"]
  ],
  ["all are given", [phase("a", "x", "y"), phase("b", "z")], ["a x y", "b z"]],
  [
    "some are missing or empty",
    [phase("phase-4", "task-7", undefined), phase("", "")],
    ["phase-4 task-7 task-8", "phase-5 task-9"]
  ],
  [
    "some are taken, also in another phase",
    [phase("a", "x", "x"), phase("a", "x", "task-1")],
    ["a x task-2", "phase-1 task-3 task-1"]
  ],
  [
    "a number is too long to be counted",
    [phase("a", "task-12345678901234567890", undefined)],
    ["a task-12345678901234567890 task-1"]
  ],
  [
    "the next number is taken",
    [phase("a", "task-999999999", undefined, "task-1000000000")],
    ["a task-999999999 task-1000000001 task-1000000000"]
  ],
  [
    "others look like numbers",
    [phase("a", "task-07", "task-x", "Task-9", undefined)],
    ["a task-07 task-x Task-9 task-8"]
  ]
]
for (const [why, given, ids] of rows) it(`ids where ${why}`, () => assert.deepStrictEqual(idsOf(given), ids))

it("a blocker is kept with a blocked task only", () => {
  const tasks = [
    { content: "a", status: "blocked", blocker: "b" },
    { content: "c", blocker: "d" }
  ] as const
  assert.deepStrictEqual(TodoInput.normalise([{ name: "P", tasks }])[0]?.tasks, [
    { id: "task-1", content: "a", status: "blocked", blocker: "b" },
    { id: "task-2", content: "c", status: "pending" }
  ])
})

it("notes, details and statuses stay as they are; a task without one is pending", () => {
  const tasks = [
    { content: "a", status: "in_progress", notes: "n", details: "d" },
    { content: "b", status: "in_progress", notes: "" },
    { content: "c", status: "abandoned" },
    { content: "d" }
  ] as const
  assert.deepStrictEqual(TodoInput.normalise([{ name: "P", tasks }]), [
    {
      id: "phase-1",
      name: "P",
      tasks: [
        { id: "task-1", content: "a", status: "in_progress", notes: "n", details: "d" },
        { id: "task-2", content: "b", status: "in_progress", notes: "" },
        { id: "task-3", content: "c", status: "abandoned" },
        { id: "task-4", content: "d", status: "pending" }
      ]
    }
  ])
})

it("texts have at most 2000 characters, names and contents at least one", () => {
  const fits = Schema.decodeUnknownEither(TodoInput.PhaseInput)
  const long = (n: number) => "x".repeat(n)
  const task = (members: object) => ({ name: "P", tasks: [{ content: "c", ...members }] })
  const good = [
    task({ content: long(2000), notes: long(2000), details: long(2000), id: long(2000) }),
    task({ notes: "", details: "", extra: 1 }),
    { name: "P", tasks: [] }
  ]
  const bad = [
    task({ content: long(2001) }),
    task({ notes: long(2001) }),
    task({ details: long(2001) }),
    task({ id: long(2001) }),
    task({ content: " \n" }),
    task({ status: "done" }),
    { name: "", tasks: [] },
    { name: long(2001), tasks: [] },
    { name: "P" }
  ]
  for (const given of good) assert.isTrue(Either.isRight(fits(given)), JSON.stringify(given).slice(0, 60))
  for (const given of bad) assert.isTrue(Either.isLeft(fits(given)), JSON.stringify(given).slice(0, 60))
})

it("a thousand tasks that all want the same id are named at once", () => {
  const tasks = Array.from({ length: 1000 }, () => "task-1")
  const ids = TodoInput.normalise([phase("a", ...tasks)])[0]?.tasks.map(({ id }) => id)
  assert.deepStrictEqual(
    ids,
    Array.from({ length: 1000 }, (_, n) => `task-${n + 1}`)
  )
})
