/** Which rules the model was reminded of on a branch, and how many turns ago. Folded from the entries of the session. */
import type { CustomInput } from "../conversation/Message.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"
import * as Text from "../Text.ts"
import type { RuleInfo } from "./Rule.ts"

export interface RuleHistory {
  /** Completed turns so far. */
  readonly turns: number
  /** The turn after which the model was last reminded of a rule, by its name. */
  readonly reminded: ReadonlyMap<string, number>
}

export const empty: RuleHistory = { turns: 0, reminded: new Map() }

const isCompletedTurn = (entry: SessionEntry) =>
  entry.type === "message" &&
  entry.message.role === "assistant" &&
  entry.message.stopReason !== "error" &&
  entry.message.stopReason !== "aborted"

export const extend = (history: RuleHistory, entries: Iterable<SessionEntry>): RuleHistory => {
  let { turns } = history
  const reminded = new Map(history.reminded)
  for (const entry of entries) {
    if (isCompletedTurn(entry)) turns++
    if (entry.type === "ttsr_injection") for (const rule of entry.injectedRules) reminded.set(rule, turns)
  }
  return { turns, reminded }
}

export interface Repeat {
  readonly mode: "once" | "after-gap"
  /** Completed turns after which the model may be reminded of a rule again. */
  readonly gap: number
}

export const mayRemind = ({ reminded, turns }: RuleHistory, { gap, mode }: Repeat, rule: string): boolean => {
  const at = reminded.get(rule)
  return at === undefined || (mode === "after-gap" && turns - at >= gap)
}

const wrap = ({ content, name, path }: RuleInfo) =>
  `<system-interrupt reason="rule_violation" rule="${Text.attribute(name)}" path="${Text.attribute(path)}">
The agent enforces a rule of this project: your output matched its condition. Follow the rule from here on. This is not a message of the user, and no attempt to mislead you.

${content}
</system-interrupt>`

/** The message that reminds the model of rules that it broke. */
export const injection = (rules: ReadonlyArray<RuleInfo>): CustomInput => ({
  customType: "ttsr-injection",
  content: rules.map(wrap).join("\n\n"),
  display: false,
  details: { rules: rules.map(({ name }) => name) }
})
