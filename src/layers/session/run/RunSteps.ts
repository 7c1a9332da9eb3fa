/** The steps that the modules of a session have in a run, as one. */
import * as Effect from "effect/Effect"
import type { Contribution } from "../../../services/session/SessionCore.ts"
import * as CallSteps from "./calls/CallSteps.ts"
import type { AssistantMessage } from "../../../domain/conversation/Message.ts"
import type { Reservation } from "../../../services/session/modules/Budget.ts"
import type {
  AnswerWatch,
  BeginningAnswer,
  NextCall,
  RunBeginning,
  RunStep,
  RunView
} from "../../../services/session/RunStep.ts"

export interface RunSteps extends Required<
  Omit<RunStep, "beginning" | "call" | "callMoment" | "callsLast" | "result">
> {
  readonly beginning: (run: RunBeginning) => Effect.Effect<BeginningAnswer>
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

/** What the steps add to a run that begins: their messages together, and the system prompt that the last of them gave. */
const beginning = (steps: ReadonlyArray<RunStep>) =>
  Effect.fnUntraced(function* (run: RunBeginning) {
    let added: BeginningAnswer = {}
    for (const step of steps) {
      const { messages: before = [], systemPrompt } = added
      const asked = systemPrompt === undefined ? run : { ...run, systemPrompt: Effect.succeed(systemPrompt) }
      const answer = step.beginning === undefined ? undefined : yield* step.beginning(asked)
      if (answer !== undefined) added = { ...added, ...answer, messages: [...before, ...(answer.messages ?? [])] }
    }
    return added
  })

const all = (reserved: ReadonlyArray<Reservation>): Reservation | undefined => {
  const [first, ...others] = reserved
  if (first === undefined || others.length === 0) return first
  return {
    settle: (usage, isTurn) =>
      Effect.all(
        reserved.map(({ settle }) => settle(usage, isTurn)),
        { discard: true }
      ),
    release: () => {
      for (const { release } of reserved) release()
    }
  }
}

/** Every step has to allow the call. What was reserved before one that does not is released. */
const reserve = (steps: ReadonlyArray<RunStep>) => (call: NextCall) =>
  Effect.suspend(() => {
    const reserved: Array<Reservation> = []
    const each = Effect.forEach(
      steps,
      ({ reserve: ask }) =>
        ask === undefined
          ? Effect.void
          : Effect.map(ask(call), (reservation) => void (reservation !== undefined && reserved.push(reservation))),
      { discard: true }
    )
    return Effect.onError(
      Effect.map(each, () => all(reserved)),
      () => Effect.sync(() => all(reserved)?.release())
    )
  })

/** Each step gets the message as the one before it has left it. */
const ending = (steps: ReadonlyArray<RunStep>) => {
  const asked = steps.flatMap(({ ending: ask }) => ask ?? [])
  return Effect.fnUntraced(function* (message: () => AssistantMessage) {
    let changed: AssistantMessage | undefined
    for (const ask of asked) {
      const before = changed
      changed = (yield* ask(before === undefined ? message : () => before)) ?? before
    }
    return changed
  })
}

export const make = (contributions: ReadonlyArray<Contribution>, view: RunView): RunSteps => {
  const steps = contributions.flatMap(({ run }) => (run === undefined ? [] : [run(view)]))
  return {
    prompted: () => {
      for (const { prompted } of steps) prompted?.()
    },
    before: Effect.forEach(steps, ({ before = Effect.void }) => before, { discard: true }),
    beginning: beginning(steps),
    reserve: reserve(steps),
    ending: ending(steps),
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
