/** The todo list as the host sets it (protocol.md 3.2, 12). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { TodoPhase } from "../../domain/todo/Todo.ts"
import { PhaseInput } from "../../domain/todo/TodoInput.ts"
import { Todos } from "../../services/session/modules/Todos.ts"
import * as Command from "../Command.ts"

const refuse = (code: string, reason: string) =>
  new Command.CommandFailure({ code, message: `Invalid set_todos command: ${reason}` })

const setTodos = Command.make({
  name: "set_todos",
  lane: "ordered",
  summary: "Replaces the todo list; `[]` clears it. Returns the list as it is kept.",
  notes:
    "Phases and tasks without an id, or with one that is taken, get the next free `phase-N` or `task-N`. A task without `status` is pending. " +
    "The list is stored with the session, and the model reads it in its next turn. If one part is refused, the old list stays. See [todos.md](todos.md).",
  origin: ["omp", "xcsh"],
  params: Schema.Struct({ phases: Schema.Array(PhaseInput) }),
  result: Schema.Struct({ todoPhases: Schema.Array(TodoPhase) }),
  run: Effect.fnUntraced(function* ({ phases }) {
    const todos = yield* Effect.serviceOption(Todos)
    if (Option.isNone(todos)) return yield* refuse("invalid_state", "this session keeps no todo list")
    const todoPhases = yield* Effect.catchAll(todos.value.set(phases), ({ message }) =>
      refuse("invalid_params", message)
    )
    return { todoPhases }
  })
})

export const commands = [setTodos]
