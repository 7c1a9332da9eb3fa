/**
 * The rules of one session: loaded before its first model call, and watched in every call of its runs. What the model was
 * told is read from the branch, so it also holds in a resumed session. Owned by the session's scope.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import type { CustomInput } from "../../domain/conversation/Message.ts"
import * as Injection from "../../domain/rules/Injection.ts"
import type { Guidance, RuleInfo, RuleProblem } from "../../domain/rules/Rule.ts"
import * as RuleHistory from "../../domain/rules/RuleHistory.ts"
import { Rules } from "../../services/Rules.ts"
import { Session } from "../../services/session/Session.ts"
import { Settings } from "../../services/Settings.ts"
import * as Stopwatch from "../../services/Stopwatch.ts"
import { firstSuccess } from "../Sharing.ts"
import * as CompiledRules from "./CompiledRules.ts"
import * as StreamWatch from "./StreamWatch.ts"

/** The rules in one run. */
export interface RunRules {
  /** A watch for the next model call; undefined if no rule can fire in it. Does nothing while there are no rules. */
  readonly watch: Effect.Effect<StreamWatch.StreamWatch | undefined>
  /** The call has come to its end. Rules that matched without cutting it are due. */
  readonly completed: (watch: StreamWatch.StreamWatch | undefined) => void
  /** The answer was cut off. All rules that matched are due. */
  readonly cut: (watch: StreamWatch.StreamWatch) => void
  readonly isDue: () => boolean
  /** Tells the model the rules that are due, in the turn that has just been opened. */
  readonly tell: (inject: (message: CustomInput) => Effect.Effect<void>) => Effect.Effect<void>
  /** Whether an answer that was cut off is left out of the conversation. */
  readonly discards: boolean
}

export interface SessionRules {
  readonly guidance: Effect.Effect<ReadonlyArray<Guidance>>
  readonly forRun: () => RunRules
}

/** How often one turn may start again because of rules. Then it is not watched. */
const mostRestarts = 5
const mostNotices = 20

interface Options {
  readonly cwd: string
  readonly publish: (event: AgentEvent) => void
}

type Compiled = CompiledRules.CompiledRules

interface Loaded {
  readonly guidance: ReadonlyArray<Guidance>
  readonly compiled: Compiled | undefined
}

const makeNotices = (publish: Options["publish"]) => {
  const warn = (message: string) => publish({ _tag: "Notice", level: "warning", message, source: "rules" })
  return {
    warn,
    tell: (problems: ReadonlyArray<RuleProblem>) => {
      for (const { message, path } of problems.slice(0, mostNotices)) warn(`${path}: ${message}`)
      const more = problems.length - mostNotices
      if (more > 0) warn(`Rules have ${more} more problems`)
    }
  }
}

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

export const make = Effect.fnUntraced(function* ({ cwd, publish }: Options) {
  const source = yield* Rules
  const session = yield* Session
  const settings = yield* Settings
  const clock = yield* Effect.clock
  const now = () => Stopwatch.read(clock)
  const notices = makeNotices(publish)
  const history = makeHistory(session)
  const interruptMode = settings["ttsr.interruptMode"]
  const repeat = { mode: settings["ttsr.repeatMode"], gap: settings["ttsr.repeatGap"] }
  const spent = new Set<string>()

  const load = Effect.gen(function* () {
    const { guidance, problems, stream } = yield* source.load
    const found: Array<RuleProblem> = [...problems]
    const watched = settings["ttsr.enabled"] ? stream : []
    const report = (problem: RuleProblem) => void found.push(problem)
    const compiled =
      watched.length === 0 ? undefined : CompiledRules.make(yield* engine, watched, { cwd, interruptMode, now, report })
    notices.tell(found)
    const made: Loaded = { guidance, compiled }
    return made
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

  const watchOf = (compiled: Compiled, told: RuleHistory.RuleHistory) => {
    const mayFire = ({ info }: CompiledRules.CompiledRule) => RuleHistory.mayTell(told, repeat, info.name)
    if (!compiled.rules.some(mayFire)) return undefined
    return StreamWatch.make({ rules: compiled, mayFire, spent: tooSlow })
  }

  const forRun = (): RunRules => {
    let restarts = 0
    let due: ReadonlyArray<RuleInfo> = []
    return {
      watch: Effect.flatMap(loaded, ({ compiled }) => {
        if (compiled === undefined || restarts >= mostRestarts) return Effect.succeed(undefined)
        return Effect.map(history, (told) => watchOf(compiled, told))
      }),
      completed: (watch) => {
        restarts = 0
        due = watch?.matched() ?? []
      },
      cut: (watch) => {
        restarts++
        due = watch.matched()
      },
      isDue: () => due.length > 0,
      tell: (inject) =>
        Effect.suspend(() => {
          if (due.length === 0) return Effect.void
          const rules = due
          due = []
          const injectedRules = rules.map(({ name }) => name)
          return Effect.uninterruptible(
            Effect.zipRight(inject(Injection.message(rules)), session.append({ type: "ttsr_injection", injectedRules }))
          )
        }),
      discards: settings["ttsr.contextMode"] === "discard"
    }
  }

  const rules: SessionRules = { guidance: Effect.map(loaded, ({ guidance }) => guidance), forRun }
  return rules
})
