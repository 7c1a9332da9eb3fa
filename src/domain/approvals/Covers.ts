/** What a rule covers. `deny` and `ask` hold if any part is covered, `allow` only if all of it is. */
import * as Match from "./Match.ts"
import type { Rule } from "./Rule.ts"
import { type BashSubject, type FileSubject, isInWorkspace, type Subject, toolOf } from "./Subject.ts"

const groups: Readonly<Record<string, ReadonlyArray<string>>> = {
  read: ["read", "grep", "find", "ls"],
  write: ["write", "edit"]
}

/** Whether the rule speaks of the tool at all. */
export const names = (rule: Rule, tool: string): boolean =>
  rule.tool === "*" || rule.tool === tool || (groups[rule.tool]?.includes(tool) ?? false)

const plain = /^[\w@%+=:,./-]+$/

const quoted = (value: string): string => (plain.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`)

/** What is run: variables of the call stand before the line as assignments, so that nobody allows a line without seeing them. */
export const wholeLine = ({ env, line }: BashSubject): string => {
  const assignments = Object.keys(env)
    .toSorted()
    .map((name) => `${name}=${quoted(env[name] ?? "")} `)
  return assignments.join("") + line.line
}

const isWholeLine = ({ pattern }: Rule, subject: BashSubject): boolean =>
  pattern !== undefined && Match.literal(pattern) === wholeLine(subject)

const restrictsLine = (rule: Rule, subject: BashSubject): boolean => {
  if (rule.pattern === undefined || isWholeLine(rule, subject)) return true
  const matches = Match.text(rule.pattern)
  return subject.line.commands.some(
    ({ assignments, base, text, written }) =>
      matches(text) ||
      matches(base) ||
      matches(written) ||
      (assignments.length > 0 && matches([...assignments, text].join(" ").trimEnd()))
  )
}

const restrictsFile = ({ pattern }: Rule, { path, places, real }: FileSubject): boolean => {
  if (pattern === undefined) return true
  const matches = Match.path(pattern, places)
  return matches(real) || matches(path)
}

const coversName = ({ pattern }: Rule, name: string): boolean => pattern === undefined || Match.text(pattern)(name)

/** Whether a rule that denies or asks holds. */
export const restricts = (rule: Rule, subject: Subject): boolean => {
  if (!names(rule, toolOf(subject))) return false
  switch (subject._tag) {
    case "Bash":
      return restrictsLine(rule, subject)
    case "File":
      return restrictsFile(rule, subject)
    case "Named":
      return coversName(rule, subject.name)
    case "Other":
      return true
  }
}

/** A line of which everything is known, without variables of the call, in the workspace. */
export const isKnown = ({ cwd, env, line, places }: BashSubject): boolean =>
  line.unknown.length === 0 && Object.keys(env).length === 0 && isInWorkspace(cwd, places)

/** The rule for the whole line, or the one for its first command if each command has one. */
const allowsLine = (rules: ReadonlyArray<Rule>, subject: BashSubject): Rule | undefined => {
  const whole = rules.find((rule) => isWholeLine(rule, subject))
  if (whole !== undefined || !isKnown(subject)) return whole
  const matchers = rules.map((rule) => ({
    rule,
    matches: rule.pattern === undefined ? () => true : Match.text(rule.pattern)
  }))
  const found = subject.line.commands.map(({ text }) => matchers.find(({ matches }) => matches(text))?.rule)
  return found.includes(undefined) ? undefined : found[0]
}

const allowsOne = ({ pattern }: Rule, subject: Exclude<Subject, BashSubject>): boolean => {
  switch (subject._tag) {
    case "File":
      return pattern === undefined || Match.path(pattern, subject.places)(subject.real)
    case "Named":
      return pattern === undefined || Match.text(pattern)(subject.name)
    case "Other":
      return true
  }
}

/** The rule by which the rules together allow the subject. */
export const allows = (rules: ReadonlyArray<Rule>, subject: Subject): Rule | undefined => {
  const named = rules.filter((rule) => names(rule, toolOf(subject)))
  if (subject._tag === "Bash") return allowsLine(named, subject)
  return named.find((rule) => allowsOne(rule, subject))
}

/** Inside the working folder relative to it, so that the rule reads as people would write it. */
const pathPattern = ({ places: { cwd }, real }: FileSubject): string => {
  if (!Match.isWithin(real, cwd)) return Match.escapePath(real)
  const relative = Match.escapePath(real.slice(cwd.endsWith("/") ? cwd.length : cwd.length + 1))
  if (relative === "") return "."
  return relative.startsWith("~") || relative.trim() === "" ? `./${relative}` : relative
}

/** The narrowest rule that allows the subject: what `allow_rule` makes. */
export const proposed = (subject: Subject): Rule => {
  switch (subject._tag) {
    case "Bash":
      return { tool: "bash", pattern: Match.escape(wholeLine(subject)) }
    case "File":
      return { tool: subject.tool, pattern: pathPattern(subject) }
    case "Named":
      return { tool: subject.tool, pattern: Match.escape(subject.name) }
    case "Other":
      return { tool: subject.tool }
  }
}
