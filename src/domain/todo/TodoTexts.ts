/** The todo list in words, for the model. All texts are bounded, however long the list is. */
import * as Text from "../Text.ts"
import type { CustomInput } from "../conversation/Message.ts"
import { isDone, isOpen, openTasks, type TodoItem, type TodoPhase, type TodoPhases } from "./Todo.ts"

/** The `customType` of the hidden messages. */
export const updateType = "todo-update"
export const reminderType = "todo-reminder"
export const eagerType = "todo-eager"

const longestLine = 300
const mostOpenShown = 20
const longestList = 24_000
const mostErrors = 20

const marks = { completed: "✓", in_progress: "→", abandoned: "✗", blocked: "⊘", pending: "○" } as const

const oneLine = (text: string): string => {
  const line = Text.first(text, longestLine).replaceAll(/\s+/gu, " ").trim()
  return text.length > longestLine ? `${line}…` : line
}

const taskLine = ({ content, id, status }: TodoItem) => `  ${marks[status]} ${id}: ${oneLine(content)}`

/** What was remarked on the task that is being worked on, and what a blocked one waits for. */
const remarkLines = ({ blocker, details, notes, status }: TodoItem): ReadonlyArray<string> => {
  const remarks = status === "in_progress" ? [notes, details] : [blocker && `blocked: ${blocker}`]
  return remarks.flatMap((text) => (text ? [`      ${oneLine(text)}`] : []))
}

const phaseLines = ({ id, name, tasks }: TodoPhase): ReadonlyArray<string> => [
  `${oneLine(name)} (${id}):${tasks.length === 0 ? " no tasks" : ""}`,
  ...tasks.flatMap((task) => [taskLine(task), ...remarkLines(task)])
]

/** The first lines of a list. */
const bounded = (lines: ReadonlyArray<string>): string => {
  let length = 0
  const most = lines.findIndex((line) => (length += line.length + 1) > longestList)
  return most < 0 ? lines.join("\n") : [...lines.slice(0, most), `  [${lines.length - most} more lines]`].join("\n")
}

export const list = (phases: TodoPhases): string => bounded(phases.flatMap(phaseLines))

/** The phase of the task in progress, else the first one with something to do. */
const currentPhase = (phases: TodoPhases): number => {
  const at = phases.findIndex(({ tasks }) => tasks.some(({ status }) => status === "in_progress"))
  return at >= 0 ? at : phases.findIndex(({ tasks }) => tasks.some(isOpen))
}

const progress = (phases: TodoPhases): string => {
  const at = currentPhase(phases)
  const phase = phases[at]
  if (phase === undefined) return "Everything on the list is done."
  const done = phase.tasks.filter(isDone).length
  return `Phase ${at + 1} of ${phases.length}, ${oneLine(phase.name)}: ${done} of ${phase.tasks.length} done.`
}

const remaining = (phases: TodoPhases): string => {
  const open = openTasks(phases)
  const shown = open.slice(0, mostOpenShown).map(({ content, id }) => `  - ${id}: ${oneLine(content)}`)
  const rest = open.length > mostOpenShown ? [`  - and ${open.length - mostOpenShown} more`] : []
  return [`Open items (${open.length}):`, ...shown, ...rest].join("\n")
}

const errorLine = (errors: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (errors.length === 0) return []
  const more = errors.length > mostErrors ? [`and ${errors.length - mostErrors} more`] : []
  return [`Errors: ${[...errors.slice(0, mostErrors), ...more].join("; ")}`]
}

/** The result of `todo_write`. */
export const result = (phases: TodoPhases, errors: ReadonlyArray<string>): string => {
  if (phases.length === 0) return [...errorLine(errors), "The todo list is empty."].join("\n\n")
  const open = openTasks(phases).length === 0 ? [] : [remaining(phases)]
  return [...errorLine(errors), ...open, progress(phases), list(phases)].join("\n\n")
}

const hidden = (customType: string, content: string): CustomInput => ({ customType, content, display: false })

/** Tells the model the list as it is, after someone else has changed it or a compaction has removed it. */
export const update = (phases: TodoPhases): CustomInput => {
  if (phases.length === 0) return hidden(updateType, "The user has cleared the todo list. Nothing is left on it.")
  const introduction =
    "This is the current todo list. The user may have changed it; it replaces every list earlier in this conversation. Work with it, and do not mention this message."
  return hidden(updateType, `${introduction}\n\n${list(phases)}`)
}

export const reminder = (phases: TodoPhases, attempt: number, most: number): CustomInput => {
  const open = phases.flatMap((phase) => {
    const tasks = phase.tasks.filter(isOpen)
    return tasks.length === 0 ? [] : [{ ...phase, tasks }]
  })
  const introduction = "You stopped, but these items of the todo list are still open:"
  const advice =
    "Go on with them. If one is done or not needed any more, say so with todo_write; if you cannot go on without the user, tell them what you need."
  return hidden(reminderType, `${introduction}\n\n${list(open)}\n\n${advice} (Reminder ${attempt}/${most})`)
}

export const eager: CustomInput = hidden(
  eagerType,
  "Before you begin: if this takes more than one step, write the steps down with todo_write first, and keep the list up to date while you work."
)
