/** Makes the Ports of a session from the services of the process and of the session. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Context from "effect/Context"
import type { JsonObject } from "../../domain/conversation/Content.ts"
import { isThinkingLevel, type Model } from "../../domain/model/Model.ts"
import { defined } from "../../domain/Values.ts"
import { Agent, userPrompt } from "../../services/Agent.ts"
import { SessionHooks } from "../../services/hooks/Hooks.ts"
import { HostUi } from "../../services/host/HostUi.ts"
import { Processes } from "../../services/machine/Processes.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import { ModelClient } from "../../services/model/ModelClient.ts"
import { ProviderRegistrations } from "../../services/model/ProviderRegistrations.ts"
import { Controls } from "../../services/session/Controls.ts"
import { Instructions } from "../../services/session/Instructions.ts"
import { Session } from "../../services/session/Session.ts"
import { ChangeCancelled, type SessionChanges, type Sessions } from "../../services/session/Sessions.ts"
import { Settings } from "../../services/Settings.ts"
import { Commands } from "../../services/Commands.ts"
import { ExtensionEntries, type StoredForExtensions } from "../../services/Sending.ts"
import { Startup } from "../../services/session/Startup.ts"
import { type SessionTools, type Tool, ToolSet } from "../../services/Tools.ts"
import * as Trust from "../../services/Trust.ts"
import * as ModelSelection from "../agent/model/ModelSelection.ts"
import * as ModelAuth from "../models/ModelAuth.ts"
import * as PiCalls from "../providers/foreign/PiCalls.ts"
import * as PiContext from "../providers/foreign/PiContext.ts"
import * as PiProvider from "../providers/foreign/PiProvider.ts"
import * as ForeignTool from "../tools/ForeignTool.ts"
import type { ChangePort, MessagePort, ModelPort, Ports, ProviderPort, Refusal, ToolPort } from "./Ports.ts"

export interface BindingOptions {
  readonly cwd: string
  /** Patterns of the models that `cycleModel` goes through. */
  readonly scopedModels: ReadonlyArray<string>
  readonly unknownFlags: ReadonlyMap<string, string | true>
  /** The sessions of the process, which do not exist yet when the first of them is opened. */
  readonly sessions: Effect.Effect<typeof Sessions.Service>
  /** Ends the process as the end of the host's input does. */
  readonly shutdown: Effect.Effect<void>
}

const summaryOf = ({ definition, prompt, source }: Tool) => ({
  ...definition,
  ...defined({ promptGuidelines: prompt?.guidelines, source })
})

const toolPort = (tools: SessionTools): ToolPort => ({
  register: ({ hidden, ...definition }) =>
    Effect.flatMap(ForeignTool.fromDefinition(definition), (tool) => tools.register(tool, { hidden })),
  all: Effect.map(tools.all, (all) => all.map(summaryOf)),
  activeNames: tools.activeNames,
  setActive: tools.setActive
})

const providerPort = ({ register, unregister }: typeof ProviderRegistrations.Service): ProviderPort => ({
  register: (name, config) =>
    Effect.suspend(() => {
      const read = PiProvider.configOf(config)
      return read === undefined ? Effect.fail({ message: "The provider must be an object." }) : register(name, read)
    }),
  unregister
})

const levelIn = (options: JsonObject) => {
  const { reasoning } = options
  return typeof reasoning === "string" && isThinkingLevel(reasoning) ? reasoning : "off"
}

/** A model call that an extension makes, and the effect that carries it out. */
export const callModel = Effect.fnUntraced(function* (model: Model, context: unknown, options: JsonObject) {
  const now = yield* Clock.currentTimeMillis
  const { sessionId = "" } = options
  const rest = { model, thinkingLevel: levelIn(options), sessionId: String(sessionId), now }
  const request = yield* Either.mapLeft(PiContext.toRequest(context, rest), (message): Refusal => ({ message }))
  return yield* PiCalls.open(request)
})

