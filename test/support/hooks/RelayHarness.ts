/** An event relay between a registry of hooks and a list of what its sink got. */
import { Effect, Exit, FiberSet, Scope } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import * as Events from "../../../src/layers/session/core/Events.ts"
import * as EventRelay from "../../../src/layers/session/core/EventRelay.ts"
import * as HookRegistry from "../../../src/layers/session/modules/hooks/HookRegistry.ts"
import type { HookPoint } from "../../../src/services/hooks/HookPoints.ts"
import type { Hook } from "../../../src/services/hooks/Hooks.ts"

export const turn = (turnIndex: number): AgentEvent => ({ _tag: "TurnStarted", runId: "r", turnIndex, timestamp: 0 })
export const turns = (count: number) => Array.from({ length: count }, (_, index) => turn(index))

/** Reports are published, as a session does it. `close` ends the fibers of the relay, as the end of a session does. */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const fibers = yield* Scope.extend(FiberSet.make<unknown, unknown>(), scope)
  const fork = yield* FiberSet.runtime(fibers)<never>()
  const log = Events.make("e")
  const hooks: HookRegistry.HookRegistry = HookRegistry.make(({ event, message: error, name }) =>
    relay.publish({ _tag: "ExtensionFailed", extensionPath: name, event, error })
  )
  let forked = 0
  const relay = EventRelay.make(log, hooks, (effect) => {
    forked++
    return fork(effect)
  })
  const got: Array<AgentEvent> = []
  yield* log.attach({ offer: (event) => void got.push(event), ready: Effect.void })
  return {
    relay,
    log,
    hooks,
    got: got satisfies ReadonlyArray<AgentEvent>,
    forked: () => forked,
    close: Scope.close(scope, Exit.void),
    /** Adds hooks of one contributor. */
    join: Effect.fnUntraced(function* <P extends HookPoint>(name: string, point: P, ...all: ReadonlyArray<Hook<P>>) {
      const registration = yield* Scope.extend(hooks.service.join(name), scope)
      return all.map((hook) => registration.on(point, hook))
    })
  }
})

/** Lets every fiber that can go on do so, without any time going by. */
export const settle = Effect.repeatN(Effect.yieldNow(), 50)
