/** The modes of a policy. Apart from it, because settings and frames name them at every start. */
import * as Schema from "effect/Schema"

export const Mode = Schema.Literal("off", "ask", "deny").annotations({
  identifier: "ApprovalMode",
  description: "The verdict where no rule speaks: run it, ask, or deny it."
})
export type Mode = typeof Mode.Type

export const Unasked = Schema.Literal("reads", "harmless", "sandboxed").annotations({
  identifier: "ApprovalUnasked",
  description: "What the modes `ask` and `deny` let pass without a rule."
})
export type Unasked = typeof Unasked.Type

/** What `--approvals` takes beside the modes: a mode, a sandbox and what passes unasked in one word. */
export const presets = {
  "read-only": { mode: "ask", sandbox: "read-only", network: "off", unasked: "sandboxed" },
  auto: { mode: "ask", sandbox: "workspace-write", network: "off", unasked: "sandboxed" },
  full: { mode: "off", sandbox: "off", network: "on", unasked: "reads" }
} as const
export type Preset = keyof typeof presets

export const isPreset = (word: string): word is Preset => Object.hasOwn(presets, word)
