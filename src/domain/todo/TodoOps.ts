/** The operations of the tool `todo_write` (protocol.md 12). Pure; the cost grows with the list and the operations. */
import * as Either from "effect/Either"
import { makeIds, sizeProblem, type TodoItem, type TodoPhases, type TodoStatus } from "./Todo.ts"
import * as Text from "../Text.ts"

interface Remarks {
  readonly notes?: string
  readonly details?: string
}

export interface NewTask extends Remarks {
  readonly content: string
  readonly status?: TodoStatus
  /** Kept while the task is blocked. */
  readonly blocker?: string
}

export interface NewPhase {
  readonly name: string
  readonly tasks?: ReadonlyArray<NewTask>
}

export type TodoOp =
  | { readonly op: "replace"; readonly phases: ReadonlyArray<NewPhase> }
  | ({ readonly op: "add_phase" } & NewPhase)
  /** `phase` is an id, or the name of a phase. */
  | ({ readonly op: "add_task"; readonly phase: string; readonly content: string } & Remarks)
  | ({
      readonly op: "update"
      readonly id: string
      readonly status?: TodoStatus
      readonly content?: string
      readonly blocker?: string
    } & Remarks)
  | { readonly op: "remove_task"; readonly id: string }

interface DraftTask {
  /** Undefined if the task was removed. */
  item: TodoItem | undefined
}

interface DraftPhase {
  readonly id: string
  readonly name: string
  readonly tasks: Array<DraftTask>
}

/** An empty remark takes the old one away. */
const remarks = ({ details, notes }: { [Name in keyof Remarks]: string | undefined }): Remarks => ({
  ...(notes === undefined || notes === "" ? {} : { notes }),
  ...(details === undefined || details === "" ? {} : { details })
})

/** A task that is not blocked has no blocker. */
const blockedBy = (status: TodoStatus, blocker: string | undefined) =>
  status !== "blocked" || blocker === undefined || blocker === "" ? {} : { blocker }

const updated = (
  { blocker: oldBlocker, details: oldDetails, notes: oldNotes, ...before }: TodoItem,
  {
    blocker = oldBlocker,
    content = before.content,
    details = oldDetails,
    notes = oldNotes,
    status = before.status
  }: Partial<NewTask>
): TodoItem => ({
  ...before,
  content,
  status,
  ...remarks({ notes, details }),
  ...blockedBy(status, blocker)
})

/** A list that operations change in place. */
const makeDraft = (initial: TodoPhases) => {
  const phases: Array<DraftPhase> = []
  const phasesByName = new Map<string, DraftPhase>()
  const phasesById = new Map<string, DraftPhase>()
  const tasks = new Map<string, DraftTask>()

  const putPhase = (id: string, name: string): DraftPhase => {
    const phase: DraftPhase = { id, name, tasks: [] }
    phases.push(phase)
    if (!phasesById.has(id)) phasesById.set(id, phase)
    if (!phasesByName.has(name)) phasesByName.set(name, phase)
    return phase
  }
  const putTask = (phase: DraftPhase, item: TodoItem) => {
    const task: DraftTask = { item }
    phase.tasks.push(task)
    if (!tasks.has(item.id)) tasks.set(item.id, task)
  }
  for (const { id, name, tasks: items } of initial) {
    const phase = putPhase(id, name)
    for (const item of items) putTask(phase, item)
  }

  return {
    putPhase,
    putTask,
    phase: (reference: string) => phasesById.get(reference) ?? phasesByName.get(reference),
    task: (id: string) => tasks.get(id),
    remove: (id: string, task: DraftTask) => {
      task.item = undefined
      tasks.delete(id)
    },
    finish: (): TodoPhases =>
      phases.map(({ id, name, tasks }) => ({ id, name, tasks: tasks.flatMap(({ item }) => item ?? []) }))
  }
}

/** One task is in progress: the first that says so, else the first that is pending. */
const withOneInProgress = (phases: TodoPhases): TodoPhases => {
  const all = phases.flatMap(({ tasks }) => tasks)
  const current = all.find(({ status }) => status === "in_progress") ?? all.find(({ status }) => status === "pending")
  const settle = (task: TodoItem): TodoItem => {
    if (task === current) return task.status === "in_progress" ? task : { ...task, status: "in_progress" }
    return task.status === "in_progress" ? { ...task, status: "pending" } : task
  }
  return phases.map((phase) => ({ ...phase, tasks: phase.tasks.map(settle) }))
}

const begin = (initial: TodoPhases) => ({
  draft: makeDraft(initial),
  phaseIds: makeIds(
    "phase",
    initial.map(({ id }) => id)
  ),
  taskIds: makeIds(
    "task",
    initial.flatMap(({ tasks }) => tasks.map(({ id }) => id))
  )
})

type Editing = ReturnType<typeof begin>

const addTask = (
  { draft, taskIds }: Editing,
  phase: DraftPhase,
  { blocker, content, status = "pending", ...more }: NewTask
) => draft.putTask(phase, { id: taskIds.next(), content, status, ...remarks(more), ...blockedBy(status, blocker) })

const addPhase = (editing: Editing, { name, tasks = [] }: NewPhase) => {
  const phase = editing.draft.putPhase(editing.phaseIds.next(), name)
  for (const task of tasks) addTask(editing, phase, task)
}

const longestQuote = 100
const quote = (id: string) => `"${Text.clip(id, longestQuote)}"`

/** Returns what is wrong with the operation; it then changes nothing. `replace` is left to the caller. */
const edit = (editing: Editing, op: Exclude<TodoOp, { readonly op: "replace" }>): string | undefined => {
  const { draft } = editing
  switch (op.op) {
    case "add_phase":
      addPhase(editing, op)
      return undefined
    case "add_task": {
      const phase = draft.phase(op.phase)
      if (phase === undefined) return `add_task: there is no phase ${quote(op.phase)}`
      addTask(editing, phase, { content: op.content, ...remarks(op) })
      return undefined
    }
    case "update": {
      const task = draft.task(op.id)
      if (task?.item === undefined) return `update: there is no task ${quote(op.id)}`
      task.item = updated(task.item, op)
      return undefined
    }
    case "remove_task": {
      const task = draft.task(op.id)
      if (task === undefined) return `remove_task: there is no task ${quote(op.id)}`
      draft.remove(op.id, task)
      return undefined
    }
  }
}

export interface Applied {
  readonly phases: TodoPhases
  /** Operations that named a phase or a task that does not exist. The others have taken effect. */
  readonly errors: ReadonlyArray<string>
}

/** Left: why the list would be too long. Nothing takes effect then. */
export const apply = (phases: TodoPhases, ops: ReadonlyArray<TodoOp>): Either.Either<Applied, string> => {
  const errors: Array<string> = []
  let editing = begin(phases)
  for (const op of ops) {
    if (op.op === "replace") {
      editing = begin([])
      for (const phase of op.phases) addPhase(editing, phase)
      continue
    }
    const error = edit(editing, op)
    if (error !== undefined) errors.push(error)
  }
  const made = editing.draft.finish()
  const problem = sizeProblem(made)
  return problem === undefined ? Either.right({ phases: withOneInProgress(made), errors }) : Either.left(problem)
}
