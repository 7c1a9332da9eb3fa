/**
 * Shells and everything they start. A shell leads a process group and a session of its own. The scope of the tree owns
 * all shells and a caller owns each of them: when either goes early, the whole tree gets TERM, then KILL.
 */
import { rmSync, statSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { defined } from "../../../domain/Values.ts"
import {
  type ProcessTree,
  type ShellProcess,
  type ShellSpawn,
  SpawnFailed,
  type TreeOptions
} from "../../../services/machine/Processes.ts"
import { clearTimeout, setTimeout } from "../engine/Primordials.ts"
import * as Marks from "./offspring/Marks.ts"
import * as Offspring from "./offspring/Offspring.ts"
import * as Orphans from "./offspring/Orphans.ts"
import * as OutputReader from "./OutputReader.ts"
import * as ProcessScan from "./ProcessScan.ts"
import * as Spawn from "./spawn/Spawn.ts"
import type { Child, Source } from "./spawn/Child.ts"
import * as TreeEnd from "./TreeEnd.ts"

interface Shell {
  readonly child: Child
  readonly family: ProcessScan.Family
  readonly output: OutputReader.OutputReader
  readonly cleanUp: () => void
}

/** Linux takes 128 KiB in one argument. */
const longestArgument = 100_000
/** A command that has run so long is scanned once: an abort that comes later has less to find out. */
const firstLook = 150
/** How long the output is waited for once the shell has exited or its tree is gone. */
const lateOutput = 250

const isRunning = ({ child }: Shell): boolean => child.exitCode === null && child.signalCode === null

/** Milliseconds that the output has to end after the exit of its shell, before a look for who keeps it open. */
const sameEnd = 1

/** The output ends with the last process that holds the pipe, which is nearly always the last of the family. */
const ends = ({ child, output }: Shell): ReadonlyArray<Promise<unknown>> => {
  const ended = output.ended.catch(() => undefined)
  return [child.exited.then(() => ended), child.exited.then(() => Promise.race([ended, TreeEnd.pause(sameEnd)]))]
}

const whenRead = (reading: () => Promise<void>, output: OutputReader.OutputReader) =>
  Effect.suspend(() =>
    output.isDone() ? Effect.promise(reading) : Effect.asVoid(Effect.timeoutOption(Effect.promise(reading), lateOutput))
  )

/** Of a child that has exited. */
export const exitCode = ({ exitCode: code, signalCode: by }: Child): number =>
  by === null ? (code ?? 0) : 128 + (typeof by === "number" ? by : constants.signals[by])

const never = new Promise<never>(() => undefined)

/** Dies when a chunk could not be taken. */
const exited = ({ child, output }: Shell) =>
  Effect.zipRight(
    Effect.promise(() => Promise.race([child.exited, output.ended.then(() => never)])),
    Effect.map(
      whenRead(() => output.ended, output),
      () => exitCode(child)
    )
  )

const build = ({ grace, shellPath }: TreeOptions): ProcessTree => {
  const mark = Marks.forTree()
  let count = 0
  /** Looked for once: each search would look into a dozen folders. */
  let foundShell: string | undefined
  /** Outputs of jobs that outlived their shell. */
  const openOutputs = new Set<OutputReader.OutputReader>()
  /** Leaders of groups that outlived their shell, on systems where marks cannot be looked for. */
  const left = new Set<number>()

  const end = (shell: Shell) =>
    Effect.clockWith((clock) => Effect.promise(() => TreeEnd.endFamily(shell.family, ends(shell), grace(), clock)))

  const leave = ({ child, cleanUp, output }: Shell) => {
    cleanUp()
    if (!ProcessScan.findsMarks) left.add(child.pid)
    const open = output.release()
    if (open === undefined) return
    openOutputs.add(output)
    void open.then(() => openOutputs.delete(output))
  }

  const toProcess = (shell: Shell): ShellProcess => ({
    pid: shell.child.pid,
    isAlive: () => isRunning(shell),
    exited: exited(shell),
    // A race of promises: this runs masked, where the loser of a race of fibers would be waited for. A reader that waits
    // for its host is let go by `release`, afterwards.
    end: Effect.zipRight(
      end(shell),
      Effect.promise(() => Promise.race([shell.output.ended.catch(() => undefined), TreeEnd.pause(lateOutput)]))
    ),
    release: Effect.suspend(() => {
      const left = Effect.sync(() => leave(shell))
      return isRunning(shell) ? Effect.zipRight(end(shell), left) : left
    })
  })

  const spawn = (options: ShellSpawn) =>
    Effect.gen(function* () {
      foundShell ??= (yield* Spawn.which(shellPath)) ?? shellPath
      return toProcess(yield* start([foundShell, shellPath], options, Marks.forCommand(mark, ++count)))
    }).pipe(Effect.mapError((cause) => new SpawnFailed({ message: explain(cause, shellPath, options.cwd) })))

  const endAll = (jobGrace: number) =>
    Effect.clockWith((clock) =>
      Effect.promise(async () => {
        const family = { leaders: [...left], mark, claims: Orphans.isLastTree, known: new Map() }
        if (count > 0) await TreeEnd.endFamily(family, [], jobGrace, clock)
        for (const { close } of openOutputs) close()
      })
    )

  return { spawn, endAll, mark }
}

interface Arguments {
  readonly args: ReadonlyArray<string>
  /** What the shell has to read. */
  readonly files: ReadonlyArray<string>
  readonly cleanUp: () => void
}

/** A command too long for an argument is read from a file that only its owner can read. */
const asArguments = (command: string, shellPath: string): Arguments => {
  // Behind the command is the name that the shell has in its messages.
  if (Buffer.byteLength(command) <= longestArgument)
    return { args: ["-c", command, shellPath], files: [], cleanUp: () => undefined }
  const file = join(tmpdir(), `heddle-${crypto.randomUUID()}.sh`)
  writeFileSync(file, command, { mode: 0o600, flag: "wx" })
  return { args: [file], files: [file], cleanUp: () => rmSync(file, { force: true }) }
}

const nothing: Source = { read: async () => undefined, close: () => undefined }

/** What is known of a shell that has just been started, and what ends with it. */
const toShell = (child: Child, mark: string, { cleanUp }: Arguments, output: OutputReader.OutputReader): Shell => {
  const family: ProcessScan.Family = {
    leaders: [child.pid],
    mark,
    since: performance.now(),
    claims: () => Orphans.isAlone(child),
    known: new Map()
  }
  const done = Orphans.expectFrom(child)
  const look = setTimeout(() => ProcessScan.scan(family), firstLook)
  const stop = () => {
    clearTimeout(look)
    done()
    cleanUp()
  }
  return { child, family, output, cleanUp: stop }
}

/** Uninterruptible, so that the caller gets the shell that it started. */
const start = Effect.fnUntraced(function* (
  [file, shellPath]: readonly [file: string, name: string],
  { command, cwd, env, launcher, take }: ShellSpawn,
  mark: string
) {
  const runtime = yield* Effect.runtime<never>()
  const pipe = yield* Spawn.openPipe
  const started = Effect.gen(function* () {
    const text = pipe === undefined ? `exec 2>&1\n${command}` : command
    const given = yield* Effect.try({ try: () => asArguments(text, shellPath), catch: (cause) => cause })
    const child = yield* Offspring.start({
      command: [...(launcher?.words(given.files) ?? []), file, ...given.args],
      cwd,
      ...defined({ files: launcher?.files }),
      env: { ...env, [ProcessScan.markVariable]: mark },
      stdout: pipe?.input ?? "pipe",
      ...defined({ stderr: pipe?.input }),
      mark
    }).pipe(Effect.tapError(() => Effect.sync(given.cleanUp)))
    return toShell(child, mark, given, OutputReader.make(pipe ?? child.stdout ?? nothing, take, runtime))
  })
  return yield* started.pipe(
    Effect.tapError(() => Effect.sync(() => pipe?.close())),
    Effect.ensuring(Effect.sync(() => pipe?.closeInput()))
  )
}, Effect.uninterruptible)

const explain = (cause: unknown, shellPath: string, cwd: string): string => {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) return `Working directory not found: ${cwd}`
  if (Spawn.codeOf(cause) === "ENOENT") return `Shell not found: ${shellPath}`
  return `Command could not be started: ${Spawn.explain(cause)}`
}

export const make = (options: TreeOptions): Effect.Effect<ProcessTree, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => ({ ...build(options), close: Orphans.openTree() })),
    ({ close, endAll }) => Effect.ensuring(endAll(options.jobGrace), Effect.sync(close))
  )
