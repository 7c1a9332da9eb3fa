/** Runs shell commands for the model and for the person behind the host. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The command was not run. A command that fails is a result. */
export class ShellFailure extends Schema.TaggedError<ShellFailure>()("ShellFailure", {
  reason: Schema.Literal("not_started", "closing"),
  message: Schema.String
}) {}

export interface ShellResult {
  /** The end of stdout and stderr, as much as fits into the limits. */
  readonly output: string
  /** Absent when the command was ended by us. */
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
  /** All of the output, when it was cut. */
  readonly fullOutputPath?: string
  readonly artifactId?: string
  /** Why an output that was cut could not be kept. */
  readonly artifactError?: string
  readonly durationMs: number
}

export interface ShellRequest {
  readonly command: string
  /** Absolute; default is the Shell's own working folder. */
  readonly cwd?: string
  /** On top of what every command gets. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * The folder for the full output of a command that says too much; asked when that happens. None, or no member at all:
   * a temporary folder that is removed with the Shell.
   */
  readonly artifacts?: Effect.Effect<Option.Option<string>>
  /** Default 300 s. */
  readonly timeoutMs?: number
  /** Runs once the process exists. */
  readonly onStarted?: Effect.Effect<void>
  /** Gets all output, in order, before the result; the command waits while it does. */
  readonly onDelta?: (delta: string) => Effect.Effect<void>
  /** Gets the end of the output so far, at most every 100 ms. */
  readonly onUpdate?: (output: string) => Effect.Effect<void>
  /** Runs when the call was interrupted, after everything that the command had started is gone. */
  readonly onInterrupted?: (result: ShellResult) => Effect.Effect<void>
}

export class Shell extends Context.Tag("heddle/services/Shell")<
  Shell,
  {
    /** Returns when the command has ended. An interrupt ends it and everything that it has started. */
    readonly run: (request: ShellRequest) => Effect.Effect<ShellResult, ShellFailure>
    /** The same for a command of the person; `cancelUser` makes it end with a result that says so. */
    readonly runForUser: (request: ShellRequest) => Effect.Effect<ShellResult, ShellFailure>
    /** Returns when the commands of the person are gone. */
    readonly cancelUser: Effect.Effect<void>
    readonly isUserRunning: Effect.Effect<boolean>
    /** From now on nothing is started, what runs for the person is cancelled, and what must end has less time to. */
    readonly close: Effect.Effect<void>
    /** Ends what commands have left in background; for the end of a session, when nothing runs any more. */
    readonly endBackground: Effect.Effect<void>
  }
>() {}
