/** One process from its start to its end: sends commands, matches responses by id, passes on all other frames. */
import { Child, type Exit } from "./Child.ts"
import { CommandFailed, LineTooLong, NotRunning, ProcessEnded, ProtocolError, StartFailed } from "./Errors.ts"
import type { CommandName, CommandParams, HeddleEvent, HostFrame, Response } from "./generated/Protocol.ts"
import type { Launch } from "./Launch.ts"
import * as Lines from "./Lines.ts"
import { Waits } from "./Waits.ts"

/** Options of one call. */
export interface CallOptions {
  /** How long to wait for the response; `0` means without a limit. Default: `requestTimeoutMs` of the client. */
  readonly timeoutMs?: number | undefined
  /** Ends the wait when it fires, and asks heddle to end the command. */
  readonly signal?: AbortSignal | undefined
}

export type CommandFrame<C extends CommandName> = { readonly type: C } & CommandParams[C]

export interface ConnectionOptions {
  readonly launch: Launch
  readonly maxLineLength: number
  readonly requestTimeoutMs: number
  readonly onEvent: (event: HeddleEvent) => void
  readonly onProblem: (problem: ProtocolError) => void
  readonly onStderr: (text: string) => void
  /** Once, with what all later calls fail with. */
  readonly onEnd: (reason: Error) => void
  /** Deadlines do not run out while this is true. */
  readonly isPaused: () => boolean
}

/** What `promptAndWait` and the like look at, after the listeners of the host have. */
export interface Watcher {
  readonly see: (event: HeddleEvent) => void
  /** heddle took back that it had accepted the prompt `id`. */
  readonly late: (id: string, failure: CommandFailed) => void
}

interface Asked {
  readonly command: string
  readonly receive: (response: Response) => void
  readonly fail: (reason: unknown) => void
}

/** These may take as long as they take. `NotResponding` ends them if the process hangs. */
const unlimited: ReadonlySet<string> = new Set(["bash", "compact", "export_html", "navigate_tree"])

const isFrame = (value: unknown): value is Response | HeddleEvent =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const failureOf = ({ code, command, data, error }: Response) =>
  new CommandFailed({ command, code: code ?? "", error: error ?? `${command} failed`, data })

export class Connection {
  readonly waits: Waits
  readonly ended: Promise<Exit>
  /** The program does not know `initialize`: it is one that heddle is compatible with. */
  isPeer = false
  /** When it last wrote, as `performance.now` counts. */
  heardAt = performance.now()
  private readonly child: Child
  private readonly asked = new Map<string, Asked>()
  private readonly watchers = new Set<Watcher>()
  private readonly options: ConnectionOptions
  private over: Error | undefined
  private count = 0

  constructor(options: ConnectionOptions) {
    this.options = options
    this.waits = new Waits(options.isPaused)
    const lines = Lines.make({
      maxLength: options.maxLineLength,
      onLine: (line) => this.receive(line),
      onTooLong: (beginning) => this.skip(beginning)
    })
    let end: (exit: Exit) => void = () => {}
    this.ended = new Promise((resolve) => (end = resolve))
    this.child = new Child(options.launch, {
      onOutput: (chunk) => {
        this.heardAt = performance.now()
        lines.push(chunk)
      },
      onOutputEnd: lines.end,
      onStderr: options.onStderr,
      onExit: (exit) => {
        this.close(exit.failure === undefined ? new ProcessEnded(exit, this.stderr) : new StartFailed(exit.failure, ""))
        options.onEnd(this.over ?? new NotRunning("the process has ended"))
        end(exit)
      }
    })
  }

  get stderr(): string {
    return this.child.stderr
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  get isOver(): boolean {
    return this.over !== undefined
  }

  nextId(): string {
    return `req_${++this.count}`
  }

  /** Sends a command. `read` gets a successful response when it arrives, before any later frame is looked at. */
  async ask<A>(
    frame: { readonly type: string },
    read: (response: Response) => A,
    call: CallOptions = {},
    id = this.nextId()
  ): Promise<A> {
    if (this.over !== undefined) throw this.over
    call.signal?.throwIfAborted()
    const text = `${JSON.stringify({ id, ...frame })}\n`
    const wait = this.waits.begin<A>({
      waitedFor: `the response to ${frame.type}`,
      timeoutMs: call.timeoutMs ?? (unlimited.has(frame.type) ? 0 : this.options.requestTimeoutMs),
      signal: call.signal,
      onEnd: () => this.asked.delete(id),
      onGivenUp: () => this.cancel(id)
    })
    this.asked.set(id, {
      command: frame.type,
      receive: (response) => (response.success ? wait.resolve(read(response)) : wait.reject(failureOf(response))),
      fail: wait.reject
    })
    this.child.write(text)
    return wait.promise
  }

  /** Sends a frame that gets no response. */
  post(frame: HostFrame): void {
    if (this.over === undefined) this.child.write(`${JSON.stringify(frame)}\n`)
  }

  /** Returns the function that ends it. */
  watch(watcher: Watcher): () => void {
    this.watchers.add(watcher)
    return () => void this.watchers.delete(watcher)
  }

  /** Fails all waits and ends the process: closes its input, then SIGTERM, then SIGKILL. */
  stop(): Promise<Exit> {
    this.close(new NotRunning("the client was stopped"))
    this.child.stop()
    return this.ended
  }

  private close(reason: Error): void {
    if (this.over !== undefined) return
    this.over = reason
    this.waits.close(reason)
  }

  private receive(line: string): void {
    let frame: unknown
    try {
      frame = JSON.parse(line)
    } catch (cause) {
      if (line.trim() !== "") this.options.onProblem(new ProtocolError("a line of stdout is not JSON", { line, cause }))
      return
    }
    if (!isFrame(frame)) return this.options.onProblem(new ProtocolError("a line of stdout is not a frame", { line }))
    if (frame.type === "response") return this.settle(frame)
    this.options.onEvent(frame)
    for (const { see } of this.watchers) see(frame)
  }

  private settle(response: Response): void {
    const id = response.id ?? response.requestId
    const asked = id === undefined ? this.onlyOneFor(response) : this.asked.get(String(id))
    if (asked !== undefined) return asked.receive(response)
    if (response.success) return
    const failure = failureOf(response)
    if (response.command.endsWith("prompt")) for (const { late } of this.watchers) late(String(id), failure)
    if (id === undefined) this.options.onProblem(new ProtocolError(failure.message, { cause: failure }))
  }

  /** Old programs leave the id out when they refuse a command. */
  private onlyOneFor({ command, success }: Response): Asked | undefined {
    if (success) return undefined
    const fitting = [...this.asked.values()].filter((asked) => command === "parse" || asked.command === command)
    return fitting.length === 1 ? fitting[0] : undefined
  }

  /** The caller of the command waits no longer, so heddle need not go on. */
  private cancel(targetId: string): void {
    if (this.over !== undefined || this.isPeer) return
    this.child.write(`${JSON.stringify({ id: this.nextId(), type: "cancel", targetId })}\n`)
  }

  private skip(beginning: string): void {
    const message = `a line of stdout is longer than ${this.options.maxLineLength} characters`
    const id = /^\{"id":"([^"]*)","type":"response"/.exec(beginning)?.[1]
    if (id !== undefined) this.asked.get(id)?.fail(new LineTooLong(message))
    this.options.onProblem(new ProtocolError(message, { line: beginning }))
  }
}
