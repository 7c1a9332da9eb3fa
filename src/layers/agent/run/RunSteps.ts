/** The steps that the modules of a session have in a run, as one. */
import * as Effect from "effect/Effect"
import type { Contribution } from "../../../services/session/SessionCore.ts"
import * as CallSteps from "./CallSteps.ts"
import type { AnswerWatch, RunStep, RunView } from "../../../services/session/RunStep.ts"

export interface RunSteps extends Required<Omit<RunStep, "call" | "callMoment" | "result">> {
  readonly calls: CallSteps.CallSteps
}

const each = <A extends ReadonlyArray<unknown>>(
  calls: ReadonlyArray<((...args: A) => Effect.Effect<unknown>) | undefined>
) => {
  const [first, ...others] = calls.filter((call) => call !== undefined)
  if (first === undefined) return () => Effect.void
  if (others.length === 0) return first
  return (...args: A) => Effect.forEach([first, ...others], (call) => call(...args), { discard: true })
}

/** The first that cuts the answer off has its way. */
const together = (watches: ReadonlyArray<AnswerWatch>): AnswerWatch | undefined => {
  const [first, ...others] = watches
  if (first === undefined || others.length === 0) return first
  return {
    see: (event) => {
      for (const { see } of watches) see(event)
    },
    look: () => {
      for (const { look } of watches) {
        const reason = look()
        if (reason !== undefined) return reason
      }
      return undefined
    }
  }
}

export const make = (contributions: ReadonlyArray<Contribution>, view: RunView): RunSteps => {
  const steps = contributions.flatMap(({ run }) => (run === undefined ? [] : [run(view)]))
  return {
    prompted: () => {
      for (const { prompted } of steps) prompted?.()
    },
    before: Effect.forEach(steps, ({ before = Effect.void }) => before, { discard: true }),
    opening: each(steps.map(({ opening }) => opening)),
    calls: CallSteps.make(steps),
    watch: Effect.map(
      Effect.forEach(
        steps.flatMap(({ watch }) => watch ?? []),
        (watch) => watch
      ),
      (watches) => together(watches.filter((watch) => watch !== undefined))
    ),
    answered: () => {
      for (const { answered } of steps) answered?.()
    },
    afterTurn: (outcome) =>
      Effect.reduce(steps, outcome, (found, { afterTurn }) => afterTurn?.(found) ?? Effect.succeed(found)),
    stopping: Effect.gen(function* () {
      for (const { stopping } of steps) {
        const message = stopping === undefined ? undefined : yield* stopping
        if (message !== undefined) return message
      }
      return undefined
    }),
    recorded: each(steps.map(({ recorded }) => recorded)),
    failed: (why) => {
      for (const { failed } of steps) failed?.(why)
    }
  }
}
