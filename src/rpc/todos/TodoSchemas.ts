/** Schemas of the records of todos, for the reference and the tests. */
import * as Schema from "effect/Schema"
import { TodoItem } from "../../domain/todo/Todo.ts"

export const todoEvents = [
  {
    type: "todo_reminder",
    summary: "The model has stopped with open `todos`, and the run continues with a hidden reminder.",
    fields: {
      todos: Schema.Array(TodoItem),
      attempt: Schema.Int,
      maxAttempts: Schema.Int,
      runId: Schema.String
    }
  },
  {
    type: "todo_auto_clear",
    summary: "Finished tasks have left the todo list; `get_state` has what is left.",
    fields: {}
  }
] as const
