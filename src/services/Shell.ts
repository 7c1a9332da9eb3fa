/** Runs shell commands for the model and for the user. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { OrInterrupted } from "./fibers/Interrupted.ts"
import type { Escalated, Judged } from "./machine/Sandbox.ts"

/** The command was not run. A command that fails is a result. The last three: it may not happen, or nobody could say so. */
export class ShellFailure extends Schema.TaggedError<ShellFailure>()("ShellFailure", {
  reason: Schema.Literal("not_started", "closing", "denied", "approval_timeout", "approval_unavailable"),
  message: Schema.String
}) {}

export interface ShellResult {
  /** The end of stdout and stderr, as much as fits into the limits. */
  readonly output: string
  /** Absent when heddle ended the command. */
  readonly exitCode?: number
  readonly cancelled: boolean
  readonly timedOut: boolean
  readonly truncated: boolean
  readonly truncatedBy: "lines" | "bytes" | null
  readonly lastLinePartial: boolean
  readonly totalLines: number
  readonly totalBytes: number
  readonly outputLines: number
  readonly outputBytes: number
  readonly maxLines: number
  readonly maxBytes: number
  /** The file with the full output, when `output` is cut. */
  readonly fullOutputPath?: string
  readonly artifactId?: string
  /** Why there is no file with the full output. */
  readonly artifactError?: string
  readonly durationMs: number
  /** Absent where no sandbox has held the command. */
  readonly sandbox?: Judged
}

export type OtherMeans = (
  onOutput: (text: string) => void
) => Effect.Effect<number | undefined, { readonly message: string }>

export interface ShellRequest {
  readonly command: string
  /** Absolute; default is the Shell's own working folder. */
  readonly cwd?: string
  /** Added to the environment of every command. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * The folder for the full output of a command that says too much; asked when that happens. None, or no member at all:
   * a temporary folder that is removed with the Shell.
   */
  readonly artifacts?: Effect.Effect<Option.Option<string>>
  /** Default 300 s. */
  readonly timeoutMs?: number
  /** Runs the command in place of a process, and answers its exit code. An interrupt ends it. */
  readonly instead?: OtherMeans
  /** Asked before a command of the user starts: what runs it in place of a process, if anything. `cancelUser` ends it. */
  readonly ask?: Effect.Effect<OtherMeans | undefined>
  /**
   * Called behind `ask`: whether a command of the user may run, if that is a question at all. It fails if the command may not
   * run, and answers what was decided about the sandbox. `cancelUser` interrupts it, and the command ends without having begun.
   */
  readonly approve?: () => Effect.Effect<Escalated | undefined, ShellFailure> | undefined
  /** What was decided about the sandbox. */
  readonly escalation?: Escalated
  /** Runs when the process has started. */
  readonly onStarted?: Effect.Effect<void>
  /** Gets all output, in order, before the result. The command waits for it. */
  readonly onDelta?: (delta: string) => Effect.Effect<void>
  /** Gets the end of the output so far, at most every 100 ms. */
  readonly onUpdate?: (output: string) => Effect.Effect<void>
  /** Wraps the command, for a caller who answers when it is interrupted. All its processes are gone by then. */
  readonly orInterrupted?: OrInterrupted<ShellResult>
}

export class Shell extends Context.Tag("heddle/services/Shell")<
  Shell,
  {
    /** Returns when the command has ended. An interrupt ends it with all its processes. */
    readonly run: (request: ShellRequest) => Effect.Effect<ShellResult, ShellFailure>
    /** Runs a command of the user. `cancelUser` ends it with a result that is `cancelled`. */
    readonly runForUser: (request: ShellRequest) => Effect.Effect<ShellResult, ShellFailure>
    /** Ends the user's commands and returns when they are gone. */
    readonly cancelUser: Effect.Effect<void>
    readonly isUserRunning: Effect.Effect<boolean>
    /** Refuses new commands and cancels those of the user. Commands that are ended from now on have longer to tidy up. */
    readonly close: Effect.Effect<void>
    /**
     * Ends the background jobs that commands have left. For the end of a session, when no command runs. After a signal there
     * is no time to let them tidy up.
     */
    readonly endBackground: (cause: "end" | "signal") => Effect.Effect<void>
  }
>() {}
