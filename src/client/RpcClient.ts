/** A client of `heddle --mode rpc`: starts the process, sends commands, passes on events. No call of it can wait for ever. */
import type { CallOptions, CommandFrame } from "./Connection.ts"
import type { Exit } from "./Child.ts"
import { Connection } from "./Connection.ts"
import { Dialogs, headless, type HeadlessAnswers, type UiAnswer, type UiHandler } from "./Dialogs.ts"
import { CommandFailed, DeadlineExceeded, NotRunning, ProtocolError, StartFailed } from "./Errors.ts"
import { Commands } from "./generated/Commands.ts"
import type {
  CommandData,
  CommandName,
  EventName,
  Events,
  HeddleEvent,
  InitializeData,
  InitializeParams,
  PromptOptions,
  Response
} from "./generated/Protocol.ts"
import { type CustomTool, definitionOf, HostTools } from "./HostTools.ts"
import { type LaunchOptions, launchOf } from "./Launch.ts"
import { Listeners } from "./Listeners.ts"
import * as Liveness from "./Liveness.ts"
import * as Runs from "./Runs.ts"

export interface RpcClientOptions extends LaunchOptions {
  readonly customTools?: ReadonlyArray<CustomTool> | undefined
  /** Default deadline of a response: 30000. `bash`, `compact`, `export_html` and `navigate_tree` have none. */
  readonly requestTimeoutMs?: number | undefined
  /** Deadline of `start`: 30000. */
  readonly startTimeoutMs?: number | undefined
  /** A process that is silent for so long while a call without deadline waits is asked for a sign of life: 30000. */
  readonly livenessMs?: number | undefined
  /** Longer lines are skipped and reported. Default: 256 Mi characters. */
  readonly maxLineLength?: number | undefined
  /** For `initialize`. Default form of message updates: `delta`. `false`: a program that must not be sent `initialize`. */
  readonly initialize?: InitializeParams | false | undefined
}

/** How long to wait for `ready` of a program that is not sent `initialize`: some have no such frame. */
const readyMs = 200
const idleMs = 60_000

const isDataOf = <C extends CommandName>(
  command: C,
  response: Response
): response is Response & { readonly data: CommandData[C] } => response.command === command

const isOfType = <T extends EventName>(type: T, event: HeddleEvent): event is Events[T] & HeddleEvent =>
  event.type === type

export class RpcClient extends Commands {
  private readonly options: RpcClientOptions
  private readonly problems = new Listeners<ProtocolError>(() => undefined)
  private readonly events = new Listeners<HeddleEvent>((cause) => this.threw(cause))
  private readonly stderrTexts = new Listeners<string>((cause) => this.threw(cause))
  private readonly ends = new Listeners<Error>((cause) => this.threw(cause))
  private readonly dialogs = new Dialogs(
    (frame) => this.connection?.post(frame),
    (cause) => this.threw(cause)
  )
  private readonly tools = new HostTools((frame) => this.connection?.post(frame))
  private connection: Connection | undefined
  private starting: Promise<void> | undefined
  private stops = 0
  private initialized: InitializeData | undefined

  constructor(options: RpcClientOptions = {}) {
    super()
    this.options = options
    this.tools.replace(options.customTools ?? [])
  }

  /** The answer of heddle to `initialize`; undefined before, and if the program is none that knows `initialize`. */
  get server(): InitializeData | undefined {
    return this.initialized
  }

  /** The process that was started, if it runs. */
  get pid(): number | undefined {
    return this.isRunning ? this.connection?.pid : undefined
  }

  get isRunning(): boolean {
    return this.connection?.isOver === false
  }

  /** Starts the process and resolves when it takes commands. Does nothing if it runs. If it fails, nothing is left. */
  start(): Promise<void> {
    if (this.starting !== undefined) return this.starting
    if (this.isRunning) return Promise.resolve()
    const starting = this.open().finally(() => (this.starting = undefined))
    this.starting = starting
    return starting
  }

