/**
 * Asks the host of a connection whether effects may happen. A host that has said so answers `approval_request` itself. For any
 * other one, the same question is a `select` of its user, too: the mirror.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { ApprovalRequest, Decision } from "../../domain/approvals/Question.ts"
import { print } from "../../domain/approvals/Rule.ts"
import type { Approver } from "../../services/host/Approvers.ts"
import type { Ui } from "../../services/host/HostUi.ts"
import type { Connection } from "../connection/Connection.ts"

export interface HostApprovals extends Approver {
  /** The host is gone: open questions end, and no others begin. */
  readonly disconnect: () => void
}

interface Parts {
  readonly connection: Pick<Connection, "preferences">
  /** Absent where the host is not to be asked by dialogs. */
  readonly select: Ui["select"] | undefined
}

const subjectOf = ({ args, tool: { name } }: ApprovalRequest): string => {
  const subject = args["command"] ?? args["path"]
  return typeof subject === "string" ? `${name}: ${subject}` : name
}

const labelOf = (decision: Decision, { rule }: ApprovalRequest): string => {
  switch (decision) {
    case "allow_once":
      return "Allow once"
    case "allow_session":
      return "Allow for this session"
    case "allow_rule":
      return rule === undefined ? "Always allow" : `Always allow: ${print(rule)}`
    case "escalate":
      return "Run once without the sandbox"
    case "deny":
      return "Deny"
  }
}

const details: Readonly<Record<Decision, string>> = {
  allow_once: "This call only",
  allow_session: "The same call is not asked again until the session is left",
  allow_rule: "Adds the rule until the session is left",
  escalate: "This call only",
  deny: "The call does not run"
}

export const make = ({ connection, select }: Parts): HostApprovals => {
  const gone = Deferred.unsafeMake<undefined>(FiberId.none)
  let connected = true

  const mirror = (ask: Ui["select"], request: ApprovalRequest) =>
    Effect.suspend(() => {
      const { approvalId, choices, createdAt, deadline } = request
      const options = choices.map((choice) => labelOf(choice, request))
      /** Then the question itself ends by its deadline, which is the same. */
      let isLate = false
      const asked = ask({
        title: `Allow ${subjectOf(request)}?`,
        options,
        details: choices.map((choice) => ({ description: details[choice] })),
        timeoutMs: deadline - createdAt,
        onTimeout: Effect.sync(() => void (isLate = true)),
        approvalId
      })
      return Effect.flatMap(asked, (value) => {
        if (!connected) return Effect.succeed(undefined)
        if (isLate) return Effect.never
        const chosen = choices[options.indexOf(Option.getOrElse(value, () => ""))] ?? "deny"
        return Effect.succeed({ decision: chosen, by: "mirror" as const })
      })
    })

  return {
    absent: Effect.map(Ref.get(connection.preferences), ({ approvals = false, ui }) => {
      if (!connected) return "disconnect"
      if (approvals) return undefined
      if (select === undefined) return "policy"
      return ui?.has("select") === false ? "disconnect" : undefined
    }),
    ask: (request) =>
      Effect.flatMap(Ref.get(connection.preferences), ({ approvals = false }) => {
        const asked = approvals || select === undefined ? Effect.never : mirror(select, request)
        return Effect.raceFirst(Deferred.await(gone), asked)
      }),
    disconnect: () => {
      connected = false
      Deferred.unsafeDone(gone, Exit.succeed(undefined))
    }
  }
}
