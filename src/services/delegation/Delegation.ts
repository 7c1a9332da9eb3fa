/**
 * Where the subagents of sessions come from. A reference: without a Layer (layers/delegation/subagents/LocalSubagents.ts) sessions have
 * none.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import type { Model, ThinkingLevel } from "../../domain/model/Model.ts"
import type { SessionApprovals } from "../Approvals.ts"
import type { SessionBudget } from "../session/modules/Budget.ts"
import type { Contributor } from "../hooks/Hooks.ts"
import type { Session } from "../session/Session.ts"
import { none, type SessionSubagents } from "./Subagents.ts"
import type { Tool } from "../Tools.ts"

/** What subagents take from the session that starts them. */
export interface ParentSession {
  readonly session: typeof Session.Service
  readonly publish: (event: AgentEvent) => void
  readonly budget: SessionBudget
  readonly controls: () => { readonly model?: Model; readonly thinkingLevel: ThinkingLevel }
  /** Every tool of the session: an agent may name one that is not built in. */
  readonly tools: Effect.Effect<ReadonlyArray<Tool>>
  /** Judge what subagents do, too. */
  readonly approvals: SessionApprovals
  /** Ask the hooks of the session about the tool calls of a subagent, too. */
  readonly contributors: () => ReadonlyArray<Contributor>
}

export class Subagents extends Context.Reference<Subagents>()("heddle/services/delegation/Subagents", {
  defaultValue: (): ((parent: ParentSession) => SessionSubagents) => () => none
}) {}
