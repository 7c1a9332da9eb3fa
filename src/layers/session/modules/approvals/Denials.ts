/** Why an effect does not happen, in the words that models and users read. Pure. */
import type { DecidedBy, DenialDetails } from "../../../../domain/approvals/Question.ts"
import { print } from "../../../../domain/approvals/Rule.ts"
import { defined } from "../../../../domain/Values.ts"
import type { Denial } from "../../../../services/Approvals.ts"
import type { Settled } from "./OpenQuestions.ts"

interface Denied {
  readonly approvalId?: string
  readonly reason: string
  readonly argsHash: string
}

const details = (denied: Denied, { by, message, rule }: Omit<Settled, "decision">): DenialDetails => ({
  ...defined({ approvalId: denied.approvalId }),
  decision: "deny",
  by,
  reason: denied.reason,
  ...defined({ rule: rule && print(rule), message }),
  argsHash: denied.argsHash
})

export const unavailable = "Approval unavailable: no host can answer"
const cancelled = "Cancelled by host"
/** As of every call that an abort has not let start. */
const aborted = "Tool execution was aborted."

const textOf = (reason: string, { by, isCancelled, message = "" }: Omit<Settled, "decision">): string => {
  switch (by) {
    case "host":
    case "mirror":
      return message.trim() === "" ? "Denied by user" : `Denied by user: ${message}`
    case "policy":
      return `Denied by policy: ${reason}`
    case "deadline":
      return "Approval timed out"
    case "disconnect":
      return unavailable
    case "abort":
      return isCancelled === true ? cancelled : aborted
  }
}

const codes = {
  host: "denied",
  mirror: "denied",
  policy: "denied",
  abort: "denied",
  deadline: "approval_timeout",
  disconnect: "approval_unavailable"
} as const

/** Of a question that ended so, or of a policy that has decided without one. */
export const of = (denied: Denied, settled: Omit<Settled, "decision">): Denial => {
  const reason = settled.reason ?? denied.reason
  return {
    text: textOf(reason, settled),
    code: codes[settled.by],
    details: details({ ...denied, reason }, settled)
  }
}

/** Of an effect that nobody could be asked about. */
export const unasked = (denied: Denied, by: Extract<DecidedBy, "disconnect" | "policy">): Denial => ({
  text: unavailable,
  code: "approval_unavailable",
  details: details(denied, { by })
})
