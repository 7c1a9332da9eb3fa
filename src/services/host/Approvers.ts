/**
 * Who is asked whether an effect may happen: a host over rpc, a person at the terminal, or the program that embeds the agent.
 * A question is an Effect: an interrupt withdraws it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ApprovalRequest, Decision } from "../../domain/approvals/Question.ts"
import type { Rule } from "../../domain/approvals/Rule.ts"

/** An answer that the question allows; anything else counts as `deny`. */
export interface ApprovalAnswer {
  readonly decision: Decision
  /** Of a denial, for the model. */
  readonly message?: string
  /** In place of the proposed rule. */
  readonly rule?: Rule
}

export interface Approver {
  /** Why nobody can answer now: nobody is meant to, or the host is gone. Undefined if somebody can. */
  readonly absent: Effect.Effect<"policy" | "disconnect" | undefined>
  /**
   * Puts the question to somebody in a form of its own. A host that answers with `approval_response` may leave this open.
   * Undefined: nobody is there any more.
   */
  readonly ask: (
    request: ApprovalRequest
  ) => Effect.Effect<(ApprovalAnswer & { readonly by: "host" | "mirror" }) | undefined>
  /** Told of an effect that was denied because nobody can answer. `option` would have allowed it. */
  readonly missed?: (option: ReadonlyArray<string>) => Effect.Effect<void>
}

export const nobody: Approver = { absent: Effect.succeed("policy"), ask: () => Effect.succeed(undefined) }

export interface ApproverSwitch {
  /** The one who is asked now. */
  readonly current: () => Approver
  /** Until the scope closes. Of several that have joined, the last one is asked. */
  readonly connect: (approver: Approver) => Effect.Effect<void, never, Scope.Scope>
}

/** Without a Layer nobody is asked, and nobody can join. */
export class Approvers extends Context.Reference<Approvers>()("heddle/services/host/Approvers", {
  defaultValue: (): ApproverSwitch => ({ current: () => nobody, connect: () => Effect.void })
}) {}

export const make = (first: Approver = nobody): ApproverSwitch => {
  const connected: Array<Approver> = []
  return {
    current: () => connected.at(-1) ?? first,
    connect: (approver) =>
      Effect.acquireRelease(
        Effect.sync(() => void connected.push(approver)),
        () => Effect.sync(() => void connected.splice(connected.lastIndexOf(approver), 1))
      )
  }
}
