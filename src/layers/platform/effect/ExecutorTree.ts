/** Shells of a CommandExecutor of @effect/platform, and what they leave running in their process groups. */
import type * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import {
  type ProcessTree,
  type ShellProcess,
  type ShellSpawn,
  SpawnFailed,
  type TreeOptions
} from "../../../services/machine/Processes.ts"
import { markVariable } from "../processes/ProcessScan.ts"
import * as ExecutorProcess from "./ExecutorProcess.ts"

/** How long the output is waited for once the shell has exited or its group is gone. */
const lateOutput = "250 millis"

interface Shell {
  readonly process: CommandExecutor.Process
  /** Closing it gives the process back to the executor. */
  readonly scope: Scope.CloseableScope
}

/** Takes what the shell writes until its caller has released it. What a job writes later is read and dropped, so that it goes on. */
const makeReader = Effect.fnUntraced(function* ({ process, scope }: Shell, take: ShellSpawn["take"]) {
  const released = yield* Deferred.make<void>()
  const receive = (chunk: Uint8Array) =>
    Effect.flatMap(Deferred.isDone(released), (isReleased) => {
      const taken = isReleased ? undefined : take(chunk)
      return taken === undefined ? Effect.void : Effect.raceFirst(taken, Deferred.await(released))
    })
  // A pipe that breaks has ended.
  const all = Effect.ignore(Stream.runForEach(process.stdout, receive))
  const reading = yield* Effect.forkIn(Effect.interruptible(all), scope)
  return { ended: Fiber.join(reading), release: Deferred.succeed(released, undefined) }
})

/** Uninterruptible, so that the caller gets the shell that it started. */
const toProcess = Effect.fnUntraced(function* (
  shell: Shell,
  take: ShellSpawn["take"],
  { grace }: TreeOptions,
  left: Set<Shell>
) {
  const { process, scope } = shell
  let isAlive = true
  const reader = yield* makeReader(shell, take)
  // An executor that loses a process has no exit code to tell: a bug of its own.
  const over = Effect.ensuring(
    Effect.orDie(ExecutorProcess.exitCode(process)),
    Effect.sync(() => (isAlive = false))
  )
  const running = yield* Effect.forkIn(Effect.interruptible(over), scope)
  const lateOutputRead = Effect.timeoutOption(Effect.interruptible(reader.ended), lateOutput)
  const end = Effect.suspend(() => Effect.zipRight(ExecutorProcess.endGroup(process, grace()), lateOutputRead))
  const giveBack = Effect.zipRight(
    reader.release,
    Effect.flatMap(ExecutorProcess.isGroupAlive(process), (hasJobs) => {
      if (hasJobs) return Effect.void
      left.delete(shell)
      return Scope.close(scope, Exit.void)
    })
  )
  const result: ShellProcess = {
    pid: process.pid,
    isAlive: () => isAlive,
    // Dies when a chunk could not be taken.
    exited: Effect.zipLeft(
      Effect.raceFirst(Fiber.join(running), Effect.zipRight(reader.ended, Effect.never)),
      lateOutputRead
    ),
    end: Effect.asVoid(end),
    release: Effect.suspend(() => (isAlive ? Effect.zipRight(end, giveBack) : giveBack))
  }
  return result
})

const build = (executor: CommandExecutor.CommandExecutor, options: TreeOptions): ProcessTree => {
  const { shellPath } = options
  const mark = crypto.randomUUID()
  /** Shells that are not given back, and those whose jobs live on. */
  const left = new Set<Shell>()

  const spawn = Effect.fnUntraced(function* ({ command, cwd, env, take }: ShellSpawn) {
    const scope = yield* Scope.make()
    const spec = {
      command: [shellPath, "-c", `exec 2>&1\n${command}`, shellPath],
      cwd,
      env: { ...env, [markVariable]: mark }
    }
    const process = yield* ExecutorProcess.start(executor, spec).pipe(
      Scope.extend(scope),
      Effect.tapError(() => Scope.close(scope, Exit.void)),
      Effect.mapError(({ message }) => new SpawnFailed({ message: `Command could not be started: ${message}` }))
    )
    const shell = { process, scope }
    left.add(shell)
    return yield* toProcess(shell, take, options, left)
  }, Effect.uninterruptible)

  const endAll = (grace: number) =>
    Effect.suspend(() => {
      const shells = [...left]
      left.clear()
      const end = ({ process, scope }: Shell) =>
        Effect.zipRight(ExecutorProcess.endGroup(process, grace), Scope.close(scope, Exit.void))
      return Effect.forEach(shells, end, { concurrency: "unbounded", discard: true })
    })
  return { spawn, endAll, mark }
}

export const make = (executor: CommandExecutor.CommandExecutor, options: TreeOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => build(executor, options)),
    ({ endAll }) => endAll(options.jobGrace)
  )
