/** What a session is made around: its fibers, the tree of what runs in it, its events, and the list of its modules. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { Ids } from "../../services/Ids.ts"
import { Session } from "../../services/session/Session.ts"
import { type Contribution, SessionCore } from "../../services/session/SessionCore.ts"
import type { SessionOptions } from "../../services/session/SessionOptions.ts"
import type { SessionServices } from "../../services/session/Sessions.ts"
import { WholeSession } from "../../services/session/SessionModule.ts"
import * as HookRegistry from "../hooks/HookRegistry.ts"
import * as EventRelay from "./events/EventRelay.ts"
import * as Events from "./events/Events.ts"
import * as RunNodes from "./nodes/RunNodes.ts"

export type Parts = Effect.Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* (options: SessionOptions) {
  const session = yield* Session
  const clock = yield* Effect.clock
  /** Owns fibers beside that of the run: tool calls, and what nothing waits for. */
  const fibers = yield* FiberSet.make<unknown, unknown>()
  const run = yield* FiberSet.runtime(fibers)<never>()
  const log = yield* Events.makeForSession(session)
  const relay = EventRelay.make(log, HookRegistry.none, run)
  const supervision = yield* RunNodes.makeTree
  const contributions: Array<Contribution> = []
  let all: Context.Context<SessionServices> | undefined
  const core = SessionCore.of({
    entries: session,
    events: { ...log, publish: relay.publish, ready: relay.ready },
    ids: yield* Ids,
    now: () => clock.unsafeCurrentTimeMillis(),
    supervision,
    options,
    fork: (effect) => run(RunNodes.session(supervision)(effect)),
    contribute: (contribution) => void contributions.push(contribution),
    contributions: () => contributions
  })
  const whole = WholeSession.of({
    services: Effect.suspend(() =>
      all === undefined ? Effect.dieMessage("The session is still being built.") : Effect.succeed(all)
    )
  })
  return {
    core,
    /** What modules may ask for beside the core. */
    around: Context.make(EventRelay.SessionRelay, relay).pipe(Context.add(WholeSession, whole)),
    relay,
    log,
    fibers,
    /** These are the services of the session. */
    complete: (services: Context.Context<SessionServices>) => {
      all = services
    }
  }
})
