/** Shell commands of the user of the host (protocol.md 3.6). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { described, optional } from "../../domain/conversation/Content.ts"
import type { BashExecutionMessage } from "../../domain/conversation/Message.ts"
import { defined } from "../../domain/Values.ts"
import { Approvals, type SessionApprovals } from "../../services/Approvals.ts"
import { UserCommands } from "../../services/hooks/Hooks.ts"
import { Inbox } from "../../services/session/Inbox.ts"
import type { UserCommandAnswer } from "../../services/hooks/HookPoints.ts"
import { Backend, type Escalated } from "../../services/machine/Sandbox.ts"
import { SessionFiles } from "../../services/session/SessionFiles.ts"
import { type OtherMeans, Shell, ShellFailure, type ShellResult } from "../../services/Shell.ts"
import * as Command from "../Command.ts"

const SandboxResult = Schema.Struct({
  mode: Schema.String,
  network: Schema.Literal("open", "off"),
  backend: Backend,
  denied: described(Schema.Boolean, "It failed in a way that the sandbox explains."),
  advice: optional(Schema.String, "What would allow it.")
}).annotations({
  identifier: "SandboxResult",
  description: "What held a command, and whether it was denied something."
})

const BashResult = Schema.Struct({
  output: Schema.String,
  exitCode: optional(Schema.Int, "Absent if the command was cancelled."),
  cancelled: described(Schema.Boolean, "Cancelled, or timed out."),
  timedOut: optional(Schema.Boolean),
  truncated: described(Schema.Boolean, "`output` is only the end of the output."),
  totalLines: Schema.Int,
  totalBytes: Schema.Int,
  outputLines: Schema.Int,
  outputBytes: Schema.Int,
  fullOutputPath: optional(Schema.String, "The file with the whole output, if it was truncated."),
  artifactId: optional(Schema.String, "The name of that file."),
  artifactError: optional(Schema.String, "Why the whole output could not be stored."),
  durationMs: Schema.Finite,
  sandbox: optional(SandboxResult, "Absent if no sandbox has held the command.")
}).annotations({ identifier: "BashResult", description: "The result of a shell command of the user." })

const Bash = Schema.Struct({
  command: Schema.String.pipe(Schema.nonEmptyString()),
  excludeFromContext: optional(Schema.Boolean),
  timeout: optional(Schema.Number.pipe(Schema.positive()))
})

const longestTimeout = 3600

/** A command that reached its timeout counts as cancelled, too: it has no exit code. */
const toResult = (result: ShellResult): typeof BashResult.Type => {
  const { lastLinePartial: _partial, maxBytes: _bytes, maxLines: _lines, timedOut, truncatedBy: _by, ...more } = result
  const { sandbox, ...rest } = more
  const held = sandbox === undefined ? {} : { sandbox: { ...sandbox.report, ...defined({ advice: sandbox.advice }) } }
  return { ...rest, cancelled: rest.cancelled || timedOut, ...(timedOut ? { timedOut } : {}), ...held }
}

const toMessage = (params: typeof Bash.Type, result: typeof BashResult.Type, timestamp: number) => {
  const { cancelled, exitCode, fullOutputPath, output, truncated } = result
  const message: BashExecutionMessage = {
    role: "bashExecution",
    command: params.command,
    output,
    ...defined({ exitCode }),
    cancelled,
    truncated,
    ...defined({ fullOutputPath }),
    ...(params.excludeFromContext === true ? { excludeFromContext: true } : {}),
    timestamp
  }
  return message
}

/** A hook supplies the result, or runs the command in its own way. */
const insteadOf =
  (answer: UserCommandAnswer): OtherMeans =>
  (onOutput) => {
    if (answer._tag === "Run") return Effect.map(answer.run(onOutput), ({ exitCode }) => exitCode)
    onOutput(answer.output)
    return Effect.succeed(answer.exitCode)
  }

/** Whether the command may run. One that ends while somebody is asked has never begun. */
const makeQuestion = (approvals: SessionApprovals, command: string, { id, release }: Command.Request) => {
  let isOpen = false
  let escalation: Escalated | undefined
  const judged = Effect.suspend(() => {
    isOpen = true
    const asked = {
      tool: { name: "bash", source: "user" as const },
      args: { command },
      refs: defined({ requestId: id }),
      decided: (how: Escalated) => void (escalation = how)
    }
    return Effect.zipRight(release, Effect.orDie(approvals.judge(asked)))
  })
  const approve = Effect.flatMap(judged, (denial) => {
    isOpen = false
    return denial === undefined
      ? Effect.succeed(escalation)
      : new ShellFailure({ reason: denial.code, message: denial.text })
  })
  return {
    isOpen: () => isOpen,
    approve: () => (approvals.isInForce() ? approve : undefined)
  }
}

const bash = Command.make({
  name: "bash",
  lane: "waiting",
  summary: "Runs a shell command and answers when it has ended; a non-zero exit code is a success.",
  notes:
    "Later commands wait only until the process has started, or an extension is asked about it, so several can run at once. " +
    "`bash_execution_update` events carry all output before the response. " +
    "The result becomes a `bashExecution` message of the session: at once, or when the active run ends; if the session has changed by then, it does not. " +
    "With `excludeFromContext` the model is not shown that message. `timeout` is in seconds, default 300, at most 3600. " +
    "`exitCode` is absent when `abort_bash` or the timeout has ended the command. tools.md has the limits of the output and the environment of commands.",
  origin: ["pi", "omp", "xcsh"],
  params: Bash,
  result: BashResult,
  errors: ["not_started", "closing", "denied", "approval_timeout", "approval_unavailable"],
  run: Effect.fnUntraced(function* (params, request) {
    const shell = yield* Shell
    const inbox = yield* Inbox
    const userCommands = yield* UserCommands
    const timestamp = yield* Clock.currentTimeMillis
    const id = defined({ id: request.id })
    const { command, excludeFromContext = false } = params
    // The shell knows the command by then, so an abort that comes next finds it.
    let isSupplied = false
    const asked = userCommands.ask({ command, excludeFromContext }, request.release)
    const question = makeQuestion(yield* Approvals, command, request)
    const ran = yield* shell
      .runForUser({
        command,
        ask: Effect.map(asked, (answer) => {
          isSupplied = answer?._tag === "Result"
          return answer === undefined ? undefined : insteadOf(answer)
        }),
        approve: () => (isSupplied ? undefined : question.approve()),
        artifacts: (yield* SessionFiles).artifacts,
        ...(params.timeout === undefined
          ? {}
          : { timeoutMs: Math.min(longestTimeout, Math.max(1, params.timeout)) * 1000 }),
        onStarted: request.release,
        onDelta: (delta) => request.record({ type: "bash_execution_update", ...id, delta })
      })
      .pipe(Effect.mapError(({ message, reason }) => new Command.CommandFailure({ code: reason, message })))
    const result = toResult(ran)
    if (question.isOpen()) return result
    yield* inbox.record(toMessage(params, result, timestamp))
    return result
  })
})

const cancelUser = Effect.flatMap(Shell, (shell) => shell.cancelUser)

const abortBash = Command.make({
  name: "abort_bash",
  lane: "ending",
  summary: "Ends all running `bash` commands; each of them answers with `cancelled`.",
  notes:
    "Answers when their processes are gone. Succeeds also when there are none. Does not touch commands of the model.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  heldBack: () => cancelUser,
  run: () => cancelUser
})

export const commands = [bash, abortBash]