const modelPort = Effect.fnUntraced(function* (scopedModels: ReadonlyArray<string>) {
  const catalog = yield* ModelCatalog
  const client = yield* ModelClient
  const auth = yield* ModelAuth.make
  const port: ModelPort = {
    catalog,
    scoped: Effect.map(catalog.available, (all) =>
      scopedModels.length === 0 ? [] : ModelSelection.scope(all, scopedModels)
    ),
    auth: auth.getApiKeyAndHeaders,
    keyOf: auth.getApiKeyForProvider,
    hasKey: (provider) => auth.hasConfiguredAuth({ provider }),
    isUsingOAuth: auth.isUsingOAuth,
    call: (model, context, options) =>
      Effect.map(callModel(model, context, options), ({ run, stream }) => ({
        stream,
        run: Effect.provideService(run, ModelClient, client)
      }))
  }
  return port
})

const messagePort = (
  agent: typeof Agent.Service,
  session: typeof Session.Service,
  entries: StoredForExtensions
): MessagePort => ({
  send: agent.send,
  sendUser: (content, { deliverAs, expandPromptTemplates, nesting }) =>
    agent.prompt(
      userPrompt(content, { ...defined({ deliverAs, nesting }), takesCommands: expandPromptTemplates === true })
    ),
  appendEntry: entries.append,
  appendMessage: (message) => Effect.map(session.append({ type: "message", message }), ({ id }) => id),
  setLabel: entries.setLabel
})

const isCancelled = <A, E extends Refusal>(change: Effect.Effect<A, E>) =>
  Effect.matchEffect(change, {
    onFailure: (failure) =>
      failure instanceof ChangeCancelled ? Effect.succeed({ cancelled: true }) : Effect.fail<Refusal>(failure),
    onSuccess: () => Effect.succeed({ cancelled: false })
  })

const changePort = (
  sessions: Effect.Effect<typeof Sessions.Service>,
  setLabel: MessagePort["setLabel"]
): ChangePort => {
  /** Returns when extensions have joined the next session, because they are told of it there. */
  const changed = Effect.fnUntraced(function* <A, E extends Refusal>(
    change: (changes: SessionChanges) => Effect.Effect<A, E>
  ) {
    const { changes, current } = yield* sessions
    const outcome = yield* isCancelled(change(yield* changes))
    yield* Context.get(yield* current, Startup).started
    return outcome
  })
  return {
    create: (options) => changed(({ create }) => create(options)),
    open: (path) => changed(({ open }) => open(path)),
    fork: (entryId, position) =>
      position === "before" ? changed(({ branch }) => branch(entryId)) : changed(({ copyUpTo }) => copyUpTo(entryId)),
    navigate: ({ entryId, label, summarize }) =>
      Effect.tap(
        changed(({ navigate }) => navigate({ entryId, summarize })),
        ({ cancelled }) => (cancelled || label === undefined ? Effect.void : setLabel(entryId, label))
      ),
    rename: (name) => Effect.asVoid(changed(({ rename }) => rename(name)))
  }
}

const logs = { debug: Effect.logDebug, info: Effect.logInfo, warn: Effect.logWarning, error: Effect.logError } as const

/** What extensions reach of the process, for every session alike. */
export const make = Effect.fnUntraced(function* (options: BindingOptions) {
  const { cwd, scopedModels, sessions, shutdown, unknownFlags } = options
  const registrations = yield* ProviderRegistrations
  const trust = yield* Trust.Trust
  const process = {
    cwd,
    log: (level: keyof typeof logs, message: string) => logs[level](message),
    providers: providerPort(registrations),
    models: yield* modelPort(scopedModels),
    ui: yield* HostUi,
    processes: yield* Processes,
    settings: yield* Settings,
    isTrusted: Effect.map(trust.level, (level) => level === "trusted"),
    flags: { unknown: unknownFlags },
    shutdown
  }
  return Effect.gen(function* () {
    const agent = yield* Agent
    const session = yield* Session
    const messages = messagePort(agent, session, yield* ExtensionEntries)
    const ports: Ports = {
      ...process,
      agent,
      instructions: yield* Instructions,
      controls: yield* Controls,
      session,
      hooks: yield* SessionHooks,
      changes: changePort(sessions, messages.setLabel),
      messages,
      tools: toolPort(yield* ToolSet),
      commands: yield* Commands
    }
    return ports
  })
})
