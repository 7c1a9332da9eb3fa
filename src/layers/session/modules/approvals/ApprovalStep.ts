/** The step of approvals in a run: every call is judged as it would run, behind all that may still change it. */
import * as Effect from "effect/Effect"
import { defined } from "../../../../domain/Values.ts"
import type { SessionApprovals } from "../../../../services/Approvals.ts"
import type { Escalated } from "../../../../services/machine/Sandbox.ts"
import type { CallToRun, CallVerdict, RunStep, RunView } from "../../../../services/session/RunStep.ts"
import { type Tool, ToolFailure } from "../../../../services/Tools.ts"

const none = Effect.succeed(undefined)

const previewOf = ({ input, tool: { preview }, toolCallId }: CallToRun) =>
  preview === undefined ? undefined : preview(input, toolCallId)

const sourceOf = ({ origin }: Tool) => origin ?? "builtin"

export const make = (approvals: SessionApprovals, { runId, turnIndex }: RunView): RunStep => {
  const judge = (call: CallToRun): Effect.Effect<CallVerdict | undefined> => {
    let escalation: Escalated | undefined
    const { input: args, orInterrupted, tool, toolCallId, toolName: name } = call
    return approvals
      .judge({
        tool: { name, source: sourceOf(tool) },
        args,
        refs: { runId, turnId: `${runId}.${turnIndex()}`, toolCallId },
        orInterrupted,
        decided: (how) => void (escalation = how),
        ...defined({ preview: previewOf(call) })
      })
      .pipe(
        Effect.match({
          onFailure: (refusal) => ({ refusal }),
          onSuccess: (denial) =>
            denial === undefined
              ? defined({ escalation })
              : { refusal: new ToolFailure({ message: denial.text, details: { approval: denial.details } }) }
        })
      )
  }
  const isNeeded = () => approvals.isInForce() || approvals.guardsSandbox()
  return {
    callsLast: true,
    callMoment: () => (isNeeded() ? "start" : "never"),
    call: (call) => (isNeeded() ? judge(call) : none)
  }
}
