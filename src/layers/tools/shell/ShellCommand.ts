/** One command from its start to its result: output, timeout, cancellation, interrupt. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { ShellFailure, type ShellRequest, type ShellResult } from "../../../services/Shell.ts"
import * as Supervision from "../../../services/Supervision.ts"
import type { ProcessTree, SpawnOptions } from "../../platform/ProcessTree.ts"
import type { Artifacts } from "./Artifact.ts"
import * as OutputRecorder from "./OutputRecorder.ts"

export interface Dependencies {
  readonly tree: ProcessTree
  readonly artifacts: Artifacts
}

export interface CommandOptions extends Omit<SpawnOptions, "take"> {
  readonly timeoutMs: number
  /** Ends the command when it completes. */
  readonly cancel: Effect.Effect<void> | undefined
  readonly hooks: Pick<ShellRequest, "onDelta" | "onInterrupted" | "onStarted" | "onUpdate">
}

type Ending =
  | { readonly _tag: "Exited"; readonly code: number }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "Cancelled" }

const updateInterval = "100 millis"

const reportUpdates = Effect.fnUntraced(function* (
  recorder: OutputRecorder.OutputRecorder,
  onUpdate: (output: string) => Effect.Effect<void>
) {
  let shown = 0
  while (true) {
    yield* Effect.sleep(updateInterval)
    const now = recorder.received()
    if (now === shown) continue
    shown = now
    yield* onUpdate(recorder.snapshot().content)
  }
})

/** Leaving this early ends the processes: by the scope of the shell, or here, where the last words are still read. */
const execute = (tree: ProcessTree, options: CommandOptions, recorder: OutputRecorder.OutputRecorder) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { cancel, command, cwd, env, hooks, timeoutMs } = options
      const shell = yield* tree.spawn({ command, cwd, env, take: recorder.push })
      yield* Supervision.process(shell)
      if (hooks.onUpdate !== undefined) yield* Effect.forkScoped(reportUpdates(recorder, hooks.onUpdate))
      yield* hooks.onStarted ?? Effect.void
      const exited = Effect.map(shell.finished, (code): Ending => ({ _tag: "Exited", code }))
      const late = Effect.as(Effect.sleep(timeoutMs), { _tag: "TimedOut" } satisfies Ending)
      const cancelled = Effect.map(cancel ?? Effect.never, (): Ending => ({ _tag: "Cancelled" }))
      const stopped = cancel === undefined ? late : Effect.raceFirst(late, cancelled)
      return yield* Effect.raceFirst(exited, stopped).pipe(
        Effect.tap(({ _tag }) => (_tag === "Exited" ? Effect.void : shell.end)),
        Effect.onInterrupt(() => shell.end)
      )
    })
  )

const compose = (recorded: OutputRecorder.Recorded, ending: Ending, durationMs: number): ShellResult => {
  const { content, firstLineExceedsLimit: _, ...truncation } = recorded.truncation
  return {
    output: content,
    ...(ending._tag === "Exited" ? { exitCode: ending.code } : {}),
    cancelled: ending._tag === "Cancelled",
    timedOut: ending._tag === "TimedOut",
    ...truncation,
    ...Option.match(recorded.artifact, {
      onNone: () => ({}),
      onSome: ({ id, path }) => ({ fullOutputPath: path, artifactId: id })
    }),
    ...Option.match(recorded.artifactError, { onNone: () => ({}), onSome: (artifactError) => ({ artifactError }) }),
    durationMs
  }
}

export const run = ({ artifacts, tree }: Dependencies, options: CommandOptions) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore): Effect.fn.Return<ShellResult, ShellFailure> {
      const began = yield* Clock.currentTimeMillis
      const { onDelta, onInterrupted } = options.hooks
      const recorder = OutputRecorder.make({ artifacts, onDelta })
      const exit = yield* Effect.exit(restore(execute(tree, options, recorder)))
      const recorded = yield* recorder.finish
      const durationMs = (yield* Clock.currentTimeMillis) - began
      if (Exit.isSuccess(exit)) return compose(recorded, exit.value, durationMs)
      if (Exit.isInterrupted(exit) && onInterrupted !== undefined) {
        yield* onInterrupted(compose(recorded, { _tag: "Cancelled" }, durationMs))
      }
      return yield* Effect.mapError(
        Effect.failCause(exit.cause),
        ({ message }) => new ShellFailure({ reason: "not_started", message })
      )
    })
  )
