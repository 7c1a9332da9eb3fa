/**
 * One extension in one session: what its `pi` and `ctx` objects share. It is loading while its factory runs, then
 * active, and stale once the session is left or the extensions are loaded again.
 */
import type * as Scope from "effect/Scope"
import type { SessionEntry } from "../../../domain/session/SessionEntry.ts"
import type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"
import type { HookProblem, HookRegistration } from "../../../services/hooks/Hooks.ts"
import * as Call from "../../machine/foreign/Call.ts"
import { type Bridge, StaleError } from "../../machine/foreign/Bridge.ts"
import * as Caller from "../../machine/foreign/Caller.ts"
import * as ForeignCall from "../../machine/foreign/ForeignCall.ts"
import { folderOf } from "../../machine/foreign/Modules.ts"
import type { Pace } from "../../machine/foreign/Pace.ts"
import type { Ports } from "../Ports.ts"
import type { Bus } from "./Bus.ts"
import type { Handler } from "./Values.ts"

type ForeignFailure = ForeignCall.ForeignFailure

export interface Extension {
  /** The entry file. */
  readonly path: string
  readonly sourceInfo: SourceInfo
  /** heddle does not start without it. */
  readonly isRequired?: boolean
}

/** What the extensions of a session share. */
export interface Shared {
  readonly ports: Ports
  readonly bus: Bus
  readonly pace: Pace
  /** The event of a tool call, by the arguments of the model: all handlers get the same object. */
  readonly toolCalls: WeakMap<object, object>
  /** Entries as extensions see them. An entry never changes, so one copy serves for the whole session. */
  readonly entries: WeakMap<SessionEntry, object>
  /** The last update of a message, and the event that extensions got for it. */
  readonly updates: { of?: object; given?: object }
}

/** What outlives the session: changes of the session run there, and find the extension in the next one. */
export interface Outside {
  readonly bridge: Bridge
  /** Loads the extensions of this session again. */
  readonly reload: (session: object) => Promise<void>
  /** The same extension in the session that the host is in by now. */
  readonly successor: (extension: Extension) => Instance | undefined
}

export interface FlagDefinition {
  readonly type: "boolean" | "string"
  readonly description?: string
  readonly default?: boolean | string
}

/** More of one kind is a mistake of the extension. */
export const mostRegistrations = 10_000

export interface Instance {
  readonly extension: Extension
  readonly shared: Shared
  readonly ports: Ports
  readonly outside: Outside
  readonly bridge: Bridge
  readonly scope: Scope.Scope
  readonly registration: HookRegistration
  readonly flags: Map<string, FlagDefinition>
  /** The handlers that a reload calls by itself. */
  readonly lifecycle: { readonly session_start: Set<Handler>; readonly session_shutdown: Set<Handler> }
  /** The same handler, which is called for the session of the extension. */
  readonly enter: <A extends ReadonlyArray<unknown>>(handler: (...args: A) => unknown) => (...args: A) => unknown
  readonly isActive: () => boolean
  readonly activate: () => void
  /** Names the line where code of the extension failed. */
  readonly report: (event: string, problem: string | ForeignFailure) => void
  readonly located: (failure: ForeignFailure) => HookProblem
  /** Throws when the session has ended. */
  readonly needLive: () => void
  /** Throws, too, while the factory runs. */
  readonly needActive: (method: string) => void
  /** Aborted when the run is; undefined while no run goes on. */
  readonly runSignal: () => AbortSignal | undefined
  readonly aborts: {
    /** The extension aborts the run. */
    readonly note: () => void
    /** Whether it has aborted the run that goes on or ends. */
    readonly isOwn: () => boolean
  }
  /** Counts a registration, and throws when there are too many. */
  readonly count: (kind: string) => void
}

type Parts = Pick<Instance, "extension" | "shared" | "outside" | "bridge" | "scope" | "registration">

/** Watches the runs of the session from the first time on that the extension asks. */
const runSignals = ({ bridge, registration, shared }: Parts) => {
  let run: Call.Call | undefined
  let isWatching = false
  const watch = () => {
    isWatching = true
    registration.on("RunSettled", ({ aborted }) => {
      if (aborted) run?.abort()
      run = undefined
    })
  }
  return () => {
    if (!bridge.read(shared.ports.agent.state).isStreaming) return undefined
    if (!isWatching) watch()
    run ??= Call.make()
    return run.signal()
  }
}

const makeAborts = ({ bridge, registration, shared }: Parts): Instance["aborts"] => {
  let isOwn = false
  let isWatching = false
  return {
    note: () => {
      isOwn = bridge.read(shared.ports.agent.state).isStreaming
      if (!isWatching) registration.on("RunSettled", () => void (isOwn = false))
      isWatching = true
    },
    isOwn: () => isOwn
  }
}

export const make = (parts: Parts): Instance => {
  const { bridge, extension, shared } = parts
  const counts = new Map<string, number>()
  let active = false
  const needLive = () => {
    if (!bridge.isOpen()) throw new StaleError()
  }
  const folder = folderOf(extension.path)
  const located = (failure: ForeignFailure) => ForeignCall.located(failure, folder)
  return {
    ...parts,
    ports: shared.ports,
    flags: new Map(),
    lifecycle: { session_start: new Set(), session_shutdown: new Set() },
    enter:
      (handler) =>
      (...args) =>
        Caller.within(shared.ports.session, () => handler(...args)),
    isActive: () => active && bridge.isOpen(),
    activate: () => {
      active = true
    },
    located,
    report: (event, problem) => {
      const report = typeof problem === "string" ? { message: problem } : located(problem)
      shared.ports.hooks.report({ name: extension.path, event, ...report })
    },
    needLive,
    needActive: (method) => {
      needLive()
      if (active) return
      throw new Error(
        `${method}() cannot be called while the extension is loading. Call it in a session_start handler.`
      )
    },
    runSignal: runSignals(parts),
    aborts: makeAborts(parts),
    count: (kind) => {
      const count = (counts.get(kind) ?? 0) + 1
      if (count > mostRegistrations) throw new Error(`An extension may have at most ${mostRegistrations} ${kind}.`)
      counts.set(kind, count)
    }
  }
}