  /** Rejects what is pending, closes stdin, and ends a process that has not ended after 3 s. Events come until then. */
  async stop(): Promise<Exit | undefined> {
    this.stops++
    return this.connection?.stop()
  }

  /** Starts anew after a death, or ends what runs and starts again. Handlers and tools stay; the session is a new one. */
  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async request<C extends CommandName>(frame: CommandFrame<C>, call?: CallOptions): Promise<CommandData[C]> {
    const response = await this.live().ask(frame, (response) => response, call)
    if (!isDataOf(frame.type, response))
      throw new ProtocolError(`the response to ${frame.type} is for ${response.command}`)
    return response.data
  }

  /** Sends any frame, also one that this version of the client does not know, and resolves with the whole response. */
  async requestRaw(
    frame: { readonly type: string; readonly [member: string]: unknown },
    call?: CallOptions
  ): Promise<Response> {
    return this.live().ask(frame, (response) => response, call)
  }

  /**
   * Sends a prompt and resolves at the end of its run, after all retries. Rejects with `PromptFailed` if the run failed. When
   * the signal fires or the deadline has passed, it aborts the run, or takes the prompt out of the queue, and rejects.
   */
  async promptAndWait(message: string, options?: PromptOptions, call?: CallOptions): Promise<Runs.PromptOutcome> {
    return Runs.promptAndWait(this.live(), { ...options, message }, call)
  }

  /**
   * The same for `for await (const event of client.run("…"))`: the events up to the end of the run, and `outcome` with how it
   * ended. Leaving the loop early aborts the run.
   */
  run(message: string, options?: PromptOptions, call?: CallOptions): Runs.Run {
    return new Runs.Run(this.live(), { ...options, message }, call)
  }

  /** Resolves when the session has nothing left to do; at once if that is so. The default deadline is a minute. */
  async waitForIdle(call?: CallOptions): Promise<void> {
    return Runs.waitForIdle(this.live(), { ...call, timeoutMs: call?.timeoutMs ?? idleMs })
  }

  /** All events from now until the session has nothing left to do. The default deadline is a minute. */
  async collectEvents(call?: CallOptions): Promise<ReadonlyArray<HeddleEvent>> {
    return Runs.collectEvents(this.live(), { ...call, timeoutMs: call?.timeoutMs ?? idleMs })
  }

  /** Calls the function with every frame that is no response, in order. Returns the function that ends it. */
  onEvent(listener: (event: HeddleEvent) => unknown): () => void {
    return this.events.add(listener)
  }

  /** The same for one type of events. */
  on<T extends EventName>(type: T, listener: (event: Events[T]) => unknown): () => void {
    return this.events.add((event) => (isOfType(type, event) ? listener(event) : undefined))
  }

  /** Answers questions to the user. Without a handler they get their defaults: no, or cancelled. */
  onUiRequest(handler: UiHandler): () => void {
    return this.dialogs.add(handler)
  }

  /** Answers a question whose handler returned nothing. Returns false if it is not open any more. */
  respondUi(id: string, answer: UiAnswer): boolean {
    return this.dialogs.respond(id, answer)
  }

  /** Answers questions without a user. */
  installHeadlessUi(answers: HeadlessAnswers = {}): () => void {
    return this.dialogs.add(headless(answers))
  }

  /** Calls the function with lines that are no frames, and with what listeners and handlers of the host throw. */
  onProtocolError(listener: (problem: ProtocolError) => unknown): () => void {
    return this.problems.add(listener)
  }

  onStderr(listener: (text: string) => unknown): () => void {
    return this.stderrTexts.add(listener)
  }

  /** Calls the function when the process has ended: `ProcessEnded`, `StartFailed`, or `NotRunning` after `stop`. */
  onEnd(listener: (reason: Error) => unknown): () => void {
    return this.ends.add(listener)
  }

