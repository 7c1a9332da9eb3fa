/** A real verifier in a temporary folder, and what it published. */
import { Effect, Layer, Option } from "effect"
import type { AgentEvent, SubagentChange } from "../../../../src/domain/conversation/AgentEvent.ts"
import type { VerificationResult } from "../../../../src/domain/subagents/Verification.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as StaticSettings from "../../../../src/layers/workspace/settings/StaticSettings.ts"
import * as Verifier from "../../../../src/layers/delegation/verification/Verifier.ts"
import type { SettingsValues } from "../../../../src/services/Settings.ts"
import {
  type VerificationCommand,
  type VerificationPlan,
  type VerificationRequest
} from "../../../../src/services/delegation/Verification.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

export const id = "0-Fix"

export const planOf = (commands: ReadonlyArray<VerificationCommand>, more: Partial<VerificationPlan> = {}) => ({
  commands,
  maxRetries: 1,
  onFailure: "return_failure" as const,
  failureContextLineLimit: 200,
  ...more
})

export const verifier = (settings: Partial<SettingsValues> = {}, options: Verifier.VerifierOptions = {}) =>
  Effect.provide(Verifier.make(options), Layer.merge(StaticSettings.layer(settings), LocalProcesses.layer))

/** Attempts take as long as they take. */
const timelessEvent = (event: AgentEvent): AgentEvent =>
  event._tag === "VerificationCommandEnded" ? { ...event, durationMs: 0 } : event

export const timeless = (result: VerificationResult): VerificationResult => ({
  ...result,
  attempts: result.attempts.map((attempt) => ({
    ...attempt,
    startedAt: 0,
    endedAt: 0,
    commandResults: attempt.commandResults.map((one) => ({ ...one, durationMs: 0 }))
  }))
})

/** Login shells read the profile of this folder, not that of the user, which may be slow and may not like to be killed. */
const ownHome = Effect.flatMap(tempFolder, (folder) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env["HOME"]
      process.env["HOME"] = folder
      return before
    }),
    (before) => Effect.sync(() => void (process.env["HOME"] = before ?? ""))
  )
)

export const make = Effect.fnUntraced(function* (options: Verifier.VerifierOptions = {}) {
  yield* ownHome
  const cwd = yield* tempFolder
  const artifacts = `${yield* tempFolder}/session`
  const { run } = yield* verifier({}, options)
  const events: Array<AgentEvent> = []
  const prompts: Array<string> = []
  const start = (plan: VerificationPlan, more: Partial<VerificationRequest> = {}) =>
    run({
      id,
      cwd,
      plan,
      task: "Fix the parser.",
      artifacts: Option.some(artifacts),
      publish: (event) => void events.push(timelessEvent(event)),
      repair: (prompt) =>
        Effect.sync(() => {
          prompts.push(prompt)
          return 0
        }),
      mayRepair: Effect.void,
      ...more
    })
  return { artifacts, cwd, events, prompts, start }
})

export const started = (attempt: number, profile?: string): SubagentChange => ({
  _tag: "VerificationStarted",
  id,
  attempt,
  ...(profile === undefined ? {} : { profile })
})

export const ended = (
  attempt: number,
  status: "passed" | "failed" | "skipped" | "budget_exceeded"
): SubagentChange => ({ _tag: "VerificationEnded", id, attempt, status })

/** A command from its start to its end. */
export const command = (
  attempt: number,
  commandName: string,
  exitCode: number,
  artifactId?: string
): ReadonlyArray<SubagentChange> => [
  { _tag: "VerificationCommandStarted", id, attempt, commandName },
  {
    _tag: "VerificationCommandEnded",
    id,
    attempt,
    commandName,
    exitCode,
    durationMs: 0,
    ...(artifactId === undefined ? {} : { artifactId })
  }
]
