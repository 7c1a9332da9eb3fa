/** The end of the process after a session: what was written is synced, and the exit code says how it ended. */
import * as Effect from "effect/Effect"
import { Sessions } from "../../services/session/Sessions.ts"
import * as Process from "../platform/processes/Process.ts"
import * as ExitCode from "./ExitCode.ts"

/** How long the disk may take at the end; what is written but not synced survives everything but a power cut. */
const lastSync = "500 millis"

export const end = Effect.fnUntraced(function* (code: number) {
  const sessions = yield* Sessions
  yield* Effect.timeoutOption(Effect.disconnect(sessions.sync), lastSync)
  const isLost = code === ExitCode.done && (yield* sessions.hasLostWrites)
  yield* Process.endWith(isLost ? ExitCode.failed : code)
})
