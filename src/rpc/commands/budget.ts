/** Reading and changing the spending limits of the session (protocol.md 15). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BudgetLimits, LimitsChange } from "../../domain/budget/BudgetLimits.ts"
import { BudgetScopeName, BudgetSnapshot } from "../../domain/budget/BudgetSnapshot.ts"
import { described, optional } from "../../domain/conversation/Content.ts"
import { Allowance, type SessionBudget } from "../../services/session/modules/Budget.ts"
import * as Command from "../Command.ts"

const State = Schema.Struct({
  limits: BudgetLimits,
  snapshot: BudgetSnapshot,
  scopes: described(
    Schema.Array(
      Schema.Struct({
        scope: BudgetScopeName,
        id: optional(Schema.String),
        limits: BudgetLimits,
        snapshot: BudgetSnapshot
      })
    ),
    "The same for every open task call and subagent."
  )
}).annotations({ identifier: "BudgetState", description: "The limits of the session and what it has spent." })

const read = Effect.fnUntraced(function* (budget: SessionBudget) {
  const snapshot = yield* budget.snapshot
  return { limits: yield* budget.limits, snapshot, scopes: yield* budget.scopes }
})

const getBudget = Command.make({
  name: "get_budget",
  lane: "query",
  summary: "The limits of the session, what it has spent, and the same for every scope that is open in it.",
  origin: [],
  params: Schema.Struct({}),
  result: State,
  run: () => Effect.flatMap(Allowance, read)
})

const setBudget = Command.make({
  name: "set_budget",
  lane: "waiting",
  summary: "Changes limits of the session: given members replace, `null` removes.",
  notes:
    "Raising or removing a limit that is spent lets prompts in again. A limit of the command line can only be tightened " +
    "(`budget_fixed`). The limits hold for later sessions of the process, too. See [budgets.md](budgets.md).",
  origin: [],
  params: Schema.Struct({ limits: LimitsChange }),
  result: State,
  errors: ["budget_fixed"],
  run: Effect.fnUntraced(function* ({ limits }) {
    const budget = yield* Allowance
    yield* Effect.mapError(
      budget.setLimits(limits),
      ({ message }) => new Command.CommandFailure({ code: "budget_fixed", message })
    )
    return yield* read(budget)
  })
})

export const commands = [getBudget, setBudget]
