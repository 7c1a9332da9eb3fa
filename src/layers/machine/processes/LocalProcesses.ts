/** Processes of this machine, for Bun and for Node. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defined } from "../../../domain/Values.ts"
import { type Program, type ProgramEnd, Processes, SpawnFailed } from "../../../services/machine/Processes.ts"
import { inherited } from "./Environment.ts"
import * as Marks from "./offspring/Marks.ts"
import * as Offspring from "./offspring/Offspring.ts"
import * as Orphans from "./offspring/Orphans.ts"
import * as ProcessTree from "./ProcessTree.ts"
import type { Child, Source } from "./spawn/Child.ts"
import * as Spawn from "./spawn/Spawn.ts"
import * as TreeEnd from "./TreeEnd.ts"

const failed = (cause: unknown) => new SpawnFailed({ message: Spawn.explain(cause) })

/** A shell sets the limit and then becomes the program. */
export const withLimit = ({ command, memoryLimit }: Program): ReadonlyArray<string> =>
  memoryLimit === undefined || process.platform === "win32"
    ? command
    : ["/bin/sh", "-c", `ulimit -c 0; ulimit -d ${memoryLimit}; exec "$0" "$@"`, ...command]

const spawn = (program: Program): Effect.Effect<Child, SpawnFailed> => {
  const { cwd, env = inherited(), keepErrors = false, launcher, mayLeaveJobs = false } = program
  const started = Offspring.start({
    command: [...(launcher?.words([]) ?? []), ...withLimit(program)],
    ...defined({ cwd, files: launcher?.files }),
    env,
    stdout: "pipe",
    ...(keepErrors ? { stderr: "pipe" } : {}),
    mark: mayLeaveJobs ? Marks.ofOthers : Marks.ofPrograms
  })
  const expected = Effect.tap(started, (child) => {
    void child.exited.then(Orphans.expectFrom(child))
  })
  return Effect.mapError(expected, failed)
}

const textOf = async (source: Source | undefined): Promise<string> => {
  const utf8 = new TextDecoder()
  let text = ""
  for (let chunk = await source?.read(); chunk !== undefined; chunk = await source?.read())
    text += utf8.decode(chunk, { stream: true })
  return text + utf8.decode()
}

const follow = async (child: Child, onOutput: Program["onOutput"]): Promise<ProgramEnd> => {
  const { stdout } = child
  const errors = textOf(child.stderr)
  for (let chunk = await stdout?.read(); chunk !== undefined; chunk = await stdout?.read())
    if (!onOutput(chunk)) return { exitCode: undefined, errors: "" }
  const [, text] = await Promise.all([child.exited, errors])
  return { exitCode: ProcessTree.exitCode(child), errors: text }
}

/** Kills the whole group: a shell that waits for a child would leave it behind. */
const end = (child: Child) =>
  Effect.promise(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      TreeEnd.signal(-child.pid, "SIGKILL")
      await child.exited
    }
    child.stdout?.close()
    child.stderr?.close()
  })

const run = (program: Program): Effect.Effect<ProgramEnd, SpawnFailed> =>
  Effect.acquireUseRelease(
    spawn(program),
    (child) => Effect.tryPromise({ try: () => follow(child, program.onOutput), catch: failed }),
    end
  )

export const service = Processes.of({ run, tree: ProcessTree.make })

export const layer = Layer.succeed(Processes, service)
