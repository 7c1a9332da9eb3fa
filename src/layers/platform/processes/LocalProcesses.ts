/** Processes of this machine. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Program, type ProgramEnd, Processes, SpawnFailed } from "../../../services/machine/Processes.ts"
import { inherited } from "./Environment.ts"
import * as Marks from "./offspring/Marks.ts"
import * as Offspring from "./offspring/Offspring.ts"
import * as Orphans from "./offspring/Orphans.ts"
import * as ProcessTree from "./ProcessTree.ts"
import * as SpawnFailure from "./SpawnFailure.ts"
import * as TreeEnd from "./TreeEnd.ts"

const failed = (cause: unknown) => new SpawnFailed({ message: SpawnFailure.explain(cause) })

/** A shell sets the limit and then becomes the program. */
const withLimit = ({ command, memoryLimit }: Program): ReadonlyArray<string> =>
  memoryLimit === undefined || process.platform === "win32"
    ? command
    : ["/bin/sh", "-c", `ulimit -c 0; ulimit -d ${memoryLimit}; exec "$0" "$@"`, ...command]

const start = (program: Program) => {
  const { cwd, env, keepErrors = false, mayLeaveJobs = false } = program
  const child = Offspring.start(mayLeaveJobs ? Marks.ofOthers : Marks.ofPrograms, () =>
    Bun.spawn([...withLimit(program)], {
      ...(cwd === undefined ? {} : { cwd }),
      // Said outright: without it Bun passes on the environment that heddle started with, not the current one.
      env: env ?? inherited(),
      detached: true,
      stdin: "ignore",
      stdout: "pipe",
      stderr: keepErrors ? "pipe" : "ignore"
    })
  )
  void child.exited.finally(Orphans.expectFrom(child))
  return child
}

const spawn = (program: Program) => Effect.try({ try: () => start(program), catch: failed })

type Child = Effect.Effect.Success<ReturnType<typeof spawn>>

const follow = async (child: Child, onOutput: Program["onOutput"]): Promise<ProgramEnd> => {
  const errors = child.stderr === undefined ? "" : new Response(child.stderr).text()
  for await (const chunk of child.stdout) if (!onOutput(chunk)) return { exitCode: undefined, errors: "" }
  const [, text] = await Promise.all([child.exited, errors])
  return { exitCode: ProcessTree.exitCode(child), errors: text }
}

/** Kills the whole group: a shell that waits for a child would leave it behind. */
const end = (child: Child) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    TreeEnd.signal(-child.pid, "SIGKILL")
    await child.exited
  })

const run = (program: Program): Effect.Effect<ProgramEnd, SpawnFailed> =>
  Effect.acquireUseRelease(
    spawn(program),
    (child) => Effect.tryPromise({ try: () => follow(child, program.onOutput), catch: failed }),
    end
  )

export const service = Processes.of({ run, tree: ProcessTree.make })

export const layer = Layer.succeed(Processes, service)
