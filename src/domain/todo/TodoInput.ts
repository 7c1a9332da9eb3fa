/** The list that a host sets, and what the session makes of it (protocol.md 12). */
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"
import { makeIds, TodoNote, type TodoPhase, type TodoPhases, TodoStatus, TodoText } from "./Todo.ts"
import { defined } from "../Values.ts"

const TaskInput = Schema.Struct({
  id: optional(TodoNote, "If it is missing or taken, heddle chooses one."),
  content: TodoText,
  status: optional(TodoStatus, "Default: `pending`."),
  notes: optional(TodoNote),
  details: optional(TodoNote),
  blocker: optional(TodoNote, "What a `blocked` task waits for; dropped from others.")
}).annotations({ identifier: "TodoItemInput", description: "A task that a host sets." })
type TaskInput = typeof TaskInput.Type

export const PhaseInput = Schema.Struct({
  id: optional(TodoNote, "If it is missing or taken, heddle chooses one."),
  name: TodoText,
  tasks: Schema.Array(TaskInput)
}).annotations({ identifier: "TodoPhaseInput", description: "A phase that a host sets." })
export type PhaseInput = typeof PhaseInput.Type

/** The first to have an id keeps it; the others, and those without one, get the next free ones. */
const naming = (kind: "phase" | "task", wanted: ReadonlyArray<string | undefined>) => {
  const ids = makeIds(
    kind,
    wanted.filter((id) => id !== undefined)
  )
  const taken = new Set<string>()
  return (id: string | undefined): string => {
    if (id === undefined || id === "" || taken.has(id)) return ids.next()
    taken.add(id)
    return id
  }
}

/** Statuses stay as they are, also where several tasks are in progress. */
export const normalise = (phases: ReadonlyArray<PhaseInput>): TodoPhases => {
  const nameOfPhase = naming(
    "phase",
    phases.map(({ id }) => id)
  )
  const nameOfTask = naming(
    "task",
    phases.flatMap(({ tasks }) => tasks.map(({ id }) => id))
  )
  const task = ({ blocker, content, details, id, notes, status = "pending" }: TaskInput) => ({
    id: nameOfTask(id),
    content,
    status,
    ...defined({ notes, details }),
    ...(blocker === undefined || status !== "blocked" ? {} : { blocker })
  })
  return phases.map(({ id, name, tasks }): TodoPhase => ({ id: nameOfPhase(id), name, tasks: tasks.map(task) }))
}
