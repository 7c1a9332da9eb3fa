/** Runs one command of a verification to its result, in a tree of processes of its own. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { VerificationCommandResult } from "../../../domain/subagents/Verification.ts"
import type { VerificationCommand, VerificationRequest } from "../../../services/delegation/Verification.ts"
import type { Environment, Processes } from "../../../services/machine/Processes.ts"
import type { ShellFailure, ShellResult } from "../../../services/Shell.ts"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import * as Supervision from "../../../services/supervision/Supervision.ts"
import { join } from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import type { Secrets } from "../../machine/secrets/KnownSecrets.ts"
import * as Truncate from "../../tools/files/Truncate.ts"
import type { Artifacts } from "../../tools/shell/Artifact.ts"
import * as OutputTail from "../../tools/shell/OutputTail.ts"
import * as ShellCommand from "../../tools/shell/ShellCommand.ts"
import * as CheckLog from "./CheckLog.ts"

/** The output of one check: all of it into its log, and its end in bounded memory. */
interface CheckOutput {
  readonly take: (text: string) => Effect.Effect<void>
  readonly finish: Effect.Effect<Kept>
}

interface Kept {
  /** The last lines, as many as a repair is shown. */
  readonly context: Truncate.TruncationResult
  /** The last lines, as many as a host is shown; empty if there are none. */
  readonly preview: string
  readonly log: Option.Option<string>
}

/** Bytes count, so it is never more than 4000 characters. */
const previewLimits: Truncate.Limits = { maxLines: 20, maxBytes: 4000 }
/** Keeps lines of any length from filling the memory, and the context of the model. */
const contextBytes = 256 * 1024

const lineFeed = "\n"
const utf8 = new TextEncoder()

const countLineFeeds = (text: string): number => {
  let count = 0
  for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) count++
  return count
}

const previewOf = (output: string): string => Truncate.truncateTail(output.trimEnd(), previewLimits).content

/** Takes text without control sequences and secrets. */
const makeOutput = (log: CheckLog.CheckLog, contextLines: number): CheckOutput => {
  const tail = OutputTail.make({
    maxLines: Math.max(contextLines, previewLimits.maxLines),
    maxBytes: contextBytes
  })
  let lineFeeds = 0
  return {
    take: (text) =>
      Effect.suspend(() => {
        const bytes = utf8.encode(text)
        lineFeeds += countLineFeeds(text)
        tail.push(bytes, lineFeeds)
        return log.write(bytes) ?? Effect.void
      }),
    finish: Effect.suspend(() => {
      const { content, totalLines, truncated } = tail.snapshot()
      const cut = Truncate.truncateTail(content, { maxLines: contextLines, maxBytes: contextBytes })
      const context = { ...cut, totalLines, truncated: truncated || cut.truncated }
      return Effect.map(log.finish(utf8.encode(content)), (path) => ({
        context,
        preview: previewOf(content),
        log: path
      }))
    })
  }
}

export interface Means {
  readonly processes: typeof Processes.Service
  readonly files: Files
  readonly secrets: Secrets
  readonly environment: () => Environment
  readonly shellPath: string
  readonly maxLogBytes: number
}

/** One command of one attempt. */
export interface Check {
  readonly request: VerificationRequest
  readonly attempt: number
  /** From 1. */
  readonly number: number
  readonly command: VerificationCommand
}

export interface Ran {
  readonly result: VerificationCommandResult
  /** The end of the whole output, for a repair. */
  readonly context: Truncate.TruncationResult
}

const defaultTimeoutMs = 300_000
/** As `timeout` and shells report it. */
const exitCodes = { timedOut: 124, notAllowed: 126, notStarted: 127, interrupted: 130 }
/** Milliseconds between TERM and KILL. */
const patience = { grace: () => 100, jobGrace: 500 }
/** A file name has at most 255 bytes, and the id of the subagent takes a part. */
const longestSlug = 64

/** The log has everything, so the recorder of the shell keeps no file of its own. */
const noArtifacts: Artifacts = {
  open: () =>
    Effect.succeed({
      id: "",
      path: "",
      write: () => undefined,
      finish: Effect.succeedNone,
      discard: Effect.void
    })
}