  /** The last 64 KiB of stderr, also of a process that has ended. */
  getStderr(): string {
    return this.connection?.stderr ?? ""
  }

  /** Replaces the tools of the host, also inside a run. If heddle refuses one of them, the old ones stay. */
  async setCustomTools(tools: ReadonlyArray<CustomTool>, call?: CallOptions): Promise<ReadonlyArray<string>> {
    const { toolNames } = await this.setHostTools(tools.map(definitionOf), call)
    this.tools.replace(tools)
    return toolNames
  }

  private live(): Connection {
    if (this.connection === undefined) throw new NotRunning("call start() first")
    return this.connection
  }

  private async open(): Promise<void> {
    const { stops } = this
    if (this.connection !== undefined) await this.connection.ended // stopped, but still there
    if (stops !== this.stops) throw new NotRunning("the client was stopped")
    const { requestTimeoutMs = 30_000 } = this.options
    const connection = new Connection({
      launch: launchOf(this.options),
      maxLineLength: this.options.maxLineLength ?? 268_435_456,
      requestTimeoutMs,
      onEvent: (event) => this.receive(event),
      onProblem: (problem) => this.problems.emit(problem),
      onStderr: (text) => this.stderrTexts.emit(text),
      onEnd: (reason) => {
        unwatch()
        this.tools.cancelAll(reason)
        this.dialogs.withdrawAll()
        this.ends.emit(reason)
      },
      isPaused: () => this.dialogs.isWaiting
    })
    let unwatch = () => {}
    this.connection = connection
    this.initialized = undefined
    try {
      await this.handshake(connection)
      const { livenessMs = 30_000 } = this.options
      if (livenessMs > 0 && !connection.isPeer && !connection.isOver) unwatch = Liveness.watch(connection, livenessMs)
      if (this.tools.definitions.length > 0) await this.setHostTools(this.tools.definitions)
    } catch (error) {
      await connection.stop()
      throw error
    }
  }

  private async handshake(connection: Connection): Promise<void> {
    const { initialize = {}, startTimeoutMs = 30_000 } = this.options
    if (initialize === false) return this.waitForReady(connection)
    const capabilities = { messageUpdates: "delta" as const, ...initialize.capabilities }
    const clientInfo = { name: "heddle/client", ...initialize.clientInfo }
    const frame = { ...initialize, type: "initialize" as const, capabilities, clientInfo }
    try {
      const read = (response: Response) => (isDataOf("initialize", response) ? response.data : undefined)
      this.initialized = await connection.ask(frame, read, { timeoutMs: startTimeoutMs })
    } catch (error) {
      if (error instanceof DeadlineExceeded)
        throw new StartFailed(`the process did not answer within ${startTimeoutMs} ms`, connection.stderr)
      if (!(error instanceof CommandFailed)) throw error
      connection.isPeer = true // pi and omp refuse the command: they are ready, and know the others
    }
  }

  private async waitForReady(connection: Connection): Promise<void> {
    connection.isPeer = true
    const ready = connection.waits.begin<void>({ waitedFor: "ready", timeoutMs: readyMs })
    const unwatch = connection.watch({
      see: (event) => (event.type === "ready" ? ready.resolve() : undefined),
      late: () => undefined
    })
    await ready.promise.catch((error: unknown) => {
      if (!(error instanceof DeadlineExceeded)) throw error
    })
    unwatch()
  }

  private receive(event: HeddleEvent): void {
    this.events.emit(event)
    if (event.type === "host_tool_call") this.tools.call(event)
    else if (event.type === "host_tool_cancel") this.tools.cancel(event)
    else if (event.type === "extension_ui_request") this.dialogs.receive(event)
  }

  private threw(cause: unknown): void {
    const problem = new ProtocolError("a listener or handler of the host threw an error", { cause })
    if (this.problems.isEmpty) process.emitWarning(String(cause), "HeddleClientWarning")
    else this.problems.emit(problem)
  }
}
