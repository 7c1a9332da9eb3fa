/** The policy of a session and its verdict on an effect: `deny`, `ask`, `allow`, what passes unasked, then the mode. */
import * as Covers from "./Covers.ts"
import type { Mode, Unasked } from "./Modes.ts"
import * as Risk from "./risk/Risk.ts"
import { print, type Rule } from "./Rule.ts"
import { isUnread } from "./shell/ShellLine.ts"
import { type FileSubject, holdsHidden, isGated, isHidden, isInWorkspace, type Subject } from "./Subject.ts"

export { Mode, Unasked } from "./Modes.ts"

export interface Rules {
  readonly allow: ReadonlyArray<Rule>
  readonly ask: ReadonlyArray<Rule>
  readonly deny: ReadonlyArray<Rule>
}

export const noRules: Rules = { allow: [], ask: [], deny: [] }

export interface Policy extends Rules {
  readonly mode: Mode
  readonly unasked: Unasked
  readonly timeoutMs: number
}

export interface Judgement {
  readonly verdict: "allow" | "ask" | "deny"
  /** `rule deny:bash(rm *)`, `mode ask`, `risk network`, `escalate`, `unasked reads`, `session`. */
  readonly reason: string
  readonly rule?: Rule
}

/** Whether any call is judged at all: a mode but `off`, or any rule. */
export const isActive = ({ allow, ask, deny, mode }: Policy): boolean =>
  mode !== "off" || deny.length > 0 || ask.length > 0 || allow.length > 0

/**
 * Whether a call of the tool can get another verdict than "run it". Without that nobody needs a subject; `bash` that asks to
 * leave the sandbox is judged all the same.
 */
export const concerns = (policy: Policy, tool: string): boolean =>
  policy.mode !== "off" || [...policy.deny, ...policy.ask].some((rule) => Covers.names(rule, tool))

const isRead = ({ places, real, tool }: FileSubject): boolean => {
  if (tool === "write" || tool === "edit") return false
  const searches = tool === "grep" || tool === "find"
  return isInWorkspace(real, places) && !isHidden(real, places) && !(searches && holdsHidden(real, places))
}

const isHarmless = (subject: Subject): boolean =>
  subject._tag === "Bash" && Covers.isKnown(subject) && Risk.of(subject).level === "low"

/** Why the subject passes without a rule. */
const passes = ({ unasked }: Policy, subject: Subject): string | undefined => {
  if (subject._tag === "Named" && subject.tool === "task") return "unasked task"
  if (subject._tag === "File" && isRead(subject)) return "unasked reads"
  if (unasked !== "reads" && isHarmless(subject)) return "unasked harmless"
  return unasked === "sandboxed" && subject.isSandboxed ? "unasked sandboxed" : undefined
}

const asked = ({ mode }: Policy, reason: string, rule?: Rule): Judgement => ({
  ...(mode === "deny" ? { verdict: "deny", reason: "mode deny" } : { verdict: "ask", reason }),
  ...(rule === undefined ? {} : { rule })
})

const byMode = (policy: Policy, subject: Subject): Judgement => {
  const { mode, unasked } = policy
  if (mode === "off") return { verdict: "allow", reason: "mode off" }
  const why = passes(policy, subject)
  if (why !== undefined) return { verdict: "allow", reason: why }
  const [code] = mode === "ask" && unasked !== "reads" && subject._tag === "Bash" ? Risk.of(subject).codes : []
  return asked(policy, code === undefined ? "mode ask" : `risk ${code}`)
}

/**
 * A rule that may hold for a part of the line that nobody has read. The user is asked: a rule that padding gets around would
 * be none.
 */
const unread = ({ ask, deny }: Policy, subject: Subject): Rule | undefined =>
  subject._tag === "Bash" && isUnread(subject.line) ? [...deny, ...ask].find(({ tool }) => tool === "bash") : undefined

const judgeGated = (policy: Policy, subject: Subject): Judgement => {
  const deny = policy.deny.find((rule) => Covers.restricts(rule, subject))
  if (deny !== undefined) return { verdict: "deny", reason: `rule deny:${print(deny)}`, rule: deny }
  if (subject._tag === "Bash" && subject.escalates) return asked(policy, "escalate")
  if (subject.isRemembered) return { verdict: "allow", reason: "session" }
  const ask = policy.ask.find((rule) => Covers.restricts(rule, subject))
  if (ask !== undefined) return asked(policy, `rule ask:${print(ask)}`, ask)
  const doubtful = unread(policy, subject)
  if (doubtful !== undefined) return asked(policy, "risk unparsed_shell", doubtful)
  const allow = Covers.allows(policy.allow, subject)
  if (allow !== undefined) return { verdict: "allow", reason: `rule allow:${print(allow)}`, rule: allow }
  return byMode(policy, subject)
}

export const judge = (policy: Policy, subject: Subject): Judgement =>
  subject._tag === "Other" && !isGated(subject.tool)
    ? { verdict: "allow", reason: "not gated" }
    : judgeGated(policy, subject)
