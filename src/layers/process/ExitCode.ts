/** The exit codes of heddle, the only list of them, and the end of the process. docs/cli.md shows them to people. */
import * as Effect from "effect/Effect"
import type { Outcome } from "../../services/host/Presentation.ts"
import { Sessions } from "../../services/session/Sessions.ts"
import * as Process from "../platform/processes/Process.ts"

export const done = 0
/** heddle could not start or go on, the answer is an error, or a session could not be stored. */
export const failed = 1
/** `--output-schema`: the model gave no answer that fits. */
export const unfit = 3

/** 128 and the number of the signal, as shells have it. */
export const bySignal: Readonly<Record<Process.StopSignal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }

/** Of a session that a signal has ended, or not. */
export const ofSignal = (signal: Process.StopSignal | undefined): number =>
  signal === undefined ? done : bySignal[signal]

export const ofOutcome = (outcome: Outcome<Process.StopSignal>): number => {
  switch (outcome._tag) {
    case "Answered":
    case "Submitted":
      return done
    case "Unfit":
      return unfit
    case "Failed":
      return failed
    case "Stopped":
      return ofSignal(outcome.by)
  }
}

/** How long the disk may take at the end; what is written but not synced survives everything but a power cut. */
const lastSync = "500 millis"

/** Ends the process after a session: what was written is synced, and the exit code says how it ended. */
export const end = Effect.fnUntraced(function* (code: number) {
  const sessions = yield* Sessions
  yield* Effect.timeoutOption(Effect.disconnect(sessions.sync), lastSync)
  const isLost = code === done && (yield* sessions.hasLostWrites)
  yield* Process.endWith(isLost ? failed : code)
})
