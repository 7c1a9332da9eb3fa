/**
 * Shells and everything they start. A shell leads a process group and a session of its own; the layer's scope owns
 * them all, and a call's scope owns its shell: leaving either one early ends the whole tree, TERM first, then KILL.
 */
import { rmSync, statSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as OutputPipe from "./OutputPipe.ts"
import * as ProcessScan from "./ProcessScan.ts"

export class SpawnFailed extends Data.TaggedError("SpawnFailed")<{ readonly message: string }> {}

export interface TreeOptions {
  readonly shellPath: string
  /** Milliseconds between TERM and KILL. */
  readonly grace: number
  /** The same once `hurry` was called. */
  readonly hurriedGrace: number
}

export interface SpawnOptions {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface ShellProcess {
  readonly pid: number
  /**
   * Hands on stdout and stderr together, to the end. An answer is waited for before more is read; most chunks need
   * none, and then nothing but a promise is made for them.
   */
  readonly readAll: (take: (chunk: Uint8Array) => Effect.Effect<void> | undefined) => Effect.Effect<void>
  /** The exit code of the shell, 128 + n when signal n ended it. What it has started may go on. */
  readonly exited: Effect.Effect<number>
  /** Returns when nothing of the tree is left, or even KILL did not help for a second. */
  readonly end: Effect.Effect<void>
}

export interface ProcessTree {
  /** When the scope closes before the shell has exited, the tree is ended; what it left in background is not. */
  readonly spawn: (options: SpawnOptions) => Effect.Effect<ShellProcess, SpawnFailed, Scope.Scope>
  /** From now on, and for what is being ended already, KILL follows sooner. */
  readonly hurry: Effect.Effect<void>
  /** Environment of every descendant holds this, so that they can be told from other processes. */
  readonly mark: string
}

/** Our own environment, from which that of a command is chosen. */
export const inherited: Effect.Effect<Readonly<Record<string, string | undefined>>> = Effect.sync(() => process.env)

/** Linux takes 128 KiB in one argument. */
const longestArgument = 100_000
/** How long after KILL we look for survivors: only a process stuck in the kernel takes that long. */
const patience = 1000
/** A job left in background may write that much more before it loses its reader. */
const drainLimit = 64 * 1024 * 1024

const signal = (target: number, name: NodeJS.Signals) => {
  try {
    process.kill(target, name)
  } catch {
    return // gone already
  }
}

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms))

const build = ({ grace, hurriedGrace, shellPath }: TreeOptions) => {
  const mark = crypto.randomUUID()
  let hurriedAt = Number.POSITIVE_INFINITY
  let count = 0
  const backgroundPipes = new Set<() => void>()
  /** Leaders of groups that outlived their shell, where a mark cannot be looked for. */
  const left = new Set<number>()

  /** Each round signals what it sees, so whatever is forked meanwhile is found by the next one. */
  const endFamily = async (family: ProcessScan.Family, gone: Promise<unknown>) => {
    const began = performance.now()
    ProcessScan.scan(family)
    for (const pid of family.leaders) {
      signal(-pid, "SIGTERM")
      signal(-pid, "SIGCONT") // a stopped process takes its TERM only now
    }
    await Promise.race([gone, pause(5)])
    let empty = 0
    for (let wait = 1; ; wait = Math.min(wait * 2, 25)) {
      const { alive, settled } = ProcessScan.scan(family)
      // On a machine where processes come and go all the time, no look is ever settled.
      if (alive.length === 0 && (settled || ++empty === 3)) return
      const now = performance.now()
      const deadline = Math.min(began + grace, Math.max(began, hurriedAt) + hurriedGrace)
      if (now > deadline + patience) return
      for (const target of alive) signal(target, now >= deadline ? "SIGKILL" : "SIGTERM")
      if (alive.length > 0) await pause(wait)
    }
  }

  /** Keeps a background job from dying of a closed pipe, and a noisy one from keeping us busy for ever. */
  const drain = async (pipe: Pick<OutputPipe.OutputPipe, "close" | "read">) => {
    backgroundPipes.add(pipe.close)
    for (let read = 0; read < drainLimit;) {
      const chunk = await pipe.read().catch(() => undefined)
      if (chunk === undefined) break
      read += chunk.length
    }
    backgroundPipes.delete(pipe.close)
    pipe.close()
  }

  const spawn = (options: SpawnOptions) =>
    Effect.acquireRelease(
      Effect.try({
        try: () => start(shellPath, options, `${mark}.${++count}`),
        catch: (cause) => new SpawnFailed({ message: explain(cause, shellPath, options.cwd) })
      }),
      (shell) =>
        Effect.promise(async () => {
          if (shell.child.exitCode === null && shell.child.signalCode === null) await end(shell)
          if (!ProcessScan.findsMarks) left.add(shell.child.pid)
          if (shell.ended()) shell.pipe.close()
          else void drain(shell.pipe)
          shell.cleanUp()
        })
    ).pipe(
      Effect.map((shell): ShellProcess => ({
        pid: shell.child.pid,
        readAll: (take) => readAll(shell, take),
        exited: Effect.promise(async () => exitCode(await shell.child.exited, shell.child.signalCode)),
        end: Effect.promise(() => end(shell))
      }))
    )

  const end = (shell: Shell) =>
    endFamily({ leaders: [shell.child.pid], mark: shell.mark, known: new Map() }, shell.child.exited)

  const endAll = async () => {
    hurriedAt = Math.min(hurriedAt, performance.now())
    if (count > 0) await endFamily({ leaders: [...left], mark: `${mark}.`, known: new Map() }, Promise.resolve())
    for (const close of backgroundPipes) close()
  }

  const tree: ProcessTree = {
    spawn,
    hurry: Effect.sync(() => {
      hurriedAt = Math.min(hurriedAt, performance.now())
    }),
    mark
  }
  return { tree, endAll }
}

