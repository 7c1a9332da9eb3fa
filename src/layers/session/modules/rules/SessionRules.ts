/**
 * The rules of one session: loaded before its first model call, and watched in every call of its runs. What the model was
 * told is read from the branch, so it also holds in a resumed session. Owned by the session's scope.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import type { RuleInfo, RuleProblem } from "../../../../domain/rules/Rule.ts"
import * as RuleHistory from "../../../../domain/rules/RuleHistory.ts"
import { Rules } from "../../../../services/session/modules/Rules.ts"
import type { RunStep, RunView, TurnOutcome } from "../../../../services/session/RunStep.ts"
import type { Session } from "../../../../services/session/Session.ts"
import { SessionCore } from "../../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"
import { Settings } from "../../../../services/Settings.ts"
import * as Stopwatch from "../../../../services/Stopwatch.ts"
import { firstSuccess } from "../../../Sharing.ts"
import * as CompiledRules from "./CompiledRules.ts"
import * as StreamWatch from "./StreamWatch.ts"

/** How often one turn may start again because of rules. Then it is not watched. */
const mostRestarts = 5
const mostNotices = 20

type Compiled = CompiledRules.CompiledRules

const makeNotices = (publish: (event: AgentEvent) => void) => {
  const warn = (message: string) => publish({ _tag: "Notice", level: "warning", message, source: "rules" })
  return {
    warn,
    report: (problems: ReadonlyArray<RuleProblem>) => {
      for (const { message, path } of problems.slice(0, mostNotices)) warn(`${path}: ${message}`)
      const more = problems.length - mostNotices
      if (more > 0) warn(`Rules have ${more} more problems`)
    }
  }
}

/** For messages: the first few names. */
const namesOf = (rules: ReadonlyArray<RuleInfo>) =>
  rules
    .slice(0, 5)
    .map(({ name }) => name)
    .join(", ")

/** Loaded with the first rule that has a condition. */
const engine = Effect.promise(() => import("./RuleEngine.ts"))

/** Follows the branch of the session, also when it moves to another one. */
const makeHistory = (session: typeof Session.Service) => {
  let history = RuleHistory.empty
  let seen: string | undefined
  return Effect.map(
    Effect.suspend(() => session.tail(({ id }) => id === seen)),
    (since) => {
      const isSame = seen !== undefined && since[0]?.id === seen
      history = isSame ? RuleHistory.extend(history, since.slice(1)) : RuleHistory.extend(RuleHistory.empty, since)
      seen = since.at(-1)?.id
      return history
    }
  )
}

/** What makes the step of each run. */
const make = Effect.gen(function* () {
  const {
    entries: session,
    events,
    options: { cwd }
  } = yield* SessionCore
  const { publish } = events
  const source = yield* Rules
  const settings = yield* Settings
  const clock = yield* Effect.clock
  const now = () => Stopwatch.read(clock)
  const notices = makeNotices(publish)
  const history = makeHistory(session)
  const interruptMode = settings["ttsr.interruptMode"]
  const repeat = { mode: settings["ttsr.repeatMode"], gap: settings["ttsr.repeatGap"] }
  const spent = new Set<string>()

  const load = Effect.gen(function* () {
    const { problems, stream } = yield* source.load
    const found: Array<RuleProblem> = [...problems]
    const watched = settings["ttsr.enabled"] ? stream : []
    const report = (problem: RuleProblem) => void found.push(problem)
    const compiled =
      watched.length === 0 ? undefined : CompiledRules.make(yield* engine, watched, { cwd, interruptMode, now, report })
    notices.report(found)
    return compiled
  })
  const loaded = firstSuccess(load)

  const tooSlow = (kind: string) => {
    if (spent.has(kind)) return
    spent.add(kind)
    notices.warn(
      `The conditions of stream rules take too much time on this output (${kind}); the rest of it is not watched. ` +
        "Long counted repeats such as .{500} are a common cause."
    )
  }

  const watchOf = (compiled: Compiled, reminded: RuleHistory.RuleHistory) => {
    const mayFire = ({ info }: CompiledRules.CompiledRule) => RuleHistory.mayRemind(reminded, repeat, info.name)
    if (!compiled.rules.some(mayFire)) return undefined
    return StreamWatch.make({ rules: compiled, mayFire, spent: tooSlow })
  }

  const discards = settings["ttsr.contextMode"] === "discard"

  return ({ runId }: RunView): RunStep => {
    let restarts = 0
    let due: ReadonlyArray<RuleInfo> = []
    let watch: StreamWatch.StreamWatch | undefined

    const look = (watching: StreamWatch.StreamWatch) => {
      const rules = watching.look()
      if (rules === undefined) return undefined
      publish({ _tag: "RulesTriggered", runId, rules })
      return `Cut off by a stream rule: ${namesOf(rules)}`
    }
    /** Rules that have matched are due, also those that did not cut the answer off. */
    const isOver = () => {
      due = watch?.matched() ?? []
    }
    const after = (outcome: TurnOutcome): TurnOutcome => {
      if (outcome._tag === "CutOff") {
        restarts++
        isOver()
        return discards ? { _tag: "Again" } : outcome
      }
      // Not if tools have ended the run.
      return outcome._tag === "Settled" && outcome.byTools !== true && due.length > 0 ? { _tag: "GoesOn" } : outcome
    }
    return {
      watch: Effect.map(
        Effect.flatMap(loaded, (compiled) =>
          compiled === undefined || restarts >= mostRestarts
            ? Effect.succeed(undefined)
            : Effect.map(history, (reminded) => watchOf(compiled, reminded))
        ),
        (watching) => {
          watch = watching
          return watching && { see: watching.see, look: () => look(watching) }
        }
      ),
      answered: () => {
        restarts = 0
        isOver()
      },
      afterTurn: (outcome) => Effect.sync(() => after(outcome)),
      opening: (add) =>
        Effect.suspend(() => {
          if (due.length === 0) return Effect.void
          const rules = due
          due = []
          const injectedRules = rules.map(({ name }) => name)
          return Effect.uninterruptible(
            Effect.zipRight(
              add(RuleHistory.injection(rules)),
              session.append({ type: "ttsr_injection", injectedRules })
            )
          )
        })
    }
  }
})

export const module = SessionModule.contributing(
  "rules",
  Effect.map(make, (run) => ({ run }))
)
