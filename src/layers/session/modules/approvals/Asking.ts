/**
 * One question from its first frame to its last: it is a node of the tree, and ends by an answer, the policy, its deadline, the
 * loss of the host, or an interrupt. Only an answer and the policy let the effect happen.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import { text } from "../../../../domain/conversation/Content.ts"
import type { ApprovalRecord, ApprovalRequest } from "../../../../domain/approvals/Question.ts"
import { print } from "../../../../domain/approvals/Rule.ts"
import type { Subject } from "../../../../domain/approvals/Subject.ts"
import * as Text from "../../../../domain/Text.ts"
import { defined } from "../../../../domain/Values.ts"
import type { EffectAsked } from "../../../../services/Approvals.ts"
import type { Approver } from "../../../../services/host/Approvers.ts"
import type { Ids } from "../../../../services/Ids.ts"
import * as Supervision from "../../../../services/supervision/Supervision.ts"
import type { Answers } from "./Answers.ts"
import * as Denials from "./Denials.ts"
import type { OpenQuestion, OpenQuestions, Settled } from "./OpenQuestions.ts"

export interface Parts {
  readonly answers: Answers
  readonly approver: Approver
  readonly ids: typeof Ids.Service
  readonly now: () => number
  readonly publish: (event: AgentEvent) => void
  /** Returns when all who watch have the events so far. */
  readonly flush: Effect.Effect<void>
  /** Stores how a question ended. */
  readonly record: (record: ApprovalRecord) => Effect.Effect<void>
  /** The parent of the node where the asking fiber is in no tree. */
  readonly root: Supervision.LiveNode
  readonly questions: OpenQuestions
  readonly timeoutMs: number
}

interface Wanted {
  readonly asked: EffectAsked
  readonly subject: Subject
  readonly request: (approvalId: string, createdAt: number, deadline: number) => ApprovalRequest
}

const longestLabel = 80

const labelOf = ({ args, tool: { name } }: ApprovalRequest): string => {
  const subject = args["command"] ?? args["path"]
  const [line = ""] = typeof subject === "string" ? subject.trim().split("\n", 1) : []
  return Text.fit(line === "" ? name : `${name}: ${line}`, longestLabel)
}

const gone: Settled = { decision: "deny", by: "disconnect" }

/** Puts the question to the one who is asked. An answer that the question does not allow is none of the effect. */
const put = ({ answers, approver, flush }: Parts, question: OpenQuestion) =>
  Effect.zipRight(
    flush,
    Effect.suspend(() => approver.ask(question.request))
  ).pipe(
    Effect.flatMap((answer) => {
      if (answer === undefined) return Effect.succeed(gone)
      const { by, decision, message } = answer
      const refused: Settled = { decision: "deny", by, ...defined({ message }) }
      return decision === "deny"
        ? Effect.succeed(refused)
        : Effect.catchTag(answers.check(question, answer, by), "AnswerRefused", () => Effect.succeed(refused))
    }),
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logError("the question whether an effect may happen could not be asked", defect), gone)
    ),
    Effect.map((settled) => void question.settle(settled))
  )

/** Returns when the question has ended, or time is over. */
const wait = (parts: Parts, question: OpenQuestion) =>
  Effect.raceFirst(question.await, Effect.zipRight(put(parts, question), question.await)).pipe(
    Effect.timeoutOption(parts.timeoutMs),
    Effect.map((answer) => {
      if (Option.isNone(answer)) question.settle({ decision: "deny", by: "deadline" })
    })
  )

const recordOf = ({ request }: OpenQuestion, settled: Settled, resolvedAt: number): ApprovalRecord => {
  const { approvalId, argsHash, createdAt, reason, requestId, risk, subagentId, tool, toolCallId } = request
  const { by, decision, message, rule } = settled
  return {
    approvalId,
    ...defined({ toolCallId, requestId, subagentId }),
    tool,
    argsHash,
    decision,
    by,
    ...defined({ rule: rule && print(rule), message }),
    reason: settled.reason ?? reason,
    risk,
    createdAt,
    resolvedAt
  }
}

const nodeOf = ({ request }: OpenQuestion, settle: OpenQuestion["settle"]): Supervision.NodeSpec => {
  const { approvalId, deadline } = request
  return {
    kind: "approval",
    label: labelOf(request),
    refs: { approvalId },
    names: [approvalId],
    waitingOn: { kind: "approval", id: approvalId, until: deadline },
    end: Effect.sync(() => void settle({ decision: "deny", by: "abort", isCancelled: true }))
  }
}

/** What an interrupted effect comes to says how its question ended. */
const answeringAbout = ({ asked: { orInterrupted } }: Wanted, question: () => OpenQuestion | undefined) =>
  orInterrupted?.((why) =>
    Effect.sync(() => {
      const asked = question()
      const settled = asked?.ended()
      if (asked === undefined || settled?.decision !== "deny") return { content: [text(why)], details: {} }
      const { approvalId, argsHash, reason } = asked.request
      const { details } = Denials.of({ approvalId, argsHash, reason }, settled)
      return { content: [text(why)], details: { approval: details } }
    })
  )

export interface Ended extends Settled {
  readonly approvalId: string
}

/** Tells of the question before anything is waited for, and of its end whatever ends it: once, and behind its record. */
export const ask = (parts: Parts, wanted: Wanted): Effect.Effect<Ended> => {
  const { ids, now, publish, questions, record, root, timeoutMs } = parts
  let open: OpenQuestion | undefined
  const asking = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const approvalId = ids.next("approval")
      const createdAt = now()
      const question = questions.begin(wanted.request(approvalId, createdAt, createdAt + timeoutMs), wanted.subject)
      open = question
      publish({ _tag: "ApprovalRequested", ...question.request })
      const exit = yield* Effect.exit(
        Supervision.nodeFrom(root, nodeOf(question, question.settle), () => restore(wait(parts, question)))
      )
      question.settle({ decision: "deny", by: "abort" })
      const settled = question.ended() ?? gone
      yield* parts.answers.remembering(question, settled)
      yield* record(recordOf(question, settled, now()))
      publish({ _tag: "ApprovalResolved", approvalId, decision: settled.decision, by: settled.by })
      if (Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
      return { ...settled, approvalId }
    })
  )
  const answering = answeringAbout(wanted, () => open)
  return answering === undefined ? asking : answering(asking)
}
