/** Why a call of the client failed. A `switch` or Effect's `catchTag` tells the classes apart by `_tag`. */
import type { RunFailure, RunMessage } from "./generated/Protocol.ts"

/** How much of stderr is put into a message. */
const shownStderr = 2000

const withStderr = (message: string, stderr: string): string => {
  const tail = stderr.trimEnd().slice(-shownStderr)
  return tail === "" ? message : `${message}\n${tail}`
}

/** The name of the class as `_tag` and as name. */
const tagged = <Tag extends string>(tag: Tag) =>
  class extends Error {
    readonly _tag = tag
    override readonly name = tag
  }

/** heddle refused a command. `code` is for programs (docs/rpc.md lists them), the message for people. */
export class CommandFailed extends tagged("CommandFailed") {
  readonly command: string
  readonly code: string
  readonly data: unknown
  constructor(refusal: {
    readonly command: string
    readonly code: string
    readonly error: string
    readonly data?: unknown
  }) {
    super(refusal.error)
    this.command = refusal.command
    this.code = refusal.code
    this.data = refusal.data
  }
}

/** The process could not be started, or did not speak the protocol in time. */
export class StartFailed extends tagged("StartFailed") {
  readonly stderr: string
  constructor(message: string, stderr: string) {
    super(withStderr(message, stderr))
    this.stderr = stderr
  }
}

/** The process has ended without being asked to. The message ends with the tail of its stderr. */
export class ProcessEnded extends tagged("ProcessEnded") {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stderr: string
  constructor(exit: { readonly code: number | null; readonly signal: string | null }, stderr: string) {
    const how = exit.signal === null ? `with exit code ${exit.code}` : `by ${exit.signal}`
    super(withStderr(`the process ended ${how}`, stderr))
    this.exitCode = exit.code
    this.signal = exit.signal
    this.stderr = stderr
  }
}

/** `stop` was called, or the client was never started. */
export class NotRunning extends tagged("NotRunning") {}

/** What was waited for did not come within the deadline. */
export class DeadlineExceeded extends tagged("DeadlineExceeded") {
  readonly timeoutMs: number
  constructor(waitedFor: string, timeoutMs: number) {
    super(`${waitedFor}: not within ${timeoutMs} ms`)
    this.timeoutMs = timeoutMs
  }
}

/** The process is there, but was silent and did not answer `ping`. */
export class NotResponding extends tagged("NotResponding") {}

/** The response was longer than `maxLineLength`, and was not read. */
export class LineTooLong extends tagged("LineTooLong") {}

/** The run of a prompt ended with an error. `messages` are those of the run. */
export class PromptFailed extends tagged("PromptFailed") {
  readonly messages: ReadonlyArray<RunMessage>
  /** Provider, model, HTTP status; undefined if the program sends no `prompt_result`. */
  readonly failure: RunFailure | undefined
  constructor(message: string, messages: ReadonlyArray<RunMessage>, failure?: RunFailure) {
    super(message)
    this.messages = messages
    this.failure = failure
  }
}

export type RpcError =
  | CommandFailed
  | StartFailed
  | ProcessEnded
  | NotRunning
  | DeadlineExceeded
  | NotResponding
  | LineTooLong
  | PromptFailed

const classes = [
  CommandFailed,
  StartFailed,
  ProcessEnded,
  NotRunning,
  DeadlineExceeded,
  NotResponding,
  LineTooLong,
  PromptFailed
] as const

/** Whether the client made this error; anything else was thrown by a callback of the host, or is a reason of its signal. */
export const isRpcError = (error: unknown): error is RpcError => classes.some((kind) => error instanceof kind)

/** Not the failure of a call: a line that is no frame, or a listener of the host that threw. See `onProtocolError`. */
export class ProtocolError extends tagged("ProtocolError") {
  /** The beginning of the line, if it was one. */
  readonly line: string | undefined
  constructor(message: string, details: { readonly line?: string; readonly cause?: unknown } = {}) {
    super(message, "cause" in details ? { cause: details.cause } : {})
    this.line = details.line?.slice(0, 1000)
  }
}
