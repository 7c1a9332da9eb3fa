/** Commands of hosts that decide what may happen (supplement 6.2). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Mode } from "../../domain/approvals/Modes.ts"
import { ApprovalRequest, Decision } from "../../domain/approvals/Question.ts"
import * as Rule from "../../domain/approvals/Rule.ts"
import { described, optional } from "../../domain/conversation/Content.ts"
import { defined } from "../../domain/Values.ts"
import { Approvals } from "../../services/Approvals.ts"
import * as Command from "../Command.ts"

const Given = Schema.Union(Schema.String, Rule.Rule)
const GivenRules = optional(Schema.Array(Given))
const Rules = Schema.Array(Rule.Rule)

const invalid = (message: string) => new Command.CommandFailure({ code: "invalid_params", message })

/** A rule as a host has written it: in its parts, or as text. */
const ruleOf = (given: typeof Given.Type) =>
  typeof given === "string" ? Either.mapLeft(Rule.parse(given), invalid) : Either.right(given)

const rulesOf = (given: ReadonlyArray<typeof Given.Type> = []) => Either.all(given.map(ruleOf))

const setApprovalPolicy = Command.make({
  name: "set_approval_policy",
  lane: "ordered",
  summary: "Sets what becomes of effects that no rule speaks of, and the rules of the host.",
  notes:
    "`rules`, if given, replace all rules of the host; those of the user and of the project stay. A rule is a text such as `bash(git status*)`, or its parts. " +
    "Questions that are open are judged again. A mode that is looser than that of the command line, and `allow` under `--approvals deny`, are refused with `approvals_fixed`. See [approvals.md](approvals.md).",
  origin: ["ours"],
  params: Schema.Struct({
    mode: optional(Mode),
    rules: optional(Schema.Struct({ allow: GivenRules, ask: GivenRules, deny: GivenRules }))
  }),
  result: Schema.Struct({
    mode: Mode,
    rules: described(Schema.Struct({ allow: Rules, ask: Rules, deny: Rules }), "Those of the host.")
  }),
  errors: ["approvals_fixed"],
  run: Effect.fnUntraced(function* ({ mode, rules }) {
    const approvals = yield* Approvals
    const given =
      rules === undefined
        ? undefined
        : yield* Either.all({ allow: rulesOf(rules.allow), ask: rulesOf(rules.ask), deny: rulesOf(rules.deny) })
    const now = yield* Effect.mapError(
      approvals.change({ ...defined({ mode, rules: given }) }),
      ({ message, reason: code }) => new Command.CommandFailure({ code, message })
    )
    return { mode: approvals.mode(), rules: { allow: now.allow, ask: now.ask, deny: now.deny } }
  })
})

const approvalResponse = Command.make({
  name: "approval_response",
  lane: "instant",
  summary: "Answers an `approval_request`. The response comes before anything follows from the answer.",
  notes:
    "`decision` is one of the `choices`. `allow_rule` adds `rule`, or the proposed one, until the session is left. `message` of a denial is for the model. " +
    "With `argsHash` the answer counts only for the arguments that the host was shown. An answer that is refused leaves the question open. " +
    "`already_resolved` has `approvalId`, `decision` and `by` in `data`.",
  origin: ["ours"],
  params: Schema.Struct({
    approvalId: Schema.String,
    decision: Schema.optional(Schema.Unknown),
    rule: optional(Given),
    message: optional(Schema.String),
    argsHash: optional(Schema.String)
  }),
  result: Schema.Struct({ approvalId: Schema.String, decision: Decision }),
  errors: ["unknown_approval", "already_resolved", "invalid_decision", "args_changed"],
  run: Effect.fnUntraced(function* ({ approvalId, argsHash, decision, message, rule }, request) {
    const approvals = yield* Approvals
    const given = rule === undefined ? undefined : Either.getOrElse(ruleOf(rule), () => ({ tool: "" }))
    const chosen = Schema.is(Decision)(decision) ? decision : undefined
    const answer = { approvalId, decision: chosen, ...defined({ rule: given, message, argsHash }) }
    const accepted = chosen === undefined ? Effect.void : request.answer({ approvalId, decision: chosen })
    yield* Effect.mapError(
      approvals.answer(answer, accepted),
      ({ data, message: why, reason: code }) => new Command.CommandFailure({ code, message: why, ...defined({ data }) })
    )
    return { approvalId, decision: chosen ?? "deny" }
  })
})

const getApprovals = Command.make({
  name: "get_approvals",
  lane: "query",
  summary: "The questions that are open, as their `approval_request` frames have them.",
  origin: ["ours"],
  params: Command.noParams,
  result: Schema.Struct({ approvals: Schema.Array(ApprovalRequest) }),
  run: () => Effect.map(Approvals, ({ open }) => ({ approvals: open() }))
})

export const commands = [setApprovalPolicy, approvalResponse, getApprovals]
