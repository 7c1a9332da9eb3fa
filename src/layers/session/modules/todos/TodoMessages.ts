/** The messages of a run to the model about the todo list, in hidden messages (protocol.md 12). One value per session. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import type { RunMessage } from "../../../../domain/conversation/Message.ts"
import { isActionable, openTasks } from "../../../../domain/todo/Todo.ts"
import { toolName } from "../../../../domain/todo/TodoEntries.ts"
import * as TodoTexts from "../../../../domain/todo/TodoTexts.ts"
import type { RunStep, RunView } from "../../../../services/session/RunStep.ts"
import type { Session } from "../../../../services/session/Session.ts"
import type { SettingsValues } from "../../../../services/Settings.ts"
import type { SessionTools } from "../../../../services/Tools.ts"
import type { SessionTodos } from "./SessionTodos.ts"

interface Dependencies {
  readonly todos: SessionTodos
  readonly tools: Pick<SessionTools, "find">
  readonly session: Pick<typeof Session.Service, "messages">
  readonly settings: Pick<SettingsValues, "todo.reminders" | "todo.reminders.max" | "todo.eager">
  readonly publish: (event: AgentEvent) => void
}

/** Whether the model has stopped by itself, and not on the answer to a question that it has asked the user. */
const hasStopped = (messages: ReadonlyArray<RunMessage>): boolean => {
  const last = messages.at(-1)
  if (last?.role !== "assistant" || last.stopReason === "error" || last.stopReason === "aborted") return false
  for (let at = messages.length - 2; at >= 0; at--) {
    const message = messages[at]
    if (message?.role !== "toolResult") break
    if (message.toolName === "ask" && !message.isError) return false
  }
  return true
}

/** Its part in each run. */
export const make = ({ publish, session, settings, todos, tools }: Dependencies) => {
  const { phases } = todos.service
  const max = settings["todo.reminders"] ? settings["todo.reminders.max"] : 0
  let reminders = 0
  let isEager = settings["todo.eager"]

  /** A model without the tool could not get rid of open tasks. */
  const hasTool = Effect.map(tools.find(toolName), Option.isSome)

  /** Only for the first answer of a session, and not where the host has made a list. */
  const eager = Effect.gen(function* () {
    isEager = false
    const hasAnswers = (yield* session.messages).some(({ role }) => role === "assistant")
    return hasAnswers || (yield* phases).length > 0 || !(yield* hasTool) ? undefined : TodoTexts.eager
  })

  const news = Effect.flatMap(todos.takeUnread, (unread) => {
    if (unread !== undefined) return Effect.succeed(TodoTexts.update(unread))
    return isEager ? eager : Effect.succeed(undefined)
  })

  /** The run goes on where the model has stopped with open tasks. */
  const reminder = Effect.fnUntraced(function* ({ messages, runId }: RunView) {
    if (reminders >= max || !hasStopped(messages())) return undefined
    const list = yield* phases
    const open = openTasks(list)
    if (!open.some(isActionable) || !(yield* hasTool)) return undefined
    reminders++
    publish({ _tag: "TodoReminder", runId, todos: open, attempt: reminders, maxAttempts: max })
    return TodoTexts.reminder(list, reminders, max)
  })

  return (run: RunView): RunStep => ({
    prompted: () => {
      reminders = 0
    },
    // Comes last in its turn: the model works with the list as it is when it is called.
    opening: (add) =>
      Effect.zipRight(
        phases,
        Effect.uninterruptible(Effect.flatMap(news, (message) => (message === undefined ? Effect.void : add(message))))
      ),
    stopping: Effect.suspend(() => reminder(run)),
    recorded: todos.recorded
  })
}
