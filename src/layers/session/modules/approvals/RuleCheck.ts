/** Rules of options and settings that are none end the start: a rule that holds for nothing would protect nobody. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ApprovalSettings } from "./SessionApprovals.ts"

export class RuleRefused extends Schema.TaggedError<RuleRefused>()("RuleRefused", { message: Schema.String }) {}

const load = Effect.promise(() => import("../../../../domain/approvals/PolicySources.ts"))

/** Loads nothing where there are no rules. */
export const check = (settings: ApprovalSettings): Effect.Effect<void, RuleRefused> => {
  const { "approvals.allow": allow, "approvals.ask": ask, "approvals.deny": deny } = settings
  if (allow.length + ask.length + deny.length === 0) return Effect.void
  return Effect.flatMap(load, ({ rulesOf }) =>
    Effect.asVoid(Effect.mapError(rulesOf({ allow, ask, deny }), (message) => new RuleRefused({ message })))
  )
}
