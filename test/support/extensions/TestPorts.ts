/** Ports over a real agent and session. What other parts of heddle would do is written down instead. */
import { Effect, Option } from "effect"
import type { JsonObject } from "../../../src/domain/conversation/Content.ts"
import type { Model } from "../../../src/domain/model/Model.ts"
import type { ForeignTool, Ports } from "../../../src/layers/pi/Ports.ts"
import * as LocalProcesses from "../../../src/layers/machine/processes/LocalProcesses.ts"
import type { SlashCommand } from "../../../src/services/session/modules/Commands.ts"
import type { Ui } from "../../../src/services/host/HostUi.ts"
import { defaults } from "../../../src/services/Settings.ts"
import * as ScriptedModel from "../agent/ScriptedModel.ts"
import * as TestAgent from "../agent/TestAgent.ts"
import * as TestHooks from "./TestHooks.ts"

export type Note = ReadonlyArray<unknown>

export interface PortOptions {
  readonly turns?: ReadonlyArray<ScriptedModel.ScriptedTurn>
  readonly ui?: Partial<Ui>
  readonly flags?: ReadonlyMap<string, string | true>
  readonly ports?: (ports: Ports) => Partial<Ports>
}

/** Adds to a list until the scope closes. */
const keep = <A>(list: Array<A>, item: A) =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => void list.push(item)),
      () => Effect.sync(() => void list.splice(list.indexOf(item), 1))
    )
  )

const answerOf = (model: Model) => ({
  role: "assistant" as const,
  content: [{ type: "text" as const, text: "scripted" }],
  api: model.api,
  provider: model.provider,
  model: model.id,
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
  },
  stopReason: "stop" as const,
  timestamp: 0
})

const streamOf = (model: Model) => ({
  [Symbol.asyncIterator]: async function* () {
    yield { type: "done", reason: "stop", message: answerOf(model) }
  },
  result: async () => answerOf(model)
})

const makeUi = (note: (...call: Note) => Effect.Effect<void>): Ui => ({
  isPresent: Effect.succeed(true),
  select: (question) => Effect.as(note("select", question), Option.some(question.options[0] ?? "")),
  confirm: (question) => Effect.as(note("confirm", question), true),
  input: (question) => Effect.as(note("input", question), Option.some("typed")),
  editor: (question) => Effect.as(note("editor", question), Option.some("edited")),
  notify: (notification) => note("notify", notification),
  setStatus: (...status) => note("setStatus", ...status),
  setWidget: (widget) => note("setWidget", widget),
  setTitle: (title) => note("setTitle", title),
  setEditorText: (text) => note("setEditorText", text)
})

/** `notes` has what was asked for, in order. Tools, commands and providers are there while they are registered. */
export const make = Effect.fnUntraced(function* (options: PortOptions = {}) {
  const { agent, controls, instructions, script, services, session } = yield* TestAgent.make({
    turns: options.turns ?? []
  })
  const hooks = TestHooks.make()
  const notes: Array<Note> = []
  const tools: Array<ForeignTool> = []
  const commands: Array<SlashCommand> = []
  const providers: Array<readonly [string, JsonObject]> = []
  const note = (...call: Note) => Effect.sync(() => void notes.push(call))
  const stay = (...call: Note) => Effect.as(note(...call), { cancelled: false })
  const given: Ports = {
    cwd: "/project",
    agent,
    instructions,
    controls,
    session,
    hooks: hooks.service,
    log: (level, message) => note("log", level, message),
    changes: {
      create: (given) => stay("create", given),
      open: (path) => stay("open", path),
      fork: (entryId, position) => stay("fork", entryId, position),
      navigate: (destination) => stay("navigate", destination),
      rename: (name) => note("rename", name)
    },
    messages: {
      send: (message, given) => note("send", message, given),
      sendUser: (content, given) => note("sendUser", content, given),
      appendEntry: (customType, data) =>
        Effect.map(session.append({ type: "custom", customType, data }), ({ id }) => id),
      appendMessage: (message) => Effect.map(session.append({ type: "message", message }), ({ id }) => id),
      setLabel: (entryId, label) => note("setLabel", entryId, label)
    },
    tools: {
      register: (tool) =>
        tools.some(({ name }) => name === tool.name)
          ? Effect.fail({ message: `There is a tool ${tool.name}.` })
          : keep(tools, tool),
      all: Effect.sync(() => [
        { name: "read", description: "Reads.", parameters: { type: "object" } },
        ...tools.map(({ description, name, source }) => ({ name, description, parameters: {}, source }))
      ]),
      activeNames: Effect.sync(() => ["read", ...tools.map(({ name }) => name)]),
      setActive: (names) => note("setActive", names)
    },
    commands: {
      load: Effect.void,
      isLoaded: () => true,
      list: Effect.sync(() => commands),
      find: (name) => Effect.sync(() => Option.fromNullable(commands.find((command) => command.name === name))),
      register: (command) => Effect.as(keep(commands, command), command.name)
    },
    providers: {
      register: (name, provider) => keep(providers, [name, provider] as const),
      unregister: (name) => note("unregister", name)
    },
    models: {
      catalog: script.catalog,
      scoped: Effect.succeed([]),
      auth: () => Effect.succeed({ ok: true, apiKey: "key" }),
      keyOf: (provider) => Effect.succeed(provider === "scripted" ? "key" : undefined),
      hasKey: (provider) => Effect.succeed(provider === "scripted"),
      isUsingOAuth: () => Effect.succeed(false),
      call: (model, context, given) =>
        Effect.as(note("call", model.id, context, given), { stream: streamOf(model), run: note("ran") })
    },
    ui: { ...makeUi(note), ...options.ui },
    processes: LocalProcesses.service,
    settings: defaults,
    isTrusted: Effect.succeed(false),
    flags: { unknown: options.flags ?? new Map() },
    shutdown: note("shutdown")
  }
  const ports: Ports = { ...given, ...options.ports?.(given) }
  return { ports, hooks, notes, tools, commands, providers, agent, services, session }
})

export type TestPorts = Effect.Effect.Success<ReturnType<typeof make>>
