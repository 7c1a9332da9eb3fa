/** The Verification service with commands of this machine. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type {
  AttemptStatus,
  VerificationAttempt,
  VerificationCommandResult,
  VerificationResult
} from "../../../domain/subagents/Verification.ts"
import { defined, once } from "../../../domain/Values.ts"
import { requested, Verification, type VerificationRequest } from "../../../services/delegation/Verification.ts"
import { Processes } from "../../../services/machine/Processes.ts"
import { Settings } from "../../../services/Settings.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import { inherited } from "../../machine/processes/Environment.ts"
import { KnownSecrets } from "../../machine/secrets/KnownSecrets.ts"
import * as Environment from "../../tools/shell/Environment.ts"
import * as CommandRun from "./CommandRun.ts"
import * as Plan from "./Plan.ts"

const outcome = ({ exitCode, timedOut }: VerificationCommandResult): string =>
  timedOut === true ? "timed out" : `exit code ${exitCode}`

/** Longer than any row of backticks in the text, which could end the block otherwise. */
const fenceFor = (text: string): string => {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([row]) => row.length))
  return "`".repeat(Math.max(3, longest + 1))
}

const block = (text: string): string => {
  const fence = fenceFor(text)
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`
}

const shown = ({ context, result }: CommandRun.Ran): string => {
  const text = context.content === "" ? (result.outputPreview ?? "") : context.content
  if (text === "") return "It printed nothing."
  const title = context.truncated ? `The last ${context.outputLines} of ${context.totalLines} lines` : "All"
  return `${title} of its output:\n\n${block(text)}`
}

const section = (ran: CommandRun.Ran): string =>
  `## ${ran.result.name}\n\nCommand:\n\n${block(ran.result.command)}\n\n${shown(ran)}`

/** The message to a subagent whose work failed its verification. Pure. */
const repairPrompt = (task: string, failed: ReadonlyArray<CommandRun.Ran>): string =>
  [
    "Your work on the task below is done, but it failed its verification. The worktree is as you left it.",
    `# Original task\n\n${task}`,
    `# Failed checks\n\n${failed.map(({ result }) => `- ${result.name}: ${outcome(result)}`).join("\n")}`,
    ...failed.map(section),
    "# What to do\n\nFix only what makes these checks fail. Change nothing else, and do not weaken or remove the checks. They run again when you are done."
  ].join("\n\n")

export interface VerifierOptions {
  readonly shellPath?: string
  /** What a log has at most, but for the end of the output. */
  readonly maxLogBytes?: number
}

const defaultMaxLogBytes = 50 * 1024 * 1024
const failedText = "One or more verification commands failed."

interface Attempted {
  readonly attempt: VerificationAttempt
  /** What a repair has to fix. */
  readonly failed: ReadonlyArray<CommandRun.Ran>
}

const started = ({ id, plan: { profile }, publish }: VerificationRequest, attempt: number) =>
  publish({ _tag: "VerificationStarted", id, attempt, ...defined({ profile }) })

const ended = ({ id, publish }: VerificationRequest, attempt: number, status: AttemptStatus) =>
  publish({ _tag: "VerificationEnded", id, attempt, status })

const check = (means: CommandRun.Means, spec: CommandRun.Check) => {
  const { attempt, command, request } = spec
  const { id, publish } = request
  const ref = { id, attempt, commandName: command.name }
  return CommandRun.run(means, spec, {
    started: () => publish({ _tag: "VerificationCommandStarted", ...ref }),
    ended: ({ artifactPath, durationMs, exitCode }) =>
      publish({
        _tag: "VerificationCommandEnded",
        ...ref,
        exitCode,
        durationMs,
        ...defined({ artifactId: artifactPath })
      })
  })
}

const fails = ({ result: { exitCode, optional } }: CommandRun.Ran) => exitCode !== 0 && optional !== true

/** All commands run, also after one that failed. An interrupt ends the attempt as skipped. */
const attemptTo = (means: CommandRun.Means, request: VerificationRequest, attempt: number) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore): Effect.fn.Return<Attempted> {
      const startedAt = yield* Clock.currentTimeMillis
      started(request, attempt)
      const exit = yield* Effect.exit(
        restore(
          Effect.forEach(request.plan.commands, (command, index) =>
            check(means, { request, attempt, number: index + 1, command })
          )
        )
      )
      const endedAt = yield* Clock.currentTimeMillis
      if (Exit.isFailure(exit)) {
        ended(request, attempt, "skipped")
        return yield* Effect.failCause(exit.cause)
      }
      const failed = exit.value.filter(fails)
      const status = failed.length === 0 ? "passed" : "failed"
      ended(request, attempt, status)
      const commandResults = exit.value.map(({ result }) => result)
      const error = status === "failed" ? { error: failedText } : {}
      return { attempt: { attempt, status, startedAt, endedAt, commandResults, ...error }, failed }
    })
  )

