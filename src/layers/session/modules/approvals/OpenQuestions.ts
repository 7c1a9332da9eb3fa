/** The questions of a session: those that are open, and how the last ones ended. Each ends once, whoever ends it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type { ApprovalRequest, DecidedBy, Decision } from "../../../../domain/approvals/Question.ts"
import type { Rule } from "../../../../domain/approvals/Rule.ts"
import type { Subject } from "../../../../domain/approvals/Subject.ts"

/** How a question ended. */
export interface Settled {
  readonly decision: Decision
  readonly by: DecidedBy
  readonly message?: string
  /** The rule that was added, or that has decided. */
  readonly rule?: Rule
  /** Why the policy has decided. */
  readonly reason?: string
  /** A host has ended the question itself, and not what it is about. */
  readonly isCancelled?: true
}

export interface OpenQuestion {
  readonly request: ApprovalRequest
  readonly subject: Subject
  /** False if it has ended before: then nothing changes. */
  readonly settle: (answer: Settled) => boolean
  readonly ended: () => Settled | undefined
  readonly await: Effect.Effect<Settled>
}

/** Questions whose end is remembered. */
const mostEnded = 1000

export const make = () => {
  const open = new Map<string, OpenQuestion>()
  const over = new Map<string, Pick<Settled, "by" | "decision">>()

  const begin = (request: ApprovalRequest, subject: Subject): OpenQuestion => {
    const { approvalId } = request
    const settled = Deferred.unsafeMake<Settled>(FiberId.none)
    let answer: Settled | undefined
    const question: OpenQuestion = {
      request,
      subject,
      ended: () => answer,
      await: Deferred.await(settled),
      settle: (given) => {
        if (answer !== undefined) return false
        answer = given
        open.delete(approvalId)
        over.set(approvalId, { decision: given.decision, by: given.by })
        const [oldest] = over.keys()
        if (over.size > mostEnded && oldest !== undefined) over.delete(oldest)
        Deferred.unsafeDone(settled, Effect.succeed(given))
        return true
      }
    }
    open.set(approvalId, question)
    return question
  }

  return {
    begin,
    all: (): ReadonlyArray<OpenQuestion> => [...open.values()],
    find: (approvalId: string) => open.get(approvalId),
    howEnded: (approvalId: string) => over.get(approvalId)
  }
}

export type OpenQuestions = ReturnType<typeof make>
