/** Where a policy comes from: the command line, the user's settings, the project, the host, and answers of the session. */
import * as Either from "effect/Either"
import { defined } from "../Values.ts"
import { type Mode, noRules, type Policy, type Rules, type Unasked } from "./Policy.ts"
import * as Rule from "./Rule.ts"

/** What a source of the user says. */
export interface Source {
  readonly mode?: Mode
  readonly unasked?: Unasked
  readonly timeoutMs?: number
  readonly rules: Rules
}

/** What the host has set with `set_approval_policy`. */
export interface HostPolicy {
  readonly mode?: Mode
  readonly rules: Rules
}

export const fromHost: HostPolicy = { rules: noRules }

export interface Sources {
  readonly flags: Source
  readonly user: Source
  /** What the project tightens. Its settings are merged with the user's (`SettingsMerge.ts`); only their mode comes here. */
  readonly project: Tightening
  readonly host: HostPolicy
  /** Rules that answers have added. */
  readonly answers: ReadonlyArray<Rule.Rule>
}

export interface Tightening {
  readonly mode?: Mode
  readonly timeoutMs?: number
  readonly ask: ReadonlyArray<Rule.Rule>
  readonly deny: ReadonlyArray<Rule.Rule>
}

export const noTightening: Tightening = { ask: [], deny: [] }

const strictness: ReadonlyArray<Mode> = ["off", "ask", "deny"]

export const isStricter = (mode: Mode, than: Mode): boolean => strictness.indexOf(mode) > strictness.indexOf(than)

const stricter = (a: Mode, b: Mode | undefined): Mode => (b !== undefined && isStricter(b, a) ? b : a)

export const defaultTimeoutMs = 300_000

/** The policy in force. The host's mode stands in place of the user's, the project's holds where it is stricter. */
export const join = ({ answers, flags, host, project, user }: Sources): Policy => {
  const timeoutMs = flags.timeoutMs ?? user.timeoutMs ?? defaultTimeoutMs
  return {
    mode: stricter(host.mode ?? flags.mode ?? user.mode ?? "off", project.mode),
    unasked: flags.unasked ?? user.unasked ?? "reads",
    timeoutMs: Math.min(timeoutMs, project.timeoutMs ?? timeoutMs),
    deny: [...flags.rules.deny, ...user.rules.deny, ...project.deny, ...host.rules.deny],
    ask: [...flags.rules.ask, ...user.rules.ask, ...project.ask, ...host.rules.ask],
    allow: [...flags.rules.allow, ...user.rules.allow, ...host.rules.allow, ...answers]
  }
}

export interface RuleTexts {
  readonly allow?: ReadonlyArray<string>
  readonly ask?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
}

const parseAll = (texts: ReadonlyArray<string> = []) => Either.all(texts.map(Rule.parse))

/** The rules of options or settings, or what is wrong with the first that is none. */
export const rulesOf = ({ allow, ask, deny }: RuleTexts): Either.Either<Rules, string> =>
  Either.all({ allow: parseAll(allow), ask: parseAll(ask), deny: parseAll(deny) })

export interface HostChange {
  readonly mode?: Mode
  readonly rules?: {
    readonly allow?: ReadonlyArray<Rule.Rule>
    readonly ask?: ReadonlyArray<Rule.Rule>
    readonly deny?: ReadonlyArray<Rule.Rule>
  }
}

/** Why `set_approval_policy` is refused, or the host's policy after it. */
export type HostRefusal =
  | { readonly code: "approvals_fixed"; readonly message: string }
  | { readonly code: "invalid_params"; readonly message: string }

const checkAll = (rules: ReadonlyArray<Rule.Rule> = []) =>
  Either.mapLeft(Either.all(rules.map(Rule.fromWire)), (message): HostRefusal => ({ code: "invalid_params", message }))

const fixed = (message: string): Either.Either<never, HostRefusal> => Either.left({ code: "approvals_fixed", message })

/** Rules are replaced as a whole when they are given. `fixedMode` is what the command line says. */
export const changeHost = (
  host: HostPolicy,
  change: HostChange,
  fixedMode: Mode | undefined
): Either.Either<HostPolicy, HostRefusal> =>
  Either.gen(function* () {
    const { mode = host.mode, rules } = change
    if (fixedMode !== undefined && change.mode !== undefined && isStricter(fixedMode, change.mode))
      return yield* fixed(`The command line says --approvals ${fixedMode}. Use a mode that is as strict`)
    if (fixedMode === "deny" && (rules?.allow ?? []).length > 0)
      return yield* fixed("The command line says --approvals deny: a host cannot allow anything")
    if (rules === undefined) return { ...defined({ mode }), rules: host.rules }
    const allow = yield* checkAll(rules.allow)
    const ask = yield* checkAll(rules.ask)
    const deny = yield* checkAll(rules.deny)
    return { ...defined({ mode }), rules: { allow, ask, deny } }
  })
