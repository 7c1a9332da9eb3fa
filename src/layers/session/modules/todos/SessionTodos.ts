/**
 * The Todos service of one session. The list is what the newest entry about it on the active branch says, without the
 * tasks that were cleared since; it is read from the branch when it is first needed, and again after the leaf has moved.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import type { ToolResultMessage } from "../../../../domain/conversation/Message.ts"
import { isSame, sizeProblem, type TodoPhases, withoutDone, withoutTasks } from "../../../../domain/todo/Todo.ts"
import * as TodoEntries from "../../../../domain/todo/TodoEntries.ts"
import * as TodoInput from "../../../../domain/todo/TodoInput.ts"
import type { Session } from "../../../../services/session/Session.ts"
import type { SettingsValues } from "../../../../services/Settings.ts"
import { Todos, TodosRefused } from "../../../../services/session/modules/Todos.ts"
import * as Clearing from "./Clearing.ts"

interface Dependencies {
  readonly session: Pick<typeof Session.Service, "append" | "tail">
  readonly publish: (event: AgentEvent) => void
  readonly settings: Pick<SettingsValues, "todo.enabled" | "tasks.todoClearDelay">
}

export type SessionTodos = Effect.Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* ({ publish, session, settings }: Dependencies) {
  let current: TodoEntries.TodosLeft | undefined
  /** A call of `todo_write` that has started from the list and has no result yet. The host may overrule it. */
  let draft: "none" | "open" | "overruled" = "none"

  const clearing = yield* Clearing.make({
    delay: settings["tasks.todoClearDelay"],
    expire: (ids) => {
      if (current === undefined) return
      const phases = withoutTasks(current.phases, ids)
      current = { ...current, phases }
      publish({ _tag: "TodosCleared" })
      publish({ _tag: "TodosChanged", phases, by: "clear" })
    }
  })

  const read = Effect.suspend(() =>
    current === undefined
      ? Effect.map(session.tail(TodoEntries.isSource), (entries) => {
          const { isTold, phases } = TodoEntries.restore(entries)
          return (current ??= { phases: withoutDone(phases), isTold })
        })
      : Effect.succeed(current)
  )
  const phases = Effect.map(read, (left) => left.phases)

  /** Returns what hosts are to hear of the change, once it is stored. */
  const adopt = (next: TodoEntries.TodosLeft, by: "host" | "model") => {
    const isChanged = !isSame(current?.phases ?? [], next.phases)
    current = next
    clearing.follow(next.phases)
    return () => {
      if (isChanged) publish({ _tag: "TodosChanged", phases: next.phases, by })
    }
  }

  const store = (phases: TodoPhases) => session.append({ type: "todo_state", phases })

  const set = Effect.fn("Todos.set")(function* (wanted: ReadonlyArray<TodoInput.PhaseInput>) {
    const next = TodoInput.normalise(wanted)
    const problem = sizeProblem(next)
    if (problem !== undefined) return yield* new TodosRefused({ message: problem })
    const before = yield* read
    if (draft === "open") draft = "overruled"
    const announce = adopt({ phases: next, isTold: before.isTold && isSame(before.phases, next) }, "host")
    yield* store(next)
    announce()
    return next
  }, Effect.uninterruptible)

  const recorded = (message: ToolResultMessage): Effect.Effect<void> => {
    if (message.toolName !== TodoEntries.toolName) return Effect.void
    const isOverruled = draft === "overruled"
    draft = "none"
    const found = TodoEntries.phasesOfResult(message)
    if (found === undefined) return Effect.void
    if (!isOverruled || current === undefined)
      return Effect.sync(() => adopt({ phases: found, isTold: true }, "model")())
    current = { ...current, isTold: false }
    return Effect.asVoid(store(current.phases))
  }

  return {
    service: Todos.of({
      isEnabled: settings["todo.enabled"],
      phases,
      set,
      draft: Effect.tap(phases, () => {
        draft = "open"
      })
    }),
    /** Called when the result of a tool call is stored. Other tools than `todo_write` do not matter. */
    recorded,
    /** The list, if the model has not read it yet; it is then taken as read. */
    takeUnread: Effect.map(read, (left) => {
      if (left.isTold) return undefined
      current = { ...left, isTold: true }
      return left.phases
    }),
    /** A compaction has taken the list out of the model's sight. */
    compacted: () => {
      if (current !== undefined && withoutDone(current.phases).length > 0) current = { ...current, isTold: false }
    },
    /** The leaf has moved to another branch. */
    moved: () => {
      current = undefined
      clearing.follow([])
    }
  }
})
