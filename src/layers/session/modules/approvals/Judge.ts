/** One effect from the question to its verdict: by the policy, by what was answered before, or by somebody who is asked. */
import * as Effect from "effect/Effect"
import type { Judgement, Policy } from "../../../../domain/approvals/Policy.ts"
import type { ApprovalRequest } from "../../../../domain/approvals/Question.ts"
import type { Places, Subject } from "../../../../domain/approvals/Subject.ts"
import { defined } from "../../../../domain/Values.ts"
import type { Denial, EffectAsked } from "../../../../services/Approvals.ts"
import type { ApproverSwitch } from "../../../../services/host/Approvers.ts"
import type { Preview, ToolFailure } from "../../../../services/Tools.ts"
import { type Answers, keyOf } from "./Answers.ts"
import * as Asking from "./Asking.ts"
import * as Denials from "./Denials.ts"
import type { OpenQuestions, Settled } from "./OpenQuestions.ts"
import type { Resolve } from "./Places.ts"

export interface Parts extends Pick<Asking.Parts, "flush" | "ids" | "now" | "publish" | "record" | "root"> {
  readonly approvers: ApproverSwitch
  readonly cwd: string
  readonly resolve: Resolve
  /** Whether a sandbox holds what is started. Only then there is a way out of it. */
  readonly hasSandbox: boolean
  /** The folders of a session that works here. */
  readonly placesOf: (cwd: string) => Effect.Effect<Places>
  readonly policy: Effect.Effect<Policy>
  readonly questions: OpenQuestions
  readonly remembers: (key: string) => boolean
}

const load = Effect.promise(() => import("./Judging.ts"))
type Judging = Effect.Effect.Success<typeof load>

/** An effect with all that its verdict depends on. */
export interface Case {
  readonly asked: EffectAsked
  readonly subject: Subject
  readonly judgement: Judgement
  readonly argsHash: string
  readonly cwd: string
}

const nothing = Effect.succeed(undefined)

/** Tools that change files read them for a preview, which a rule may forbid. */
const looksFirst = ({ subject }: Case) =>
  subject._tag !== "File" || (subject.tool !== "edit" && subject.tool !== "write")

/** The judgement with which an open question ends if the policy changes, if there is one by then. */
const byPolicy = ({ reason, rule, verdict }: Judgement): Settled | undefined => {
  if (verdict === "ask") return undefined
  const decision = verdict === "deny" ? "deny" : rule === undefined ? "allow_once" : "allow_rule"
  return { decision, by: "policy", reason, ...defined({ rule }) }
}

export const make = (parts: Parts) => {
  const { approvers, cwd: folder, hasSandbox, placesOf, policy, questions, remembers, resolve } = parts

  const look = Effect.fnUntraced(function* (judging: Judging, asked: EffectAsked) {
    const { args, cwd = folder, tool } = asked
    const argsHash = judging.argsHash(args)
    const isRemembered = remembers(keyOf({ tool, argsHash, cwd }))
    const view = { resolve, places: yield* placesOf(cwd), hasSandbox, isRemembered }
    const subject = yield* judging.subjectOf(asked, view)
    const found: Case = { asked, subject, judgement: judging.judge(yield* policy, subject), argsHash, cwd }
    return found
  })

  const requestOf = (judging: Judging, { asked, argsHash, cwd, judgement, subject }: Case, preview?: Preview) => {
    const { args, refs, tool } = asked
    const { choices, diff, risk, rule } = judging.questionOf(
      subject,
      hasSandbox && tool.source !== "verification",
      preview?.changes
    )
    return (approvalId: string, createdAt: number, deadline: number): ApprovalRequest => ({
      approvalId,
      ...refs,
      tool,
      args,
      cwd,
      ...defined({ diff }),
      risk,
      reason: judgement.reason,
      rule,
      choices,
      onTimeout: "deny",
      createdAt,
      deadline,
      argsHash
    })
  }

  /** A denial that nobody was asked about is remembered all the same. */
  const unasked = (judging: Judging, found: Case, denial: Denial) => {
    const { asked, argsHash, subject } = found
    const at = parts.now()
    const { by, message, reason, rule } = denial.details
    const { requestId, subagentId, toolCallId } = asked.refs
    const record = {
      ...defined({ toolCallId, requestId, subagentId }),
      tool: asked.tool,
      argsHash,
      decision: "deny" as const,
      by,
      ...defined({ rule, message }),
      reason,
      risk: judging.riskOf(subject),
      createdAt: at,
      resolvedAt: at
    }
    return Effect.as(Effect.uninterruptible(parts.record(record)), denial)
  }

  const ask = Effect.fnUntraced(function* (judging: Judging, found: Case, answers: Answers, preview?: Preview) {
    const { argsHash, asked, judgement, subject } = found
    const approver = approvers.current()
    const absent = yield* approver.absent
    const about = { reason: judgement.reason, argsHash }
    if (absent !== undefined) {
      yield* approver.missed?.(judging.optionFor(subject)) ?? Effect.void
      return yield* unasked(judging, found, Denials.unasked(about, absent))
    }
    const { timeoutMs } = yield* policy
    const request = requestOf(judging, found, preview)
    const settled = yield* Asking.ask({ ...parts, answers, approver, timeoutMs }, { asked, subject, request })
    if (settled.decision === "deny") return Denials.of({ ...about, approvalId: settled.approvalId }, settled)
    asked.decided?.(settled.decision === "escalate" ? "without" : "inside")
    return undefined
  })

  /** Whether the files are still what somebody was shown, if anything of them was shown. */
  const isSame = ({ asked: { preview } }: Case, shown: Preview | undefined) =>
    preview === undefined || shown === undefined
      ? Effect.succeed(true)
      : Effect.map(preview, (now) => now?.version === shown.version)

  const decide = Effect.fnUntraced(function* (
    asked: EffectAsked,
    answers: Answers
  ): Effect.fn.Return<Denial | undefined, ToolFailure> {
    const judging = yield* load
    let shownBefore = false
    while (true) {
      const found = yield* look(judging, asked)
      const { argsHash, judgement } = found
      const { preview = nothing } = asked
      if (looksFirst(found)) yield* preview
      const { reason, rule, verdict } = judgement
      if (verdict === "deny") {
        const denial = Denials.of({ reason, argsHash }, { by: "policy", ...defined({ rule }) })
        return yield* unasked(judging, found, denial)
      }
      const shown = yield* preview
      if (verdict === "ask" || shownBefore) {
        const denial = yield* ask(judging, found, answers, shown)
        if (denial !== undefined) return denial
        if (!(yield* isSame(found, shown))) {
          shownBefore = true
          continue
        }
      }
      shown?.pin()
      return undefined
    }
  })

  const judgeAgain = Effect.flatMap(policy, (now) =>
    Effect.map(load, ({ judge }) => {
      for (const question of questions.all()) {
        const settled = byPolicy(judge(now, question.subject))
        if (settled !== undefined) question.settle(settled)
      }
    })
  )

  return {
    judge: decide,
    /** Ends the open questions that the policy answers by now. */
    again: Effect.suspend(() => (questions.all().length === 0 ? Effect.void : judgeAgain))
  }
}