const readAll = (shell: Shell, take: Parameters<ShellProcess["readAll"]>[0]): Effect.Effect<void> =>
  Effect.flatMap(Effect.runtime<never>(), (runtime) =>
    Effect.promise(async (signal) => {
      while (!signal.aborted) {
        const chunk = await shell.read()
        if (chunk === undefined) return
        const wait = take(chunk)
        if (wait !== undefined) await Runtime.runPromise(runtime)(wait, { signal })
      }
    })
  )

const exitCode = (code: number, by: Bun.Subprocess["signalCode"]): number =>
  by === null ? code : 128 + (typeof by === "number" ? by : constants.signals[by])

interface Shell {
  readonly child: Bun.Subprocess
  readonly mark: string
  readonly pipe: Pick<OutputPipe.OutputPipe, "close" | "read">
  readonly read: () => Promise<Uint8Array | undefined>
  readonly ended: () => boolean
  readonly cleanUp: () => void
}

/** A command too long for an argument is read from a file that only we can read. */
const asArguments = (command: string): { readonly args: ReadonlyArray<string>; readonly cleanUp: () => void } => {
  if (Buffer.byteLength(command) <= longestArgument) return { args: ["-c", command], cleanUp: () => undefined }
  const file = join(tmpdir(), `heddle-${crypto.randomUUID()}.sh`)
  writeFileSync(file, command, { mode: 0o600, flag: "wx" })
  return { args: [file], cleanUp: () => rmSync(file, { force: true }) }
}

const start = (shellPath: string, { command, cwd, env }: SpawnOptions, mark: string): Shell => {
  const pipe = OutputPipe.open()
  const { args, cleanUp } = asArguments(pipe === undefined ? `exec 2>&1\n${command}` : command)
  const options = { cwd, env: { ...env, [ProcessScan.markVariable]: mark }, detached: true } as const
  try {
    const child = Bun.spawn([shellPath, ...args], {
      ...options,
      stdio: ["ignore", pipe?.input ?? "pipe", pipe?.input ?? "ignore"]
    })
    const source =
      pipe ?? OutputPipe.fromStream(child.stdout instanceof ReadableStream ? child.stdout : new Blob().stream())
    let ended = false
    const read = async () => {
      const chunk = await source.read()
      if (chunk === undefined) ended = true
      return chunk
    }
    return { child, mark, pipe: source, read, ended: () => ended, cleanUp }
  } catch (cause) {
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
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => build(options)),
      ({ endAll }) => Effect.promise(endAll)
    ),
    ({ tree }) => tree
  )