/** An attempt that runs no command. */
const without = (request: VerificationRequest, attempt: number, status: AttemptStatus, error: string) =>
  Effect.map(Clock.currentTimeMillis, (now): VerificationAttempt => {
    started(request, attempt)
    ended(request, attempt, status)
    return { attempt, status, startedAt: now, endedAt: now, commandResults: [], error }
  })

interface Retried {
  readonly attempt: VerificationAttempt
  readonly retriesUsed: number
}

/** The repair and attempt 2, or why there was none of them. */
const retry = (means: CommandRun.Means, request: VerificationRequest, failed: ReadonlyArray<CommandRun.Ran>) =>
  Effect.matchEffect(request.mayRepair, {
    onFailure: ({ message }) =>
      Effect.map(without(request, 2, "budget_exceeded", message), (attempt): Retried => ({ attempt, retriesUsed: 0 })),
    onSuccess: Effect.fnUntraced(function* (): Effect.fn.Return<Retried> {
      const exitCode = yield* request.repair(repairPrompt(request.task, failed))
      if (exitCode !== 0) {
        const error = `The repair ended with exit code ${exitCode}, so nothing was verified.`
        return { attempt: yield* without(request, 2, "skipped", error), retriesUsed: 1 }
      }
      const { attempt } = yield* attemptTo(means, request, 2)
      return { attempt, retriesUsed: 1 }
    })
  })

const run = (means: CommandRun.Means) =>
  Effect.fn("Verification.run")(function* (request: VerificationRequest): Effect.fn.Return<VerificationResult> {
    const { maxRetries, onFailure } = request.plan
    const first = yield* attemptTo(means, request, 1)
    const mayRetry = onFailure === "retry_once" && maxRetries >= 1
    if (first.failed.length === 0 || !mayRetry) {
      const status = first.failed.length === 0 ? "passed" : "failed"
      return { ...requested(request.plan), status, attempts: [first.attempt], retriesUsed: 0 }
    }
    const { attempt, retriesUsed } = yield* retry(means, request, first.failed)
    const status = attempt.status === "passed" ? "passed" : "failed"
    return { ...requested(request.plan), status, attempts: [first.attempt, attempt], retriesUsed }
  })

export const make = Effect.fnUntraced(function* ({
  maxLogBytes = defaultMaxLogBytes,
  shellPath = "bash"
}: VerifierOptions = {}) {
  const settings = yield* Settings
  const processes = yield* Processes
  const files = yield* OwnFiles
  const secrets = yield* KnownSecrets
  const forCommands = once(() => Environment.forCommands(inherited()))
  return Verification.of({
    plan: (verify, { isolated }) => Plan.resolve(verify, isolated, settings),
    run: run({ processes, files, secrets, environment: () => forCommands()(), shellPath, maxLogBytes })
  })
})

export const layer: Layer.Layer<Verification, never, Settings | Processes> = Layer.effect(Verification, make())
