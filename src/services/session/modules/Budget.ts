/** Spending limits of sessions, of batches of tasks in them, and of subagents (protocol.md 15). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type BudgetLimits, BudgetReason, type LimitsChange } from "../../../domain/budget/BudgetLimits.ts"
import type { BudgetScopeName, BudgetSnapshot } from "../../../domain/budget/BudgetSnapshot.ts"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { Model } from "../../../domain/model/Model.ts"
import type { Usage } from "../../../domain/model/Usage.ts"
import type { Session } from "../Session.ts"

export { type BudgetLimits, BudgetReason, type LimitsChange } from "../../../domain/budget/BudgetLimits.ts"

export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  reason: BudgetReason,
  limit: Schema.Finite,
  spent: Schema.Finite
}) {
  override get message() {
    return `Budget exceeded (${this.reason})`
  }
}

/** What a call would cost is not known, so a limit of the cost could not hold. */
export class NoPrice extends Schema.TaggedError<NoPrice>()("NoPrice", {
  provider: Schema.String,
  modelId: Schema.String
}) {
  override get message() {
    return (
      `No price known for ${this.provider}/${this.modelId}: maxCostUsd cannot hold for it. ` +
      "Give its entry in models.json a cost (0 if it is free), or set a limit of tokens, too"
    )
  }
}

/** The command line has fixed the limit: it can be tightened, but not raised or removed. */
export class BudgetFixed extends Schema.TaggedError<BudgetFixed>()("BudgetFixed", {
  limit: Schema.String,
  fixed: Schema.Finite
}) {
  override get message() {
    return `${this.limit} was fixed at ${this.fixed} when heddle was started, and can only be tightened`
  }
}

export interface ModelCallPlan {
  readonly model: Model
  /** An estimate. */
  readonly inputTokens: number
  readonly maxOutputTokens?: number
  /** False for calls beside the conversation, such as summaries. Default: true. */
  readonly isTurn?: boolean
  /**
   * What happens where the call does not fit: `published` refuses it and ends the scope's spending (`budget_exceeded`), `quiet` only
   * refuses it, `never` reserves it all the same. Default: published.
   */
  readonly refusal?: "published" | "quiet" | "never"
}

/** A model call that was allowed. */
export interface Reservation {
  /** What the call has really used takes the place of the reservation. Only the first time counts. */
  readonly settle: (usage: Usage, isTurn?: boolean) => Effect.Effect<void>
  /** The call was not made, or is counted elsewhere. Nothing happens if it was settled. */
  readonly release: () => void
}

export interface ScopeState {
  readonly scope: BudgetScopeName
  readonly id?: string
  readonly limits: BudgetLimits
  readonly snapshot: BudgetSnapshot
}

export interface SessionBudget {
  /** Whether anything here or above has a limit. Estimates are not needed otherwise. */
  readonly isLimited: () => boolean
  /**
   * Asked before a prompt is accepted: fails where no model call would be allowed, and in a session whose tool call or subagent was
   * refused.
   */
  readonly check: Effect.Effect<void, BudgetExceeded>
  /** Fails if a limit of the cost could not hold for the model. Asked with `check`, and again before every call. */
  readonly checkModel: (model: Model) => Effect.Effect<void, NoPrice>
  /** The same as `check`, but publishes nothing. */
  readonly mayPrompt: Effect.Effect<boolean>
  /** Whether a model call would be allowed. Publishes nothing. */
  readonly mayCall: Effect.Effect<boolean>
  /**
   * Reserves a model call before it starts, here and in every scope above. Where it does not fit only beside calls that are
   * under way, this waits for them: they may turn out to cost less than is reserved for them.
   */
  readonly modelCall: (call: ModelCallPlan) => Effect.Effect<Reservation, BudgetExceeded | NoPrice>
  /** Counts a tool call that is about to start, or refuses it, and then further model calls of this scope; scopes below and beside it go on. */
  readonly toolCall: Effect.Effect<void, BudgetExceeded>
  /** Counts a subagent that is about to start, or refuses it and nothing else but prompts. */
  readonly subagent: Effect.Effect<void, BudgetExceeded>
  /** For calls that were not reserved. */
  readonly recordUsage: (usage: Usage) => Effect.Effect<void>
  /** Publishes the message about the usage that the provider reports, once for each provider in the whole tree of scopes. */
  readonly doubt: (provider: string, message: string) => void
  /**
   * Wall time runs while the effect runs, once for each scope however many run in it. At the limit the fiber is
   * interrupted, and this fails. To be called in an uninterruptible fiber with an interruptible effect, as a run does.
   */
  readonly whileRunning: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | BudgetExceeded, R>
  /**
   * A scope below this one: what is spent there counts here, too. Its own limits hold in addition. It goes with the
   * Scope; what was spent stays counted.
   */
  readonly child: (options: {
    readonly scope: "task" | "subagent"
    readonly id: string
    readonly limits: BudgetLimits
  }) => Effect.Effect<SessionBudget, never, Scope.Scope>
  readonly snapshot: Effect.Effect<BudgetSnapshot>
  /** This scope and the open ones below it. */
  readonly scopes: Effect.Effect<ReadonlyArray<ScopeState>>
  readonly limits: Effect.Effect<BudgetLimits>
  readonly setLimits: (change: LimitsChange) => Effect.Effect<void, BudgetFixed>
}

/** The budget of a session. */
export class Allowance extends Context.Tag("heddle/services/session/modules/Allowance")<Allowance, SessionBudget>() {}

export class Budget extends Context.Tag("heddle/services/session/modules/Budget")<
  Budget,
  {
    /** The budget of a session that is being opened, which calls `publish` with events of limits; it goes with the session's scope. */
    readonly open: (publish: (event: AgentEvent) => void) => Effect.Effect<SessionBudget, never, Session | Scope.Scope>
  }
>() {}
