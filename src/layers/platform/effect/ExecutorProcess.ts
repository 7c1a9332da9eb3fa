/** A process that a CommandExecutor of @effect/platform has started, with what Processes promises of its start and its end. */
import { constants } from "node:os"
import * as Command from "@effect/platform/Command"
import type * as CommandExecutor from "@effect/platform/CommandExecutor"
import type { PlatformError } from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Environment, SpawnFailed } from "../../../services/machine/Processes.ts"

export interface Start {
  readonly command: ReadonlyArray<string>
  readonly cwd?: string | undefined
  readonly env: Environment
}

/** Between two looks for processes of a group that was told to end. */
const lookEvery = "5 millis"
/** How long KILL may take: only a process that is stuck in the kernel takes longer. */
const patience = "1 second"

export const failed = (cause: unknown) =>
  new SpawnFailed({ message: cause instanceof Error ? cause.message : String(cause) })

/** It reads nothing from us. An executor may throw where the system refuses to start a program. */
export const start = (
  executor: CommandExecutor.CommandExecutor,
  { command: [file = "", ...args], cwd, env }: Start
): Effect.Effect<CommandExecutor.Process, SpawnFailed, Scope.Scope> => {
  const made = Command.make(file, ...args).pipe(
    Command.env({ ...env }, { extendEnv: false }),
    Command.stdin(Stream.empty)
  )
  const placed = cwd === undefined ? made : Command.workingDirectory(made, cwd)
  return Effect.catchAllDefect(Effect.mapError(executor.start(placed), failed), failed)
}

const signals: Readonly<Record<string, number>> = constants.signals

/** An executor tells in words only which signal has ended a process. */
const bySignal = (error: PlatformError) => {
  const signal = signals[/\bSIG[A-Z0-9]+/.exec(error.message)?.[0] ?? ""]
  return signal === undefined ? Effect.fail(error) : Effect.succeed(128 + signal)
}

/** 128 + n after signal n. */
export const exitCode = ({ exitCode }: CommandExecutor.Process): Effect.Effect<number, PlatformError> =>
  Effect.catchAll(exitCode, bySignal)

/** Whether somebody is left of the group of a process that has ended: CONT harms nobody, and fails where there is nobody. */
export const isGroupAlive = ({ kill }: CommandExecutor.Process): Effect.Effect<boolean> =>
  Effect.isSuccess(kill("SIGCONT"))

/** TERM to the group, KILL after the grace in milliseconds. Returns when it is gone, or when KILL has not helped for a second. */
export const endGroup = (process: CommandExecutor.Process, grace: number): Effect.Effect<void> => {
  const gone = Effect.repeat(Effect.delay(isGroupAlive(process), lookEvery), { while: (isAlive) => isAlive })
  const told = (signal: "SIGTERM" | "SIGKILL", ms: number | typeof patience) =>
    Effect.zipRight(Effect.ignore(process.kill(signal)), gone).pipe(Effect.interruptible, Effect.timeoutOption(ms))
  return Effect.flatMap(told("SIGTERM", grace), (ended) =>
    ended._tag === "Some" ? Effect.void : Effect.asVoid(told("SIGKILL", patience))
  )
}
