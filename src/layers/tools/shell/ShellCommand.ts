/** Runs one command to its result: output, updates, timeout, cancellation, interrupt. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type { ProcessTree, ShellProcess, ShellSpawn } from "../../../services/machine/Processes.ts"
import { ShellFailure, type ShellRequest, type ShellResult } from "../../../services/Shell.ts"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import * as Supervision from "../../../services/supervision/Supervision.ts"
import type { ByteMask } from "../../machine/secrets/ByteMask.ts"
import type { Artifacts } from "./Artifact.ts"
import * as OtherMeans from "./OtherMeans.ts"
import * as OutputRecorder from "./OutputRecorder.ts"

export interface Dependencies {
  readonly tree: ProcessTree
  readonly artifacts: Artifacts
  /** Hides secrets in the output. */
  readonly mask: ByteMask | undefined
}

export interface CommandOptions extends Pick<ShellSpawn, "command" | "cwd" | "env"> {
  readonly timeoutMs: number
  /** Ends the command when it completes. */
  readonly cancel: Effect.Effect<void> | undefined
  /** Whether the output that arrives while a command is being ended is dropped, such as the shell's own "Killed". */
  readonly dropsLastWords?: boolean
  readonly hooks: Pick<ShellRequest, "artifacts" | "instead" | "onDelta" | "onStarted" | "onUpdate" | "orInterrupted">
}

type Ending =
  | { readonly _tag: "Exited"; readonly code: number }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "Cancelled" }

const timedOut: Ending = { _tag: "TimedOut" }
const cancelled: Ending = { _tag: "Cancelled" }

const updateInterval = "100 millis"

/** Runs until it is interrupted. `changed` is open while there is output that no update has shown. */
const showUpdates = (
  recorder: OutputRecorder.OutputRecorder,
  changed: Effect.Latch,
  onUpdate: (output: string) => Effect.Effect<void>
) =>
  Effect.sleep(updateInterval).pipe(
    Effect.zipRight(changed.await),
    Effect.zipRight(changed.close),
    Effect.zipRight(Effect.suspend(() => onUpdate(recorder.snapshot().content))),
    Effect.forever
  )

/** Each of these runs beside the wait for the ending; the first to complete `ending` decides. */
const helpers = (
  shell: ShellProcess,
  { cancel, hooks: { onUpdate }, timeoutMs }: CommandOptions,
  ending: Deferred.Deferred<Ending>,
  showing: (onUpdate: (output: string) => Effect.Effect<void>) => Effect.Effect<never>
): ReadonlyArray<Effect.Effect<unknown>> => [
  Effect.intoDeferred(
    Effect.map(shell.exited, (code): Ending => ({ _tag: "Exited", code })),
    ending
  ),
  Effect.zipRight(Effect.sleep(timeoutMs), Deferred.succeed(ending, timedOut)),
  ...(cancel === undefined ? [] : [Effect.zipRight(cancel, Deferred.succeed(ending, cancelled))]),
  ...(onUpdate === undefined ? [] : [showing(onUpdate)])
]

/**
 * However the wait ends, all that the command has started is ended here, while its last output is still read. An abort sends
 * TERM before anything else: the helpers, which are interrupted first, end while the processes do.
 */
const execute = (
  restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>,
  tree: ProcessTree,
  options: CommandOptions,
  recorder: OutputRecorder.OutputRecorder
) =>
  Effect.gen(function* () {
    const { command, cwd, dropsLastWords = false, env, hooks } = options
    const changed = Effect.unsafeMakeLatch(false)
    let isEnding = false
    const take = (chunk: Uint8Array) => {
      if (isEnding && dropsLastWords) return undefined
      changed.unsafeOpen()
      return recorder.push(chunk)
    }
    const { instead } = hooks
    const shell = yield* instead === undefined
      ? tree.spawn({ command, cwd, env, take })
      : OtherMeans.start(instead, take)
    const letGo = instead === undefined ? yield* Supervision.hold(shell) : () => {}
    const ending = yield* Deferred.make<Ending>()
    const work = helpers(shell, options, ending, (onUpdate) => showUpdates(recorder, changed, onUpdate))
    const fibers = yield* Effect.forEach(work, (helper) => Effect.fork(Effect.interruptible(helper)))
    const exit = yield* Effect.exit(restore(Effect.zipRight(hooks.onStarted ?? Effect.void, Deferred.await(ending))))
    yield* Effect.forEach(fibers, Fiber.interruptAsFork(FiberId.none), { discard: true })
    isEnding = !Exit.isSuccess(exit) || exit.value._tag !== "Exited"
    if (isEnding) yield* shell.end
    for (const fiber of fibers) if (fiber.unsafePoll() === null) yield* Fiber.await(fiber)
    letGo()
    yield* shell.release
    return exit
  })

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

export const run = ({ artifacts, mask, tree }: Dependencies, options: CommandOptions) =>
  Effect.flatMap(Stopwatch.reading, (began) => {
    const { artifacts: folder = Effect.succeedNone, onDelta, orInterrupted } = options.hooks
    const recorder = OutputRecorder.make({ open: Effect.flatMap(folder, artifacts.open), onDelta, mask })
    let recorded: OutputRecorder.Recorded | undefined
    const resultOf = (ending: Ending) =>
      Effect.map(Stopwatch.since(began), (durationMs) =>
        compose(recorded ?? OutputRecorder.unfinished(recorder), ending, durationMs)
      )
    const command = Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore): Effect.fn.Return<ShellResult, ShellFailure> {
        const exit = yield* Effect.mapError(
          execute(restore, tree, options, recorder),
          ({ message }) => new ShellFailure({ reason: "not_started", message })
        )
        recorded = yield* recorder.finish
        return yield* Effect.flatMap(exit, resultOf)
      })
    )
    return orInterrupted === undefined ? command : orInterrupted(resultOf(cancelled))(command)
  })
