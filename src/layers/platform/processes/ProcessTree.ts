/**
 * Shells and everything they start. A shell leads a process group and a session of its own; the layer's scope owns
 * them all, and a call owns its shell: leaving either one early ends the whole tree, TERM first, then KILL.
 */
import { rmSync, statSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as OutputPipe from "./OutputPipe.ts"
import * as OutputReader from "./OutputReader.ts"
import * as ProcessScan from "./ProcessScan.ts"
import * as ProcessWatch from "./ProcessWatch.ts"

export class SpawnFailed extends Data.TaggedError("SpawnFailed")<{ readonly message: string }> {}

export interface TreeOptions {
  readonly shellPath: string
  /** Milliseconds between TERM and KILL. */
  readonly grace: number
  /** How long after `hurry` was called KILL comes, whenever TERM was. */
  readonly hurriedGrace: number
}

export interface SpawnOptions extends ProcessWatch.WatchOptions {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly take: OutputReader.Take
}

export interface ShellProcess {
  readonly pid: number
  readonly isAlive: () => boolean
  /** The exit code is that of the shell, 128 + n when signal n ended it. */
  readonly next: Effect.Effect<ProcessWatch.Step>
  /** Returns when nothing of the tree is left, or even KILL did not help for a second, and the output is read. */
  readonly end: Effect.Effect<void>
  /** To be run when nobody waits any more. Ends the tree of a shell that still runs; what one left in background stays. */
  readonly release: Effect.Effect<void>
}

export interface ProcessTree {
  /** Whoever gets the process releases it. */
  readonly spawn: (options: SpawnOptions) => Effect.Effect<ShellProcess, SpawnFailed>
  /** From now on, and for what is being ended already, KILL follows sooner. */
  readonly hurry: Effect.Effect<void>
  /** Ends whatever is left, also what finished shells have left in background; the layer's scope does so at its end. */
  readonly endAll: Effect.Effect<void>
  /** Environment of every descendant holds this, so that they can be told from other processes. */
  readonly mark: string
}

/** Our own environment, from which that of a command is chosen. */
export const inherited = (): Readonly<Record<string, string | undefined>> => process.env

/** Linux takes 128 KiB in one argument. */
const longestArgument = 100_000
/** How long after KILL we look for survivors: only a process stuck in the kernel takes that long. */
const patience = 1000
/** What remains for those whose end begins when the hurried grace is over. */
const lastGrace = 50
/** Most trees are gone by then, and that is noticed without looking. */
const firstWait = 1
/** When a command has run so long, its family is looked at: an abort that comes later has less to find out. */
const firstLook = 150
/** How long after the end of a tree its output is waited for. */
const lateOutput = 250

const signal = (target: number, name: NodeJS.Signals) => {
  try {
    process.kill(target, name)
  } catch {
    return // gone already
  }
}

/** A timer takes a millisecond at least. */
const pause = (ms: number) => new Promise<void>((resume) => (ms < 1 ? setImmediate(resume) : setTimeout(resume, ms)))

const build = ({ grace, hurriedGrace, shellPath }: TreeOptions) => {
  const mark = crypto.randomUUID()
  let hurriedAt = Number.POSITIVE_INFINITY
  let count = 0
  /** Looked for once: a search for each command would be a dozen looks at folders. */
  let foundShell: string | undefined
  /** Of jobs that outlived their shell. */
  const openOutputs = new Set<OutputReader.OutputReader>()
  /** Leaders of groups that outlived their shell, where a mark cannot be looked for. */
  const left = new Set<number>()

  /**
   * Each round signals what it sees, so whatever escaped is found by the next one. Nobody is told twice, and who was told
   * may start something to tidy up with.
   */
  const endFamily = async (family: ProcessScan.Family, gone: Promise<unknown>) => {
    const began = performance.now()
    ProcessScan.noteDescendants(family)
    const told = new Set(family.leaders.map((pid) => -pid))
    for (const { group, pid } of family.known.values()) if (told.has(-group)) told.add(pid)
    for (const pid of family.leaders) {
      signal(-pid, "SIGTERM")
      signal(-pid, "SIGCONT") // a stopped process takes its TERM only now
    }
    let isGone = false
    void gone.then(() => {
      isGone = true
    })
    await Promise.race([gone, pause(firstWait)])
    let empty = 0
    for (let wait = 0.25; ; wait = Math.min(wait * 2, 25)) {
      const { alive, settled } = ProcessScan.scan(family)
      // On a machine where processes come and go all the time, no look is ever settled.
      if (alive.length === 0 && (settled || ++empty === 3)) return
      const now = performance.now()
      const deadline = Math.min(began + grace, Math.max(began + lastGrace, hurriedAt + hurriedGrace))
      if (now > deadline + patience) return
      if (now >= deadline || ProcessScan.ignoreTerm(alive)) {
        for (const target of alive) signal(target, "SIGKILL")
      } else {
        for (const target of ProcessScan.untold(family, told, alive)) {
          signal(target, "SIGTERM")
          told.add(target)
        }
      }
      if (alive.length > 0) await (isGone ? pause(wait) : Promise.race([gone, pause(wait)]))
    }
  }

  const toProcess = (shell: Shell): ShellProcess => ({
    pid: shell.child.pid,
    isAlive: () => isRunning(shell),
    next: shell.watch.next,
    end: Effect.promise(async () => {
      await end(shell)
      await shell.output.read(lateOutput)
    }),
    release: Effect.suspend(() => {
      if (!isRunning(shell)) return Effect.sync(() => leave(shell))
      return Effect.promise(() => end(shell).then(() => leave(shell)))
    })
  })

  const leave = ({ child, cleanUp, output, watch }: Shell) => {
    watch.stop()
    cleanUp()
    if (!ProcessScan.findsMarks) left.add(child.pid)
    const open = output.release()
    if (open === undefined) return
    openOutputs.add(output)
    void open.then(() => openOutputs.delete(output))
  }

  const spawn = (options: SpawnOptions) =>
    Effect.flatMap(Effect.runtime<never>(), (runtime) =>
      Effect.try({
        try: () => {
          foundShell ??= Bun.which(shellPath) ?? shellPath
          return toProcess(start([foundShell, shellPath], options, `${mark}.${++count}`, runtime))
        },
        catch: (cause) => new SpawnFailed({ message: explain(cause, shellPath, options.cwd) })
      })
    )

  /** The output ends with the last process that holds it, which is nearly always the last of the family. */
  const end = (shell: Shell) =>
    endFamily(
      shell.family,
      shell.child.exited.then(() => shell.output.read(1))
    )

  const endAll = async () => {
    hurriedAt = Math.min(hurriedAt, performance.now())
    if (count > 0) await endFamily({ leaders: [...left], mark: `${mark}.`, known: new Map() }, Promise.resolve())
    for (const { close } of openOutputs) close()
  }

  const tree: ProcessTree = {
    spawn,
    hurry: Effect.sync(() => {
      hurriedAt = Math.min(hurriedAt, performance.now())
    }),
    endAll: Effect.promise(endAll),
    mark
  }
  return tree
}

const isRunning = ({ child }: Shell): boolean => child.exitCode === null && child.signalCode === null

const exitCode = (code: number | null, by: Bun.Subprocess["signalCode"] | number): number =>
  by === null ? (code ?? 0) : 128 + (typeof by === "number" ? by : constants.signals[by])

interface Shell {
  readonly child: Bun.Subprocess
  readonly family: ProcessScan.Family
  readonly output: OutputReader.OutputReader
  readonly watch: ProcessWatch.ProcessWatch
  readonly cleanUp: () => void
}

/** A command too long for an argument is read from a file that only we can read. */
const asArguments = (command: string): { readonly args: ReadonlyArray<string>; readonly cleanUp: () => void } => {
  if (Buffer.byteLength(command) <= longestArgument) return { args: ["-c", command], cleanUp: () => undefined }
  const file = join(tmpdir(), `heddle-${crypto.randomUUID()}.sh`)
  writeFileSync(file, command, { mode: 0o600, flag: "wx" })
  return { args: [file], cleanUp: () => rmSync(file, { force: true }) }
}

const start = (
  [file, shellPath]: readonly [file: string, name: string],
  options: SpawnOptions,
  mark: string,
  runtime: Runtime.Runtime<never>
): Shell => {
  const { command, cwd, env, take } = options
  const pipe = OutputPipe.open()
  const { args, cleanUp } = asArguments(pipe === undefined ? `exec 2>&1\n${command}` : command)
  const watch = ProcessWatch.make(options)
  try {
    const child = Bun.spawn([file, ...args], {
      argv0: shellPath,
      cwd,
      env: { ...env, [ProcessScan.markVariable]: mark },
      detached: true,
      stdio: ["ignore", pipe?.input ?? "pipe", pipe?.input ?? "ignore"],
      onExit: (_, code, signal) => watch.exited(exitCode(code, signal))
    })
    const source =
      pipe ?? OutputPipe.fromStream(child.stdout instanceof ReadableStream ? child.stdout : new Blob().stream())
    const family = { leaders: [child.pid], mark, since: performance.now(), known: new Map<number, ProcessScan.Entry>() }
    const look = setTimeout(() => ProcessScan.scan(family), firstLook)
    const stop = () => {
      clearTimeout(look)
      cleanUp()
    }
    return { child, family, output: OutputReader.make(source, take, runtime, watch), watch, cleanUp: stop }
  } catch (cause) {
    watch.stop()
    pipe?.close()
    cleanUp()
    throw cause
  } finally {
    pipe?.closeInput()
  }
}

const explain = (cause: unknown, shellPath: string, cwd: string): string => {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) return `Working directory not found: ${cwd}`
  if (Predicate.hasProperty(cause, "code") && cause.code === "ENOENT") return `Shell not found: ${shellPath}`
  return `Command could not be started: ${cause instanceof Error ? cause.message : String(cause)}`
}

/** The scope that this is made in ends what all calls have left behind. */
export const make = (options: TreeOptions): Effect.Effect<ProcessTree, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => build(options)),
    ({ endAll }) => endAll
  )
