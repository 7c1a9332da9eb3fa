import { assert, it } from "@effect/vitest"
import * as TodoTexts from "../../../src/domain/todo/TodoTexts.ts"
import { list, task } from "../../support/todo/Lists.ts"

const phases = [
  { id: "phase-1", name: "Look", tasks: [task(1, "read", "completed")] },
  {
    id: "phase-2",
    name: "Build\nit",
    tasks: [
      { ...task(2, "write", "in_progress"), notes: "in\tC", details: "not so" },
      { ...task(3, "test"), notes: "unseen" },
      task(4, "guess", "abandoned")
    ]
  },
  { id: "phase-3", name: "Ship", tasks: [] }
]

it("the result has the errors, the open items, the progress of the phase, and the list", () => {
  const shown = [
    "Look (phase-1):",
    "  ✓ task-1: read",
    "Build it (phase-2):",
    "  → task-2: write",
    "      in C",
    "      not so",
    "  ○ task-3: test",
    "  ✗ task-4: guess",
    "Ship (phase-3): no tasks"
  ].join("\n")
  const open = "Open items (2):\n  - task-2: write\n  - task-3: test"
  const progress = "Phase 2 of 3, Build it: 1 of 3 done."
  assert.strictEqual(TodoTexts.result(phases, []), [open, progress, shown].join("\n\n"))
  assert.strictEqual(TodoTexts.result(phases, ["a", "b"]), ["Errors: a; b", open, progress, shown].join("\n\n"))
})

it("the result of a list on which nothing is open, and of an empty one", () => {
  assert.strictEqual(
    TodoTexts.result(list(task(1, "a", "completed")), []),
    "Everything on the list is done.\n\nWork (phase-1):\n  ✓ task-1: a"
  )
  assert.strictEqual(TodoTexts.result([], ["x"]), "Errors: x\n\nThe todo list is empty.")
})

it("the phase of the progress is the first with something to do, if nothing is in progress", () => {
  const later = { id: "phase-2", name: "Later", tasks: [task(2, "b")] }
  assert.include(TodoTexts.result([...list(task(1, "a", "completed")), later], []), "Phase 2 of 2, Later: 0 of 1 done.")
})

it("a blocked task is marked, with what it waits for", () => {
  const blocked = list({ ...task(1, "ship", "blocked"), blocker: "the\nreview", notes: "unseen" })
  assert.include(TodoTexts.result(blocked, []), "  ⊘ task-1: ship\n      blocked: the review")
})

it("a long line is cut between characters, and says so", () => {
  const shown = (content: string) =>
    TodoTexts.result(list(task(1, content)), [])
      .split("\n")
      .at(-1)
  assert.strictEqual(shown("x".repeat(300)), `  ○ task-1: ${"x".repeat(300)}`)
  assert.strictEqual(shown(`${"x".repeat(299)}😀`), `  ○ task-1: ${"x".repeat(299)}…`)
})

it("a reminder has the open items of each phase, and which one it is", () => {
  const { content, ...rest } = TodoTexts.reminder(phases, 2, 3)
  assert.deepStrictEqual(rest, { customType: "todo-reminder", display: false })
  const [said, open, advice] = String(content).split("\n\n")
  assert.strictEqual(said, "You stopped, but these items of the todo list are still open:")
  assert.strictEqual(open, "Build it (phase-2):\n  → task-2: write\n      in C\n      not so\n  ○ task-3: test")
  assert.match(advice ?? "", /\(Reminder 2\/3\)$/)
})

it("an update has the list with its ids, or says that there is none", () => {
  const { content, ...rest } = TodoTexts.update(list(task(7, "a")))
  assert.deepStrictEqual(rest, { customType: "todo-update", display: false })
  assert.match(String(content), /^This is the current todo list\..*\n\nWork \(phase-1\):\n {2}○ task-7: a$/)
  assert.strictEqual(TodoTexts.update([]).content, "The user has cleared the todo list. Nothing is left on it.")
})

it("no text grows with the list beyond its bounds", () => {
  const long = list(
    ...Array.from({ length: 1000 }, (_, n) => ({ ...task(n, "x".repeat(2000)), notes: "y".repeat(2000) }))
  )
  const errors = Array.from({ length: 1000 }, (_, n) => `e${n}`)
  const result = TodoTexts.result(long, errors)
  assert.isBelow(result.length, 40_000)
  assert.include(result, "; e19; and 980 more\n")
  assert.include(result, "  - and 980 more\n")
  assert.match(result, /\[\d+ more lines\]$/)
  assert.isBelow(String(TodoTexts.reminder(long, 1, 3).content).length, 30_000)
  assert.isBelow(String(TodoTexts.update(long).content).length, 30_000)
})
