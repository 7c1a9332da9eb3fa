/** How the program runs as the whole of a process: its scheduler, its signals, its end and its exit code. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as RuntimeFlagsPatch from "effect/RuntimeFlagsPatch"
import { Sessions } from "../../../services/session/Sessions.ts"
import { scheduler } from "../../machine/engine/Primordials.ts"
import * as Process from "../../machine/processes/Process.ts"
import * as Signals from "../../machine/processes/Signals.ts"
import * as ExitCode from "./ExitCode.ts"

/** How long the disk may take at the end; what is written but not synced survives everything but a power cut. */
const lastSync = "500 millis"

const sync = Effect.flatMap(Sessions, (sessions) =>
  Effect.timeoutOption(Effect.interruptible(Effect.disconnect(sessions.sync)), lastSync)
)

/** Runs a session, which returns its exit code, and syncs it, also when a signal has interrupted it. */
export const session = <E, R>(run: Effect.Effect<number, E, R>) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const code = yield* Effect.onExit(run, (exit) => {
      if (Exit.isSuccess(exit)) return sync
      if (!Exit.isInterrupted(exit)) return Effect.void
      return Effect.zipRight(sync, Process.endWith(ExitCode.ofFailure(exit.cause, Signals.received())))
    })
    const isLost = code === ExitCode.done && (yield* sessions.hasLostWrites)
    yield* Process.endWith(isLost ? ExitCode.failed : code)
  })

export const prepare = <A, E>(program: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  program.pipe(
    // The metrics that Effect keeps about every fiber are not read.
    Effect.withRuntimeFlagsPatch(RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics)),
    Effect.withScheduler(scheduler),
    Signals.heed(ExitCode.bySignal)
  )

const teardown = (exit: Exit.Exit<unknown, unknown>): void =>
  Process.exit(Exit.isSuccess(exit) ? undefined : ExitCode.ofFailure(exit.cause, Signals.received()))

/** Logs and reports of errors are the program's own. */
export const options = { disablePrettyLogger: true, disableErrorReporting: true, teardown } as const
