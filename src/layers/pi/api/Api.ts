/** `pi`, the object that the factory of an extension gets. Its methods do not use `this`, so they can be taken off it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { isThinkingLevel } from "../../../domain/model/Model.ts"
import { defined } from "../../../domain/Values.ts"
import type { ForeignFailure } from "../../machine/foreign/ForeignCall.ts"
import { shown } from "../../machine/foreign/ForeignValue.ts"
import type { Subscribe } from "../events/Mapping.ts"
import { observed } from "../events/Observed.ts"
import { runEvents } from "../events/RunEvents.ts"
import { sessionEvents } from "../events/SessionEvents.ts"
import type { FlagDefinition, Instance } from "../instance/Instance.ts"
import { copyOf, type Handler, options, textIn, wantHandler, wantRecord, wantText } from "../instance/Values.ts"
import * as Commands from "./Commands.ts"
import * as Exec from "./Exec.ts"
import * as Messages from "./Messages.ts"
import * as Providers from "./Providers.ts"
import * as Tools from "./Tools.ts"

/** Every event of pi that heddle has. Handlers for other names are accepted and never called. */
const events: ReadonlyMap<string, Subscribe> = new Map(Object.entries({ ...sessionEvents, ...runEvents, ...observed }))

export const eventNames: ReadonlyArray<string> = [...events.keys()]

const flagOf = (name: string, given: unknown): FlagDefinition => {
  const definition = wantRecord(given, `registerFlag: the options of ${name}`)
  const { default: preset, type } = definition
  if (type !== "boolean" && type !== "string") {
    throw new TypeError(`registerFlag: the type of ${name} must be "boolean" or "string"`)
  }
  return {
    type,
    ...defined({ description: textIn(definition, "description") }),
    ...(typeof preset === type && (typeof preset === "boolean" || typeof preset === "string")
      ? { default: preset }
      : {})
  }
}

/** A text option without its text counts as not given: the reader of the claimed flags judges the command line. */
const valueOf = ({ default: preset, type }: FlagDefinition, given: string | true | undefined) => {
  if (given === undefined) return preset
  if (type === "boolean") return given === true || given !== "false"
  return given === true ? preset : given
}

/** Options of the command line that an extension defines. */
const flagMembers = ({ count, flags, needLive, ports }: Instance) => ({
  registerFlag: (given: unknown, definition: unknown) => {
    needLive()
    const name = wantText(given, "registerFlag: name").replace(/^--/, "")
    count("registerFlag")
    flags.set(name, flagOf(name, definition))
  },
  /** Undefined for flags of other extensions. */
  getFlag: (given: unknown) => {
    needLive()
    const name = wantText(given, "getFlag: name").replace(/^--/, "")
    const flag = flags.get(name)
    return flag === undefined ? undefined : valueOf(flag, ports.flags.unknown.get(name))
  }
})

const makeOn = (instance: Instance) => (event: unknown, handler: unknown) => {
  instance.needLive()
  const name = wantText(event, "on: event")
  const wanted = wantHandler(handler, `on: the handler of ${name}`)
  instance.count("handlers")
  const remove = events.get(name)?.(instance, name, instance.enter(wanted))
  const lives = name === "session_start" || name === "session_shutdown" ? instance.lifecycle[name] : undefined
  lives?.add(wanted)
  return () => {
    remove?.()
    lives?.delete(wanted)
  }
}

/** The bus outlives a reload, so what the extension listens to goes with its own scope. */
const makeEvents = (instance: Instance) => {
  const { bridge, count, needLive, report, scope, shared } = instance
  const failed = (channel: string) => (problem: string | ForeignFailure) => report(`events:${channel}`, problem)
  return {
    on: (given: unknown, handler: unknown) => {
      needLive()
      count("listeners")
      const channel = wantText(given, "events.on: channel")
      const wanted: Handler = wantHandler(handler, "events.on: the handler")
      const remove = shared.bus.on(channel, {
        handler: wanted,
        call: instance.enter(wanted),
        failed: failed(channel),
        detach: (effect) => bridge.fireAtOnce(effect, failed(channel))
      })
      bridge.read(Scope.addFinalizer(scope, Effect.sync(remove)))
      return remove
    },
    emit: (channel: unknown, data?: unknown) => {
      needLive()
      shared.bus.emit(wantText(channel, "events.emit: channel"), data)
    },
    off: (channel: unknown, handler: unknown) => shared.bus.off(shown(channel), handler)
  }
}

const makeModels = ({ bridge, needActive, ports: { agent, controls }, report }: Instance) => ({
  /** False when the model is unknown or has no key. */
  setModel: async (model: unknown) => {
    needActive("setModel")
    const { id, provider } = options(model)
    const set = controls.setModel(wantText(provider, "setModel: provider"), wantText(id, "setModel: id"))
    return bridge.run(Effect.match(set, { onSuccess: () => true, onFailure: () => false }))
  },
  getThinkingLevel: () => {
    needActive("getThinkingLevel")
    return bridge.read(agent.state).thinkingLevel
  },
  setThinkingLevel: (level: unknown) => {
    needActive("setThinkingLevel")
    if (!isThinkingLevel(level)) throw new TypeError(`setThinkingLevel: there is no level ${shown(level)}`)
    bridge.fire(controls.setThinkingLevel(level), (message) => report("setThinkingLevel", message))
  }
})

const makeNames = ({ bridge, needActive, ports: { changes, session }, report }: Instance) => ({
  getSessionName: () => {
    needActive("getSessionName")
    return Option.getOrUndefined(bridge.read(session.info).name)
  },
  setSessionName: (name: unknown) => {
    needActive("setSessionName")
    bridge.fire(changes.rename(wantText(name, "setSessionName: name")), (message) => report("setSessionName", message))
  }
})

/** Where an extension of omp writes: the log of the process. */
const makeLogger = ({ bridge, extension, ports: { log } }: Instance) => {
  const at =
    (level: "debug" | "info" | "warn" | "error") =>
    (...args: ReadonlyArray<unknown>) =>
      bridge.fire(log(level, `${extension.path}: ${args.map(shown).join(" ")}`), () => {})
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }
}

/** Registrations for what only a terminal shows, or what heddle does not have. They are counted, and not used. */
const makeUnused = ({ count, needLive }: Instance) => {
  const unused = (kind: string) => () => {
    needLive()
    count(kind)
  }
  return {
    registerShortcut: unused("shortcuts"),
    registerMessageRenderer: unused("renderers"),
    registerEntryRenderer: unused("renderers"),
    registerToolRenderer: unused("renderers"),
    registerMarkdownTransformer: unused("renderers"),
    registerVirtualModel: unused("virtual models"),
    unregisterVirtualModel: unused("virtual models"),
    registerMcpServer: unused("MCP servers"),
    unregisterMcpServer: unused("MCP servers"),
    getMcpServers: () => []
  }
}

export type Api = ReturnType<typeof make>

export const make = (instance: Instance) => ({
  on: makeOn(instance),
  ...Tools.make(instance),
  ...Commands.make(instance),
  ...flagMembers(instance),
  ...makeUnused(instance),
  registerProvider: Providers.register(instance),
  unregisterProvider: Providers.unregister(instance),
  ...Messages.make(instance),
  ...makeNames(instance),
  ...makeModels(instance),
  getSettings: () => copyOf(instance.ports.settings),
  exec: Exec.make(instance),
  events: makeEvents(instance),
  logger: makeLogger(instance)
})
