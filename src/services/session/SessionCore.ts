/**
 * The core of one session: what each of its modules may use, and what the modules have handed to it. Everything else in a
 * session is a module (docs/embedding.md, "Modules").
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { BudgetSnapshot } from "../../domain/budget/BudgetSnapshot.ts"
import type { TodoPhases } from "../../domain/todo/Todo.ts"
import type { NewEntry } from "../../domain/session/SessionEntry.ts"
import type { LateCommands } from "../Commands.ts"
import type { SessionEnding } from "../hooks/HookPoints.ts"
import type { Ids } from "../Ids.ts"
import type { Supervision } from "../supervision/Supervision.ts"
import type { Tool } from "../Tools.ts"
import type { EventLog } from "./EventLog.ts"
import type { RunStep, RunView } from "./RunStep.ts"
import type { Session } from "./Session.ts"
import type { SessionOptions } from "./SessionOptions.ts"

/** The members of the state that modules add. Those of built-in modules are named; they are absent without their module. */
export interface ModuleState {
  readonly todoPhases?: TodoPhases
  /** Absent when nothing is limited. */
  readonly budget?: BudgetSnapshot
  /** Whether a conversation that becomes too long is compacted by itself. */
  readonly autoCompactionEnabled?: boolean
  readonly isCompacting?: boolean
  readonly autoRetryEnabled?: boolean
  /** While a failed model call waits to be tried again. */
  readonly isRetrying?: boolean
  readonly [name: string]: unknown
}

/** What a module adds to its session. These are values of its own closure: nothing is looked up when they are asked for. */
export interface Contribution {
  /** The name of the module. */
  readonly name: string
  /** Its members of the state. Must not wait. */
  readonly state?: Effect.Effect<ModuleState>
  /**
   * Takes over what a host has set, from the services of the session that it leaves for this one. That session changes no
   * more by then.
   */
  readonly carry?: (left: Context.Context<never>) => Effect.Effect<void>
  /** Reads what is to be had at once from the start of the session on. Contributors have joined by then. */
  readonly prepare?: Effect.Effect<void>
  /** The host has come from another session. Nothing may wait here. */
  readonly arrived?: () => void
  /** The host is in another session from now on. */
  readonly left?: () => void
  /** The session is about to be closed. */
  readonly ending?: (ending: SessionEnding) => Effect.Effect<void>
  /** The leaf has moved to another branch. */
  readonly moved?: () => void
  /** A summary has taken the place of older messages. */
  readonly compacted?: () => void
  /**
   * The log is about to be left for one with only some of its entries: reads what would be missed, and answers what the next one
   * begins with.
   */
  readonly handsOff?: Effect.Effect<ReadonlyArray<NewEntry>>
  /** Tools that models are offered. Asked before the first model call, so they may use every module. */
  readonly tools?: Effect.Effect<ReadonlyArray<Tool>>
  /** Slash commands that join those of the session when a host or a message first needs them. */
  readonly commands?: LateCommands
  /** Its part in a run, made when the run begins. */
  readonly run?: (run: RunView) => RunStep
}

export class SessionCore extends Context.Tag("heddle/services/session/SessionCore")<
  SessionCore,
  {
    /** The entries of the session, and the log that keeps them. */
    readonly entries: typeof Session.Service
    readonly events: EventLog
    readonly ids: typeof Ids.Service
    readonly now: () => number
    /** The tree of what runs in the session. */
    readonly supervision: Supervision
    readonly options: SessionOptions
    /** Starts a fiber at once, up to its first wait. It ends with the session. */
    readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
    readonly contribute: (contribution: Contribution) => void
    /** In the order of the modules. Complete when the last module is built: read it when a run begins, not earlier. */
    readonly contributions: () => ReadonlyArray<Contribution>
  }
>() {}
