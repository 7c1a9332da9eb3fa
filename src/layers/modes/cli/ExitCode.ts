/** The exit codes of heddle: the only list of them. docs/cli.md shows it to people. */
import * as Cause from "effect/Cause"
import type { Outcome } from "../../../services/host/Presentation.ts"
import type { StopSignal } from "../../machine/processes/Signals.ts"

export const done = 0
/** heddle could not start or go on, the answer is an error, or a session could not be stored. */
export const failed = 1
/** `--output-schema`: the model gave no answer that fits. */
export const unfit = 3

/** Something was denied in a one-shot run, because nobody could be asked whether it may happen. */
export const unasked = 4

/** 128 and the number of the signal, as shells have it. */
export const bySignal: Readonly<Record<StopSignal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }

/** Of a program that did not succeed: a signal has interrupted it, or not. */
export const ofFailure = (cause: Cause.Cause<unknown>, signal: StopSignal | undefined): number =>
  signal !== undefined && Cause.isInterrupted(cause) ? bySignal[signal] : failed

export const ofOutcome = (outcome: Outcome): number => {
  switch (outcome._tag) {
    case "Answered":
    case "Submitted":
      return outcome.hasMissed === true ? unasked : done
    case "Unfit":
      return unfit
    case "Failed":
      return failed
  }
}
