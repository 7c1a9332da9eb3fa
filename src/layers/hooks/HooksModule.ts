/** Hooks as a module of sessions: their registry, and the contributors that join the session when it starts. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type AskedUserCommands, type Contributor, Hooks, UserCommands } from "../../services/hooks/Hooks.ts"
import { SessionCore } from "../../services/session/SessionCore.ts"
import * as SessionModule from "../../services/session/SessionModule.ts"
import { Settings } from "../../services/Settings.ts"
import { Startup } from "../../services/session/Startup.ts"
import { WholeSession } from "../../services/session/SessionModule.ts"
import { SessionRelay } from "../agent/events/EventRelay.ts"
import * as RunNodes from "../agent/nodes/RunNodes.ts"
import * as Asking from "./Asking.ts"
import * as HookRegistry from "./HookRegistry.ts"
import * as HookStep from "./HookStep.ts"
import * as Joining from "./Joining.ts"
import * as Reports from "./Reports.ts"
import * as SessionStart from "./Startup.ts"

const build = Effect.fnUntraced(function* (contributors: ReadonlyArray<Contributor>) {
  const { contributions, events, fork, options, supervision } = yield* SessionCore
  const { services } = yield* WholeSession
  const { cwd, opening } = options
  const settings = yield* Settings
  const hooks = HookRegistry.make(
    Reports.make(events.publish),
    (notice) => events.publish({ _tag: "Notice", ...notice }),
    events.ready
  )
  const relay = yield* SessionRelay
  relay.watchWith(hooks)
  const startup = SessionStart.make({
    hooks,
    isAlone: contributors.length === 0,
    join: RunNodes.session(supervision)(yield* Joining.joinAll({ hooks, services }, contributors, opening)),
    load: Effect.suspend(() =>
      Effect.forEach(contributions(), ({ prepare = Effect.void }) => prepare, { discard: true })
    ),
    opening,
    fork
  })
  const userCommands: AskedUserCommands = {
    ask: (command, asking = Effect.void) =>
      startup.isOver() && !hooks.has("userCommand")
        ? Effect.succeed(undefined)
        : Effect.all([asking, startup.started], { discard: true }).pipe(
            Effect.zipRight(Effect.suspend(() => Asking.userCommand(hooks, { ...command, cwd })))
          )
  }
  return {
    services: Context.make(HookRegistry.RegisteredHooks, hooks).pipe(
      Context.add(Startup, startup),
      Context.add(UserCommands, userCommands)
    ),
    run: () => HookStep.make(hooks, relay, settings["queue.maxBytes"]),
    arrived: () => {
      if (!startup.isOver()) fork(startup.started)
    },
    ending: Joining.makeFarewell(hooks)
  }
})

/** These contributors join the session, and no others. */
export const of = (contributors: ReadonlyArray<Contributor>) => SessionModule.providing("hooks", build(contributors))

/** The contributors of the process. */
export const module = SessionModule.providing("hooks", Effect.flatMap(Hooks, build))
