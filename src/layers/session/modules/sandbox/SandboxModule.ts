/** Tells the host of a session what the sandbox has seen commands leave behind. */
import * as Effect from "effect/Effect"
import { Sandbox } from "../../../../services/machine/Sandbox.ts"
import { SessionCore } from "../../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"

export const module = SessionModule.contributing(
  "sandbox",
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    if (sandbox === undefined) return {}
    const { events } = yield* SessionCore
    yield* sandbox.listen((message) => events.publish({ _tag: "Notice", level: "warning", message, source: "sandbox" }))
    return {}
  })
)
