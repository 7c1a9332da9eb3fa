/** Asks a function whether effects may happen, for a program that embeds the agent and decides, or asks its user, itself. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalRequest } from "../../domain/approvals/Question.ts"
import { type ApprovalAnswer, type Approver, Approvers, make as makeSwitch } from "../../services/host/Approvers.ts"

/** An interrupt withdraws the question. */
export type Approve = (request: ApprovalRequest) => Effect.Effect<ApprovalAnswer>

export const make = (approve: Approve): Approver => ({
  absent: Effect.succeed(undefined),
  ask: (request) => Effect.map(approve(request), (answer) => ({ ...answer, by: "host" }))
})

export const layer = (approve: Approve) => Layer.sync(Approvers, () => makeSwitch(make(approve)))
