/** A rule: an instruction from a file. With conditions it watches the model's output; without, it is guidance. */
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"
import type { ScopeToken } from "./Scope.ts"

/** In which output a match cuts the answer. In other output the model gets the rule after the answer. */
export const interruptModes = ["never", "prose-only", "tool-only", "always"] as const
export type RuleInterruptMode = (typeof interruptModes)[number]

export const isInterruptMode = (value: unknown): value is RuleInterruptMode =>
  interruptModes.some((mode) => mode === value)

/** A rule as hosts see it (protocol.md 13). */
export const RuleInfo = Schema.Struct({
  name: Schema.String,
  path: Schema.String,
  content: Schema.String,
  description: optional(Schema.String),
  globs: optional(Schema.Array(Schema.String)),
  condition: optional(Schema.Array(Schema.String)),
  scope: optional(Schema.Array(Schema.String)),
  interruptMode: optional(Schema.Literal(...interruptModes))
}).annotations({ identifier: "Rule", description: "A stream rule, as its file says ([rules.md](rules.md))." })
export type RuleInfo = typeof RuleInfo.Type

/** A pattern, and the output in which it counts. */
export interface Watch {
  readonly pattern: string
  readonly scope: ReadonlyArray<ScopeToken>
}

export interface StreamRule {
  readonly info: RuleInfo
  readonly watches: ReadonlyArray<Watch>
}

/** A rule without conditions, for the system prompt. */
export interface Guidance {
  readonly name: string
  readonly path: string
  readonly description?: string
  readonly content: string
  /** Whether the prompt has its text, or only its name and description. */
  readonly alwaysApply: boolean
}

export interface RuleProblem {
  readonly path: string
  readonly message: string
}

/** Whether a match in prose (text or thinking), or in the arguments of a tool call, cuts the answer. */
export const interrupts = (mode: RuleInterruptMode, source: "prose" | "tool"): boolean =>
  mode === "always" || mode === `${source}-only`
