/** An agent on a scripted model with the built-in tools, of which tests use `todo_write` and `ask`. */
import { Context, Effect, Layer } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import * as TodoEntries from "../../../src/domain/todo/TodoEntries.ts"
import * as HeadlessUi from "../../../src/layers/host/HeadlessUi.ts"
import * as LocalFiles from "../../../src/layers/machine/files/LocalFiles.ts"
import * as LocalProcesses from "../../../src/layers/machine/processes/LocalProcesses.ts"
import * as ToolRegistry from "../../../src/layers/tools/ToolRegistry.ts"
import { HostTools } from "../../../src/services/host/HostTools.ts"
import { Shell } from "../../../src/services/Shell.ts"
import { Todos } from "../../../src/services/session/modules/Todos.ts"
import { call, type ScriptedTurn } from "../agent/ScriptedModel.ts"
import * as TestAgent from "../agent/TestAgent.ts"

export interface Options extends Omit<TestAgent.AgentOptions, "tools"> {
  readonly parts?: Omit<TestAgent.AgentParts, "tools">
  readonly selection?: ToolRegistry.Selection
  readonly isUserThere?: boolean
}

const toolsOf = ({ selection }: Options) =>
  Layer.orDie(
    Layer.provide(ToolRegistry.layer({ cwd: "/", ...selection }), [
      Layer.mock(Shell, {}),
      Layer.mock(HostTools, { active: Effect.succeed([]) }),
      LocalFiles.layer,
      LocalProcesses.layer
    ])
  )

export const make = Effect.fnUntraced(function* (options: Options) {
  const isPresent = Effect.succeed(options.isUserThere ?? false)
  const made = yield* TestAgent.make(options, {
    ...options.parts,
    tools: toolsOf(options),
    ui: { ...HeadlessUi.make(), isPresent }
  })
  const todos = Effect.flatMap(made.sessions.current, (services) => Context.getOption(services, Todos))
  return {
    ...made,
    /** The agent and the session of the moment: a getter does not outlive a spread. */
    agent: () => made.agent,
    session: () => made.session,
    sessions: yield* made.sessions.changes,
    /** Sends a prompt and waits for the end of its run. */
    ask: (text: string) =>
      Effect.suspend(() => Effect.orDie(Effect.zipRight(made.agent.prompt({ text }), made.agent.awaitIdle))),
    phases: Effect.flatMap(todos, ({ phases }) => phases),
    set: (phases: Parameters<(typeof Todos.Service)["set"]>[0]) => Effect.flatMap(todos, ({ set }) => set(phases)),
    todos,
    /** The list as the entries of the session have it. */
    stored: Effect.suspend(() => Effect.map(made.session.tail(TodoEntries.isSource), TodoEntries.restore))
  }
})

export type TodoAgent = Effect.Effect.Success<ReturnType<typeof make>>

/** A model call that changes the list. */
export const write = (id: string, ...ops: ReadonlyArray<object>): ScriptedTurn => call([id, "todo_write", { ops }])

/** The hidden messages of all runs, by their type. */
export const hidden = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) =>
    event._tag === "MessageEnded" && event.message.role === "custom" ? [event.message.customType] : []
  )

export const reminders = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) =>
    event._tag === "TodoReminder"
      ? [`${event.attempt}/${event.maxAttempts} ${event.todos.map(({ id }) => id).join(" ")}`]
      : []
  )

/** Each change of the list that hosts hear of: by whom, and the statuses then. */
export const changes = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) =>
    event._tag === "TodosChanged"
      ? [[event.by, ...event.phases.flatMap(({ tasks }) => tasks.map(({ id, status }) => `${id} ${status}`))].join(" ")]
      : []
  )

export const clears = (events: ReadonlyArray<AgentEvent>) => events.filter(({ _tag }) => _tag === "TodosCleared").length
