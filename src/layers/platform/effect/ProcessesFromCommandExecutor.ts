/**
 * Processes over a CommandExecutor of @effect/platform: programs start where the executor starts them, and a POSIX shell has to
 * be there. An executor knows process groups only, so what has left the group of its shell is neither found nor ended.
 */
import * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type Program, Processes } from "../../../services/machine/Processes.ts"
import { inherited } from "../processes/Environment.ts"
import { withLimit } from "../processes/LocalProcesses.ts"
import * as ExecutorProcess from "./ExecutorProcess.ts"
import * as ExecutorTree from "./ExecutorTree.ts"

const run = (executor: CommandExecutor.CommandExecutor) => (program: Program) =>
  Effect.gen(function* () {
    const { cwd, env = inherited(), keepErrors = false, onOutput } = program
    const process = yield* ExecutorProcess.start(executor, { command: withLimit(program), cwd, env })
    let isOver = false
    // Before the end that the executor has for it: TERM, and a wait for a program that may ignore it.
    yield* Effect.addFinalizer(() => (isOver ? Effect.void : Effect.ignore(process.kill("SIGKILL"))))
    // It is read in any case: a program that writes into a full pipe stands still.
    const errors = yield* Effect.forkScoped(Stream.mkString(Stream.decodeText(process.stderr)))
    let isEnough = false
    const take = (chunk: Uint8Array) => {
      isEnough = !onOutput(chunk)
      return !isEnough
    }
    yield* Stream.runDrain(Stream.takeWhile(process.stdout, take))
    if (isEnough) return { exitCode: undefined, errors: "" }
    const exitCode = yield* ExecutorProcess.exitCode(process)
    isOver = true
    return { exitCode, errors: keepErrors ? yield* errors : "" }
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => (error._tag === "SpawnFailed" ? error : ExecutorProcess.failed(error)))
  )

export const layer: Layer.Layer<Processes, never, CommandExecutor.CommandExecutor> = Layer.effect(
  Processes,
  Effect.map(CommandExecutor.CommandExecutor, (executor) =>
    Processes.of({ run: run(executor), tree: (options) => ExecutorTree.make(executor, options) })
  )
)
