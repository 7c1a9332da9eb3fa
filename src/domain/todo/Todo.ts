/** The todo list of a session: phases with tasks (protocol.md 12). */
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"

/** How many tasks, and how many phases, a list may have. */
export const mostTasks = 1000
/** How many characters each text of a list may have. */
export const longestText = 2000

export const TodoStatus = Schema.Literal("pending", "in_progress", "blocked", "completed", "abandoned").annotations({
  identifier: "TodoStatus",
  description: "The state of a task of the todo list."
})
export type TodoStatus = typeof TodoStatus.Type

export const TodoItem = Schema.Struct({
  id: Schema.String,
  content: Schema.String,
  status: TodoStatus,
  notes: optional(Schema.String),
  details: optional(Schema.String),
  blocker: optional(Schema.String, "What a `blocked` task waits for.")
}).annotations({ identifier: "TodoItem", description: "A task of the todo list." })
export type TodoItem = typeof TodoItem.Type

export const TodoPhase = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  tasks: Schema.Array(TodoItem)
}).annotations({ identifier: "TodoPhase", description: "A group of tasks of the todo list." })
export type TodoPhase = typeof TodoPhase.Type
export type TodoPhases = ReadonlyArray<TodoPhase>

const bounded = (shortest: number) => {
  const words = `a text of ${shortest > 0 ? `${shortest} to` : "at most"} ${longestText} characters`
  return Schema.String.pipe(
    Schema.filter((text) => text.length <= longestText && text.trim().length >= shortest, {
      description: words,
      message: () => `expected ${words}`,
      jsonSchema: shortest > 0 ? { minLength: shortest, maxLength: longestText } : { maxLength: longestText }
    })
  )
}

/** A text that has to be there: the name of a phase, the content of a task. */
export const TodoText = bounded(1)

/** A text that may be empty: notes, details, blockers and ids. */
export const TodoNote = bounded(0)

export const isDone = ({ status }: TodoItem) => status === "completed" || status === "abandoned"

export const isOpen = (task: TodoItem) => !isDone(task)

/** Whether its assignee can go on with it. */
export const isActionable = (task: TodoItem) => isOpen(task) && task.status !== "blocked"

export const tasksOf = (phases: TodoPhases): ReadonlyArray<TodoItem> => phases.flatMap(({ tasks }) => tasks)

export const openTasks = (phases: TodoPhases): ReadonlyArray<TodoItem> => tasksOf(phases).filter(isOpen)

/** What a session that is opened begins with: neither tasks that are done nor phases without tasks. */
export const withoutDone = (phases: TodoPhases): TodoPhases =>
  phases.flatMap((phase) => {
    const tasks = phase.tasks.filter(isOpen)
    return tasks.length === 0 ? [] : [{ ...phase, tasks }]
  })

/** Removes tasks, and the phases that this leaves empty. */
export const withoutTasks = (phases: TodoPhases, ids: ReadonlySet<string>): TodoPhases =>
  phases.flatMap((phase) => {
    const tasks = phase.tasks.filter(({ id }) => !ids.has(id))
    if (tasks.length === phase.tasks.length) return [phase]
    return tasks.length === 0 ? [] : [{ ...phase, tasks }]
  })

/** Undefined if the list is not too long. */
export const sizeProblem = (phases: TodoPhases): string | undefined => {
  if (phases.length > mostTasks) return `at most ${mostTasks} phases are allowed, and there would be ${phases.length}`
  const count = phases.reduce((sum, { tasks }) => sum + tasks.length, 0)
  return count > mostTasks ? `at most ${mostTasks} tasks are allowed, and there would be ${count}` : undefined
}

const isSameTask = (one: TodoItem, other: TodoItem | undefined) =>
  one.id === other?.id &&
  one.content === other.content &&
  one.status === other.status &&
  one.notes === other.notes &&
  one.details === other.details &&
  one.blocker === other.blocker

export const isSame = (one: TodoPhases, other: TodoPhases): boolean =>
  one.length === other.length &&
  one.every(({ id, name, tasks }, at) => {
    const phase = other[at]
    return (
      id === phase?.id &&
      name === phase.name &&
      tasks.length === phase.tasks.length &&
      tasks.every((task, index) => isSameTask(task, phase.tasks[index]))
    )
  })

/** Longer numbers are not counted on, because they lose their last digits. */
const numbered = /^(?:phase|task)-(\d{1,9})$/

/** Gives out ids that are above the highest of those it knows. */
export const makeIds = (kind: "phase" | "task", known: Iterable<string>) => {
  const used = new Set(known)
  let highest = 0
  for (const id of used) highest = Math.max(highest, Number(numbered.exec(id)?.[1] ?? 0))
  return {
    next: (): string => {
      do highest++
      while (used.has(`${kind}-${highest}`))
      const id = `${kind}-${highest}`
      used.add(id)
      return id
    }
  }
}
