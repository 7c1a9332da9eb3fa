/**
 * Starts programs: the one way from heddle to another process. A Layer that refuses commands, asks for approval or puts
 * them into a sandbox replaces this service. Contract only: the local one is in layers/machine/processes.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/** The program was not started. A program that fails is a result. */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", { message: Schema.String }) {}

export type Environment = Readonly<Record<string, string | undefined>>

/** A program that starts another one in its place, such as one that puts it into a sandbox. */
export interface Launcher {
  /**
   * What stands before the program and its arguments. `reads` are files of heddle's own that the program has to be able to read.
   */
  readonly words: (reads: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Descriptors that the launcher gets, as 3 and up. The caller closes them once the program has started. */
  readonly files: ReadonlyArray<number>
}

/** A program that runs for its output, without a shell tree of its own. */
export interface Program {
  /** Its name or path, then its arguments. */
  readonly command: ReadonlyArray<string>
  readonly cwd?: string
  /** The whole environment of the program; heddle's own without the secrets if absent. */
  readonly env?: Environment
  /** Gets stdout piece by piece. False: enough was seen, and the program is ended. */
  readonly onOutput: (chunk: Uint8Array) => boolean
  /** The most memory, in KiB, that the program may have. Linux holds it to that; other systems may not. */
  readonly memoryLimit?: number
  /** Whether stderr is read; it is discarded unless this is true. */
  readonly keepErrors?: boolean
  /**
   * Whether what it leaves running lives on when heddle ends: a program of the user, such as a password manager, may start an
   * agent of its own. A Layer that confines programs leaves these alone.
   */
  readonly mayLeaveJobs?: boolean
  /** Folders that heddle itself wants it to change, where a Layer that confines programs lets it change others or none. */
  readonly writes?: ReadonlyArray<string>
  readonly launcher?: Launcher
}

export interface ProgramEnd {
  /** 128 + n when signal n ended the program; undefined when `onOutput` had seen enough. */
  readonly exitCode: number | undefined
  /** What it wrote to stderr, if that was wanted. */
  readonly errors: string
}

export interface TreeOptions {
  readonly shellPath: string
  /** Milliseconds between TERM and KILL for a shell that is ended. Asked when TERM is sent. */
  readonly grace: () => number
  /** The same for background jobs that are left when the tree closes. */
  readonly jobGrace: number
}

export interface ShellSpawn {
  readonly command: string
  readonly cwd: string
  readonly env: Environment
  /** Gets stdout and stderr in the order of writing. The next chunk waits for the returned effect; most need none. */
  readonly take: (chunk: Uint8Array) => Effect.Effect<void> | undefined
  readonly launcher?: Launcher
}

export interface ShellProcess {
  readonly pid: number
  readonly isAlive: () => boolean
  /**
   * The shell's exit code, 128 + n when signal n ended it. Succeeds once its output is read, at most 250 ms after the
   * exit: a background job may hold the pipe open for ever.
   */
  readonly exited: Effect.Effect<number>
  /**
   * TERM to the shell and all its descendants, KILL after the grace, or at once where everything alive ignores TERM.
   * Returns when they are gone and their output is read, or when KILL has not helped for a second.
   */
  readonly end: Effect.Effect<void>
  /** Gives the process back. Ends the tree of a shell that is still running; background jobs of one that ended stay. */
  readonly release: Effect.Effect<void>
}

export interface ProcessTree {
  /** The caller has to release the process. */
  readonly spawn: (options: ShellSpawn) => Effect.Effect<ShellProcess, SpawnFailed>
  /** Ends everything that is left, including background jobs of shells that have ended. */
  readonly endAll: (grace: number) => Effect.Effect<void>
  /** A text in the environment of every descendant, which distinguishes them from other processes. */
  readonly mark: string
}

export class Processes extends Context.Tag("heddle/services/machine/Processes")<
  Processes,
  {
    /** Returns when the program and its process group are gone. An interrupt kills them first. */
    readonly run: (program: Program) => Effect.Effect<ProgramEnd, SpawnFailed>
    /** Shells start in the returned tree; closing the scope ends everything that is left of it. */
    readonly tree: (options: TreeOptions) => Effect.Effect<ProcessTree, never, Scope.Scope>
  }
>() {}
