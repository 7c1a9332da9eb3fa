/** One command from its start to its result: output, timeout, cancellation, interrupt. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { ShellFailure, type ShellRequest, type ShellResult } from "../../../services/Shell.ts"
import * as Supervision from "../../../services/supervision/Supervision.ts"
import type { ProcessTree, ShellProcess, SpawnOptions } from "../../platform/processes/ProcessTree.ts"
import type { Step } from "../../platform/processes/ProcessWatch.ts"
import type { Artifacts } from "./Artifact.ts"
import * as OutputRecorder from "./OutputRecorder.ts"

export interface Dependencies {
  readonly tree: ProcessTree
  readonly artifacts: Artifacts
}

export interface CommandOptions extends Pick<SpawnOptions, "command" | "cwd" | "env"> {
  readonly timeoutMs: number
  /** Ends the command when it completes. */
  readonly cancel: Effect.Effect<void> | undefined
  readonly hooks: Pick<ShellRequest, "artifacts" | "onDelta" | "onInterrupted" | "onStarted" | "onUpdate">
}

type Ending = Exclude<Step, { readonly _tag: "Output" }> | { readonly _tag: "Cancelled" }

const updateMs = 100

/** Returns when the command has ended, or is to be ended. */
const follow = Effect.fnUntraced(function* (
  shell: ShellProcess,
  recorder: OutputRecorder.OutputRecorder,
  { onStarted, onUpdate }: CommandOptions["hooks"]
) {
  if (onStarted !== undefined) yield* onStarted
  let showing: Fiber.RuntimeFiber<void> | undefined
  while (true) {
    const step = yield* shell.next
    if (step._tag !== "Output") {
      if (showing !== undefined) yield* Fiber.interrupt(showing)
      return step
    }
    // Beside this one, which an update that waits for somebody who reads must not keep from seeing the end.
    if (onUpdate !== undefined && (showing === undefined || showing.unsafePoll() !== null)) {
      showing = yield* Effect.fork(onUpdate(recorder.snapshot().content))
    }
  }
})

const cancelled: Ending = { _tag: "Cancelled" }

/** Whatever cuts this short, what the command has started is ended here, where its last words are still read. */
const execute = (
  restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>,
  tree: ProcessTree,
  { cancel, command, cwd, env, hooks, timeoutMs }: CommandOptions,
  recorder: OutputRecorder.OutputRecorder
) =>
  Effect.gen(function* () {
    const updates = hooks.onUpdate === undefined ? {} : { updateMs }
    const shell = yield* tree.spawn({ command, cwd, env, timeoutMs, ...updates, take: recorder.push })
    const letGo = yield* Supervision.hold(shell)
    const followed: Effect.Effect<Ending> = follow(shell, recorder, hooks)
    const exit = yield* Effect.exit(
      restore(cancel === undefined ? followed : Effect.raceFirst(followed, Effect.as(cancel, cancelled)))
    )
    if (!Exit.isSuccess(exit) || exit.value._tag !== "Exited") yield* shell.end
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

export const run = ({ artifacts, tree }: Dependencies, options: CommandOptions) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore): Effect.fn.Return<ShellResult, ShellFailure> {
      const began = yield* Clock.currentTimeMillis
      const { artifacts: folder = Effect.succeedNone, onDelta, onInterrupted } = options.hooks
      const recorder = OutputRecorder.make({ open: Effect.flatMap(folder, artifacts.open), onDelta })
      const exit = yield* Effect.mapError(
        execute(restore, tree, options, recorder),
        ({ message }) => new ShellFailure({ reason: "not_started", message })
      )
      const recorded = yield* recorder.finish
      const durationMs = (yield* Clock.currentTimeMillis) - began
      if (Exit.isSuccess(exit)) return compose(recorded, exit.value, durationMs)
      if (Exit.isInterrupted(exit) && onInterrupted !== undefined) {
        yield* onInterrupted(compose(recorded, cancelled, durationMs))
      }
      return yield* Effect.failCause(exit.cause)
    })
  )
