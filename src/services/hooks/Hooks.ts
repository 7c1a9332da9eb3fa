/**
 * Hooks: code of others that sessions call at fixed points. A contributor joins every session that is opened; the loader of
 * extensions is one contributor, and a program adds its own with a Layer (layers/hooks/HookLayer.ts).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { EventOf } from "../../domain/conversation/AgentEvent.ts"
import type { SessionServices } from "../session/Sessions.ts"
import type { HookAnswer, HookEvent, HookPoint, SessionOpening, UserCommand, UserCommandAnswer } from "./HookPoints.ts"

/** A failure is reported with the name of the contributor, and the other hooks go on; at `toolCall` it blocks the call. */
export interface HookProblem {
  readonly message: string
  /** Where the code failed, as `file:line:column`. */
  readonly location?: string
}

/** Answers at once, or with an effect that the session waits for. */
export type Hook<P extends HookPoint> = (
  event: HookEvent<P>
) => Effect.Effect<HookAnswer<P>, HookProblem> | HookAnswer<P>

export interface HookRegistration {
  /** Adds a hook behind those of the contributor, and returns the function that takes it away. */
  readonly on: <P extends HookPoint>(point: P, hook: Hook<P>) => () => void
}

export interface Contributor {
  /** Names the contributor in reports: the path of an extension, or a name. */
  readonly name: string
  /** Runs once for each session, before its first prompt is looked at. */
  readonly join: (opening: SessionOpening) => Effect.Effect<void, never, SessionServices | SessionHooks | Scope.Scope>
}

/** The hooks of one session. Those of a contributor run in the order in which they were added, contributors in the order in which they joined. */
export class SessionHooks extends Context.Tag("heddle/services/hooks/SessionHooks")<
  SessionHooks,
  {
    /** The registration of a contributor, until the scope closes. */
    readonly join: (name: string) => Effect.Effect<HookRegistration, never, Scope.Scope>
    /** Notifies the host that code of a contributor failed (`extension_error`). */
    readonly report: (problem: HookProblem & { readonly name: string; readonly event: string }) => void
    /** Returns when the host has caught up with its events. */
    readonly ready: Effect.Effect<void>
    /** Notifies the people behind the host. */
    readonly notify: (notice: Omit<EventOf<"Notice">, "_tag">) => void
  }
>() {}

/** The contributors to every session of the process, in their order. */
export class Hooks extends Context.Reference<Hooks>()("heddle/services/hooks/Hooks", {
  defaultValue: (): ReadonlyArray<Contributor> => []
}) {}

/** What hooks say to shell commands of the user. */
export interface AskedUserCommands {
  /**
   * Undefined: the command is to be run as usual. `asking` runs first, unless there are no hooks to ask. Those that are still
   * joining the session are asked, too.
   */
  readonly ask: (
    command: Omit<UserCommand, "cwd">,
    asking?: Effect.Effect<void>
  ) => Effect.Effect<UserCommandAnswer | undefined>
}

/** A reference: without the module `hooks` nobody says anything. */
export class UserCommands extends Context.Reference<UserCommands>()("heddle/services/hooks/UserCommands", {
  defaultValue: (): AskedUserCommands => ({ ask: () => Effect.succeed(undefined) })
}) {}
