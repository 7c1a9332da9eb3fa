/** Answers of hosts to open questions: which of them are taken, and what they bring about beside the one call. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Rule } from "../../../../domain/approvals/Rule.ts"
import { AnswerRefused, type HostAnswer } from "../../../../services/Approvals.ts"
import type { ApprovalAnswer } from "../../../../services/host/Approvers.ts"
import { defined } from "../../../../domain/Values.ts"
import type { OpenQuestion, OpenQuestions, Settled } from "./OpenQuestions.ts"

interface Parts {
  readonly questions: OpenQuestions
  /** From now on the same is not asked about. */
  readonly remember: (key: string) => void
  /** A rule of this session. */
  readonly add: (rule: Rule) => Effect.Effect<void>
}

/** What `allow_session` holds for. */
export const keyOf = ({
  argsHash,
  cwd,
  tool
}: OpenQuestion["request"] | Pick<OpenQuestion["request"], "argsHash" | "cwd" | "tool">): string =>
  JSON.stringify([tool.source, tool.server ?? "", tool.name, argsHash, cwd])

const load = Effect.promise(() => import("./Judging.ts"))

const refuse = (reason: AnswerRefused["reason"], message: string, data?: unknown) =>
  new AnswerRefused({ reason, message, ...(data === undefined ? {} : { data }) })

const badChoice = ({ request: { choices } }: OpenQuestion) =>
  refuse("invalid_decision", `The decision must be one of ${choices.join(", ")}`)

/** The rule that the answer adds; a failure if it would not have allowed the effect. */
const ruleOf = Effect.fnUntraced(function* ({ request, subject }: OpenQuestion, { decision, rule }: ApprovalAnswer) {
  if (decision !== "allow_rule") return undefined
  const { checkRule, covers } = yield* load
  const wanted = rule ?? request.rule
  if (wanted === undefined) return yield* refuse("invalid_decision", "There is no rule to add")
  const checked = checkRule(wanted)
  if (Either.isLeft(checked)) return yield* refuse("invalid_decision", checked.left)
  if (covers(checked.right, subject)) return checked.right
  return yield* refuse("invalid_decision", "The rule does not cover this call: leave it out to take the proposed one")
})

export const make = ({ add, questions, remember }: Parts) => {
  /** The answer as it ends the question, or why it does not. */
  const check = Effect.fnUntraced(function* (
    question: OpenQuestion,
    { decision, ...answer }: Omit<HostAnswer, "approvalId">,
    by: "host" | "mirror"
  ) {
    const { message } = answer
    if (decision === undefined || !question.request.choices.includes(decision)) return yield* badChoice(question)
    const rule = yield* ruleOf(question, { decision, ...answer })
    const settled: Settled = {
      decision,
      by,
      ...defined({ rule, message: decision === "deny" ? message : undefined })
    }
    return settled
  })

  const take = (answer: HostAnswer, accepted: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const { approvalId, argsHash } = answer
      const question = questions.find(approvalId)
      if (question === undefined) {
        const ended = questions.howEnded(approvalId)
        if (ended === undefined) return yield* refuse("unknown_approval", `Nobody was asked ${approvalId}`)
        return yield* refuse("already_resolved", `${approvalId} is answered or over`, { approvalId, ...ended })
      }
      if (argsHash !== undefined && argsHash !== question.request.argsHash)
        return yield* refuse("args_changed", "The question is about other arguments: get_approvals has them")
      const settled = yield* check(question, answer, "host")
      const late = question.ended()
      if (late !== undefined) {
        const { by, decision } = late
        return yield* refuse("already_resolved", `${approvalId} is over`, { approvalId, decision, by })
      }
      yield* accepted
      question.settle(settled)
    })

  /** What the answer means for later effects. */
  const remembering = ({ request }: OpenQuestion, { by, decision, rule }: Settled) =>
    Effect.suspend(() => {
      if (by === "policy") return Effect.void
      if (decision === "allow_session") remember(keyOf(request))
      return decision === "allow_rule" && rule !== undefined ? add(rule) : Effect.void
    })

  return { check, take, remembering }
}

export type Answers = ReturnType<typeof make>
