/** Checks the work of an isolated subagent with commands before it counts, and lets it repair once (protocol.md 14.5). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import type { OnFailure, VerificationResult } from "../../domain/subagents/Verification.ts"
import { defined } from "../../domain/Values.ts"

/** The `verify` of a task cannot be followed. The message is the result of the tool. */
export class VerificationRefused extends Schema.TaggedError<VerificationRefused>()("VerificationRefused", {
  message: Schema.String
}) {}

export interface VerificationCommand {
  readonly name: string
  readonly command: string
  /** Default 300 s. */
  readonly timeoutMs?: number
  /** Its failure is reported, and fails nothing. */
  readonly optional?: boolean
}

/** What the model asked for, resolved against the settings. */
export interface VerificationPlan {
  readonly profile?: string
  /** At least one. */
  readonly commands: ReadonlyArray<VerificationCommand>
  readonly maxRetries: number
  readonly onFailure: OnFailure
  /** How many lines of a failed check the repair is shown. */
  readonly failureContextLineLimit: number
}

export interface VerificationRequest {
  /** The session-unique id of the subagent. */
  readonly id: string
  /** The worktree. */
  readonly cwd: string
  readonly plan: VerificationPlan
  /** The assignment of the subagent, for the repair. */
  readonly task: string
  /** The folder for logs; without one, none are kept. */
  readonly artifacts: Option.Option<string>
  /** Every start is followed by its end, also when the verification is interrupted. */
  readonly publish: (event: AgentEvent) => void
  /** Whether a command may run: a text that says why it may not. */
  readonly approve?: (command: string) => Effect.Effect<string | undefined>
  /** Lets the same subagent work once more, in the same worktree; its exit code. */
  readonly repair: (prompt: string) => Effect.Effect<number>
  /** Asked before a repair; fails where the budget is spent. */
  readonly mayRepair: Effect.Effect<void, { readonly message: string }>
}

export class Verification extends Context.Tag("heddle/services/delegation/Verification")<
  Verification,
  {
    /** Resolves the raw `verify` of the task tool. Undefined: no verification is wanted. */
    readonly plan: (
      verify: unknown,
      options: { readonly isolated: boolean }
    ) => Effect.Effect<VerificationPlan | undefined, VerificationRefused>
    /** An interrupt ends the command that runs, with all its processes. */
    readonly run: (request: VerificationRequest) => Effect.Effect<VerificationResult>
  }
>() {}

/** What every result has of its plan. */
export const requested = ({ onFailure, profile }: VerificationPlan) =>
  ({ requested: true, ...defined({ profile }), mode: "command", onFailure }) as const

/** The result for a subagent that did not exit with 0: there is nothing to check. */
export const skipped = (plan: VerificationPlan): VerificationResult => ({
  ...requested(plan),
  status: "skipped",
  attempts: [],
  retriesUsed: 0
})

/** `Verification failed: typecheck, test`: the checks that failed when they last ran. */
export const failureText = ({ attempts }: VerificationResult): string => {
  const results = attempts.findLast(({ commandResults }) => commandResults.length > 0)?.commandResults ?? []
  const names = results.filter(({ exitCode, optional }) => exitCode !== 0 && optional !== true).map(({ name }) => name)
  return `Verification failed: ${names.join(", ")}`
}
