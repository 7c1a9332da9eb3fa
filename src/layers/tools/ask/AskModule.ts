/** Questions of the model to the user as a module: the tool `ask`. */
import * as Effect from "effect/Effect"
import { HostUi } from "../../../services/host/HostUi.ts"
import * as SessionModule from "../../../services/session/SessionModule.ts"
import { Settings } from "../../../services/Settings.ts"

/** Loaded when models are first offered tools. */
const tool = Effect.promise(() => import("./Ask.ts"))

export const module = SessionModule.contributing(
  "ask",
  Effect.gen(function* () {
    const ui = yield* HostUi
    const { "ask.timeout": askTimeoutSeconds } = yield* Settings
    return { tools: Effect.map(tool, ({ make }) => [make({ ui, askTimeoutSeconds })]) }
  })
)
