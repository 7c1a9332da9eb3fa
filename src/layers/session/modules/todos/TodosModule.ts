/** The todo list of a session as a module (protocol.md 12). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TodoEntries from "../../../../domain/todo/TodoEntries.ts"
import { SessionCore } from "../../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"
import { Settings } from "../../../../services/Settings.ts"
import { Todos } from "../../../../services/session/modules/Todos.ts"
import { ToolSet } from "../../../../services/Tools.ts"
import * as SessionTodos from "./SessionTodos.ts"
import * as TodoMessages from "./TodoMessages.ts"

/** Loaded when models are first offered tools. */
const tool = Effect.promise(() => import("./TodoWrite.ts"))

export const module = SessionModule.make(
  "todos",
  Todos,
  Effect.gen(function* () {
    const { entries: session, events } = yield* SessionCore
    const settings = yield* Settings
    const tools = yield* ToolSet
    const { publish } = events
    const todos = yield* SessionTodos.make({ session, publish, settings })
    const { service } = todos
    const isStored = Effect.map(session.info, ({ file }) => Option.isSome(file))
    const { recorded } = todos
    return {
      service,
      state: Effect.map(service.phases, (todoPhases) => ({ todoPhases })),
      moved: todos.moved,
      compacted: todos.compacted,
      handsOff: Effect.map(session.tail(TodoEntries.isSource), TodoEntries.handedOff),
      // A host may keep a list that no model sees.
      ...(service.isEnabled
        ? {
            tools: Effect.map(tool, ({ make }) => [make({ todos: service.draft, isStored })]),
            run: TodoMessages.make({ todos, tools, session, settings, publish })
          }
        : { run: () => ({ recorded }) })
    }
  })
)
