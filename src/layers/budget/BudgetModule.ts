/** The budget of a session as a module (protocol.md 15). */
import * as Effect from "effect/Effect"
import { Allowance, Budget } from "../../services/Budget.ts"
import { type ModuleState, SessionCore } from "../../services/session/SessionCore.ts"
import * as SessionModule from "../../services/session/SessionModule.ts"

const unlimited: ModuleState = {}

export const module = SessionModule.make(
  "budget",
  Allowance,
  Effect.gen(function* () {
    const { events } = yield* SessionCore
    const { open } = yield* Budget
    const service = yield* open(events.publish)
    const limited = Effect.map(service.snapshot, (budget): ModuleState => ({ budget }))
    return {
      service,
      state: Effect.suspend(() => (service.isLimited() ? limited : Effect.succeed(unlimited)))
    }
  })
)
