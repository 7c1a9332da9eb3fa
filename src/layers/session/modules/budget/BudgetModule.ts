/** The budget of a session as a module (protocol.md 15). */
import * as Effect from "effect/Effect"
import { Allowance, Budget, type SessionBudget } from "../../../../services/session/modules/Budget.ts"
import type { RunStep } from "../../../../services/session/RunStep.ts"
import { type ModuleState, SessionCore } from "../../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"

const unlimited: ModuleState = {}

const parts = (service: SessionBudget) => {
  const limited = Effect.map(service.snapshot, (budget): ModuleState => ({ budget }))
  const step: RunStep = {
    reserve: ({ inputTokens, model }) =>
      Effect.flatMap(service.isLimited() ? inputTokens : Effect.succeed(0), (tokens) =>
        service.modelCall({ model, inputTokens: tokens })
      )
  }
  return {
    service,
    state: Effect.suspend(() => (service.isLimited() ? limited : Effect.succeed(unlimited))),
    run: () => step
  }
}

/** A budget that somebody else has opened, such as the share of a subagent. */
export const of = (service: SessionBudget) => SessionModule.make("budget", Allowance, Effect.succeed(parts(service)))

/** A budget of its own, with the limits of the process. */
export const module = SessionModule.make(
  "budget",
  Allowance,
  Effect.gen(function* () {
    const { events } = yield* SessionCore
    const { open } = yield* Budget
    return parts(yield* open(events.publish))
  })
)
