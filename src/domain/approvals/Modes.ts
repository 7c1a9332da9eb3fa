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
