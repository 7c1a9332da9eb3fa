/** The tool `todo_write`: the list of what the model plans to do, which the host shows (protocol.md 12). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { TodoNote, type TodoPhases, TodoStatus, TodoText } from "../../../../domain/todo/Todo.ts"
import { toolName } from "../../../../domain/todo/TodoEntries.ts"
import * as TodoOps from "../../../../domain/todo/TodoOps.ts"
import * as TodoTexts from "../../../../domain/todo/TodoTexts.ts"
import { type Tool as AnyTool, ToolFailure } from "../../../../services/Tools.ts"
import * as Tool from "../../../tools/Tool.ts"

export interface TodoToolOptions {
  /** The list that a call starts from. */
  readonly todos: Effect.Effect<TodoPhases>
  /** Whether the session outlives the process. */
  readonly isStored: Effect.Effect<boolean>
}

/** Without its identifier, which would become a `$defs`. */
const Status = Schema.Literal(...TodoStatus.literals).annotations({
  message: () => ({ message: `expected one of ${TodoStatus.literals.join(", ")}`, override: true })
})

const remarks = {
  notes: Tool.optional(TodoNote, "What you found out about the task."),
  details: Tool.optional(TodoNote, "How the task is to be done.")
}

const blocker = Tool.optional(TodoNote, "What a blocked task waits for.")

const NewTask = Schema.Struct({
  content: Tool.required(TodoText, "What is to be done, in one sentence."),
  status: Tool.optional(Status, "Default: pending."),
  blocker,
  ...remarks
})

const tasks = Tool.optional(Schema.Array(NewTask), "Its tasks, in the order in which they are to be done.")
const name = Tool.required(TodoText, "The name of the phase, such as Investigation.")
const id = Tool.required(Schema.String, "The id of the task, such as task-3.")

const Op = Schema.Union(
  Schema.Struct({
    op: Schema.Literal("replace"),
    phases: Tool.required(Schema.Array(Schema.Struct({ name, tasks })), "All phases of the list.")
  }),
  Schema.Struct({ op: Schema.Literal("add_phase"), name, tasks }),
  Schema.Struct({
    op: Schema.Literal("add_task"),
    phase: Tool.required(Schema.String, "The id of the phase, such as phase-1."),
    content: Tool.required(TodoText, "What is to be done, in one sentence."),
    ...remarks
  }),
  Schema.Struct({
    op: Schema.Literal("update"),
    id,
    status: Tool.optional(Status, "completed, abandoned, blocked, in_progress or pending."),
    blocker,
    content: Tool.optional(TodoText, "What is to be done instead."),
    ...remarks
  }),
  Schema.Struct({ op: Schema.Literal("remove_task"), id })
)

const description = [
  "Keep the list of what you have to do, which the user sees. Use it for work of three steps or more, and when the user asks for several things; not for a single step or a plain question.",
  "Operations are applied in order: replace (a new list; ids start again at phase-1 and task-1), add_phase, add_task, update, remove_task.",
  "Mark a task completed with update as soon as it is done, not before and not several at the end; mark one that is not needed any more abandoned, and one that you cannot go on with for now blocked, with its blocker.",
  "One task is in progress at a time: after every call the first one that says so, else the first that is pending. Finished tasks leave the list by themselves after a while."
].join(" ")

export const make = ({ isStored, todos }: TodoToolOptions): AnyTool =>
  Tool.make({
    name: toolName,
    description,
    parameters: Schema.Struct({ ops: Tool.required(Schema.Array(Op), "What to do with the list, in this order.") }),
    concurrency: "exclusive",
    run: Effect.fnUntraced(function* ({ ops }) {
      const applied = TodoOps.apply(yield* todos, ops)
      if (Either.isLeft(applied)) {
        const advice = "Remove or finish some, and put the rest in fewer, larger ones."
        return yield* new ToolFailure({ message: `The todo list was not changed: ${applied.left}. ${advice}` })
      }
      const { errors, phases } = applied.right
      const storage = (yield* isStored) ? "session" : "memory"
      return Tool.textOutput(TodoTexts.result(phases, errors), { phases, storage })
    })
  })