/** The file of a log: `0-Fix.verify.a1-2-unit-tests.log`. */
export const logName = ({ attempt, command, number, request }: Check): string => {
  const slug = command.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
  return `${request.id}.verify.a${attempt}-${number}-${slug.slice(0, longestSlug)}.log`
}

/** The shell of the tree becomes a login shell, which cannot be asked for directly. */
const inLoginShell = (command: string): string => `exec "$BASH" -lc '${command.replaceAll("'", String.raw`'\''`)}'`

const outputOf = ({ files, maxLogBytes }: Means, check: Check): CheckOutput => {
  const { artifacts, plan } = check.request
  const log = Option.match(artifacts, {
    onNone: () => CheckLog.none,
    onSome: (folder) => CheckLog.make({ files, path: join(folder, logName(check)), maxBytes: maxLogBytes })
  })
  return makeOutput(log, plan.failureContextLineLimit)
}

/** Closing the tree ends the background jobs, too: the worktree that they work in is about to go. */
const execute = (means: Means, { command, request }: Check, output: CheckOutput, cancel: Effect.Latch) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { environment, processes, secrets, shellPath } = means
      yield* secrets.collected
      const tree = yield* processes.tree({ shellPath, ...patience })
      return yield* ShellCommand.run(
        { tree, artifacts: noArtifacts, mask: secrets.stream() },
        {
          command: inLoginShell(command.command),
          cwd: request.cwd,
          env: environment(),
          timeoutMs: command.timeoutMs ?? defaultTimeoutMs,
          cancel: cancel.await,
          dropsLastWords: true,
          hooks: { onDelta: output.take }
        }
      )
    })
  )

const supervised = (means: Means, check: Check, output: CheckOutput) =>
  Effect.suspend(() => {
    const cancel = Effect.unsafeMakeLatch(false)
    const { attempt, command, request } = check
    const refs = { subagentId: request.id, attempt }
    return Supervision.node({ kind: "verification", label: command.name, refs, end: Effect.asVoid(cancel.open) }, () =>
      execute(means, check, output, cancel)
    )
  })

type Ended = Exit.Exit<Either.Either<ShellResult, ShellFailure> | undefined>

/** A command that could not be started explains itself in place of its output. */
const ending = (exit: Ended) => {
  // It was interrupted, or the machinery below it is broken.
  if (Exit.isFailure(exit)) return { exitCode: exitCodes.interrupted }
  if (exit.value === undefined) return { exitCode: exitCodes.notAllowed }
  if (Either.isLeft(exit.value)) {
    return { exitCode: exitCodes.notStarted, outputPreview: exit.value.left.message }
  }
  const { exitCode, timedOut } = exit.value.right
  if (timedOut) return { exitCode: exitCodes.timedOut, timedOut }
  return { exitCode: exitCode ?? exitCodes.interrupted }
}

const compose = (
  { command, name, optional }: VerificationCommand,
  exit: Ended,
  { log, preview }: Kept,
  durationMs: number
): VerificationCommandResult => ({
  name,
  command,
  durationMs,
  ...(optional === true ? { optional } : {}),
  ...Option.match(log, { onNone: () => ({}), onSome: (artifactPath) => ({ artifactPath }) }),
  ...(preview === "" ? {} : { outputPreview: preview }),
  ...ending(exit)
})

export interface Watcher {
  readonly started: () => void
  /** Follows `started` whatever happens: after an interrupt, once the processes are gone. */
  readonly ended: (result: VerificationCommandResult) => void
}

export const run = (means: Means, check: Check, { ended, started }: Watcher) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore): Effect.fn.Return<Ran> {
      const { approve = () => Effect.succeed(undefined) } = check.request
      const refusal = yield* restore(approve(check.command.command))
      const began = yield* Stopwatch.reading
      started()
      const output = outputOf(means, check)
      const work = refusal === undefined ? Effect.either(supervised(means, check, output)) : output.take(`${refusal}\n`)
      const exit: Ended = yield* Effect.exit(Effect.map(restore(work), (ran) => ran ?? undefined))
      const kept = yield* output.finish
      const durationMs = yield* Stopwatch.since(began)
      const command = means.secrets.mask(check.command.command)
      const result = compose({ ...check.command, command }, exit, kept, durationMs)
      ended(result)
      return Exit.isSuccess(exit) ? { result, context: kept.context } : yield* Effect.failCause(exit.cause)
    })
  )
