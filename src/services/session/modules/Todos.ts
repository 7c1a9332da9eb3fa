/** The todo list of one session: what the model plans, where the host can see and change it (protocol.md 12). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { TodoPhases } from "../../../domain/todo/Todo.ts"
import type { PhaseInput } from "../../../domain/todo/TodoInput.ts"

/** The list was not changed. */
export class TodosRefused extends Schema.TaggedError<TodosRefused>()("TodosRefused", { message: Schema.String }) {}

export class Todos extends Context.Tag("heddle/services/session/modules/Todos")<
  Todos,
  {
    /** False where models have no todo list: there is no tool, no reminder, and the model does not see what the host sets. */
    readonly isEnabled: boolean
    readonly phases: Effect.Effect<TodoPhases>
    /** Replaces the list, which is stored when this returns. The model reads it in its next turn. */
    readonly set: (phases: ReadonlyArray<PhaseInput>) => Effect.Effect<TodoPhases, TodosRefused>
    /**
     * The list that the tool `todo_write` starts from. Its result takes effect once it is stored, unless the host has set
     * another list in the meantime.
     */
    readonly draft: Effect.Effect<TodoPhases>
  }
>() {}
