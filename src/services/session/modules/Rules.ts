/** Where the rules of a session come from. A program that embeds heddle has none unless it provides some. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Guidance, RuleProblem, StreamRule } from "../../../domain/rules/Rule.ts"

export interface RuleSet {
  /** Rules with conditions, in their order. Empty if the setting `ttsr.enabled` is off. */
  readonly stream: ReadonlyArray<StreamRule>
  /** Rules without conditions, for the system prompt. */
  readonly guidance: ReadonlyArray<Guidance>
  /** Files and parts of files that were left out. */
  readonly problems: ReadonlyArray<RuleProblem>
}

export const none: RuleSet = { stream: [], guidance: [], problems: [] }

export interface RuleSource {
  /** Reads the rules. Each session calls it once, before its first model call. */
  readonly load: Effect.Effect<RuleSet>
}

export class Rules extends Context.Reference<Rules>()("heddle/services/session/modules/Rules", {
  defaultValue: (): RuleSource => ({ load: Effect.succeed(none) })
}) {}
