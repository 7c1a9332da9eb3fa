/** Todo lists of one phase, and operations of `todo_write` on them. */
import type { TodoItem, TodoPhases, TodoStatus } from "../../../src/domain/todo/Todo.ts"

export const task = (n: number, content: string, status: TodoStatus = "pending"): TodoItem => ({
  id: `task-${n}`,
  content,
  status
})

export const list = (...tasks: ReadonlyArray<TodoItem>): TodoPhases => [{ id: "phase-1", name: "Work", tasks }]

export const plan = (...contents: ReadonlyArray<string>) => ({
  op: "replace",
  phases: [{ name: "Work", tasks: contents.map((content) => ({ content })) }]
})

export const update = (n: number, status: TodoStatus) => ({ op: "update", id: `task-${n}`, status })
