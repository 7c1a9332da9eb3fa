/** Waiting for the end of runs. A run ends with its `prompt_result`; `agent_end` comes too early. */
import type { CallOptions } from "./Connection.ts"
import type { Connection, Watcher } from "./Connection.ts"
import { PromptFailed } from "./Errors.ts"
import type {
  AssistantMessage,
  HeddleEvent,
  PromptParams,
  PromptResultEvent,
  RunMessage
} from "./generated/Protocol.ts"
import { onLimit, withResolvers } from "./Waits.ts"

export interface PromptOutcome {
  readonly status: "completed" | "aborted"
  /** The text of the last assistant message; empty if there is none. */
  readonly text: string
  /** All messages of the run. */
  readonly messages: ReadonlyArray<RunMessage>
  /** False if no model was asked: a slash command or an extension has handled the prompt. */
  readonly agentInvoked: boolean
}

/** `abort` answers within 5 s also if the disk does not. */
const abortMs = 8000
/** How long a program without end markers may be silent after `agent_end` before the run counts as ended. */
const peerQuietMs = 300

const lastAnswer = (messages: ReadonlyArray<RunMessage>): AssistantMessage | undefined => {
  const last = messages.findLast((message) => message.role === "assistant")
  return last?.role === "assistant" ? last : undefined
}

const textOf = (messages: ReadonlyArray<RunMessage>): string =>
  lastAnswer(messages)
    ?.content.map((part) => (part.type === "text" ? part.text : ""))
    .join("") ?? ""

/** Calls back when the session has nothing left to do. Programs of other makers say it in other ways, or not at all. */
const makeEndWatcher = (isPeer: boolean, onEnd: () => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const see = (event: HeddleEvent) => {
    if (event.type === "session_settled") return onEnd()
    if (!isPeer) return
    clearTimeout(timer)
    if (event.type === "agent_settled") onEnd()
    // Current programs announce a retry with `willRetry`; after others it is soon followed by more events.
    else if (event.type === "agent_end" && event.willRetry !== true) timer = setTimeout(onEnd, peerQuietMs)
  }
  return { see, dispose: () => clearTimeout(timer) }
}

type Result = Pick<PromptResultEvent, "status" | "agentInvoked" | "error">

/** The result of a run whose program does not say it. */
const resultOf = (messages: ReadonlyArray<RunMessage>): Result => {
  const { errorMessage = "the run failed", stopReason } = lastAnswer(messages) ?? {}
  if (stopReason === "error")
    return { status: "error", agentInvoked: true, error: { message: errorMessage, retryable: false } }
  return { status: stopReason === "aborted" ? "aborted" : "completed", agentInvoked: true }
}

/** One prompt: its response, its result, and what is done when the caller does not want it any more. */
class PromptRun {
  private readonly connection: Connection
  private readonly id: string
  private readonly wait
  private readonly end
  private messages: ReadonlyArray<RunMessage> = []
  private isAccepted = false
  private queued: string | undefined
  private givenUp: { readonly reason: unknown } | undefined
  private readonly publish: (event: HeddleEvent) => void

  constructor(connection: Connection, call: CallOptions, publish: (event: HeddleEvent) => void = () => {}) {
    this.publish = publish
    this.connection = connection
    this.id = connection.nextId()
    this.end = makeEndWatcher(connection.isPeer, () => {
      if (connection.isPeer) this.finish(resultOf(this.messages))
    })
    const watcher: Watcher = {
      see: (event) => this.see(event),
      late: (id, failure) => (id === this.id ? this.wait.reject(failure) : undefined)
    }
    const unwatch = connection.watch(watcher)
    const unbind = onLimit(
      { ...call, waitedFor: "the end of the run" },
      () => false,
      (reason) => void this.giveUp(reason)
    )
    this.wait = connection.waits.begin<PromptOutcome>({
      waitedFor: "the end of the run",
      onEnd: () => {
        unwatch()
        unbind()
        this.end.dispose()
      }
    })
  }

  async send(params: PromptParams): Promise<PromptOutcome> {
    this.connection
      .ask({ type: "prompt", ...params }, ({ data }) => this.accepted(data), {}, this.id)
      .catch((reason: unknown) => this.wait.reject(this.givenUp === undefined ? reason : this.givenUp.reason))
    return this.wait.promise
  }

  private accepted(data: unknown): void {
    this.isAccepted = true
    const of = (name: string): unknown => Object(data)[name]
    const messageId = of("messageId")
    if (of("disposition") === "queued" && typeof messageId === "string") this.queued = messageId
    const isOver = of("agentInvoked") === false || (this.connection.isPeer && of("disposition") === "handled")
    if (isOver) this.finish({ status: "completed", agentInvoked: false })
  }

  private see(event: HeddleEvent): void {
    this.publish(event)
    if (event.type === "agent_end") this.messages = event.messages
    if (event.type !== "prompt_result") this.end.see(event)
    else if (event.id === this.id) this.finish(event)
  }

  private finish({ agentInvoked, error, status }: Result): void {
    if (status === "error")
      return this.wait.reject(new PromptFailed(error?.message ?? "the run failed", this.messages, error))
    if (this.givenUp !== undefined) return this.wait.reject(this.givenUp.reason)
    const outcome = status === "aborted" ? status : "completed"
    this.wait.resolve({ status: outcome, text: textOf(this.messages), messages: this.messages, agentInvoked })
  }

  /** Ends the run and then the wait, so that nothing of the run goes on unseen. */
  private async giveUp(reason: unknown): Promise<void> {
    this.givenUp = { reason }
    if (!(await this.isWithdrawn())) await this.settles({ type: "abort" })
    this.wait.reject(reason)
  }

  /** Takes the prompt back if it has no run yet. The run of another prompt, which may be going on, is left alone. */
  private async isWithdrawn(): Promise<boolean> {
    if (!this.isAccepted && !this.connection.isPeer) await this.settles({ type: "cancel", targetId: this.id })
    if (this.queued !== undefined) return this.settles({ type: "remove_queued_message", messageId: this.queued })
    return !this.isAccepted && !this.connection.isPeer
  }

  private settles(frame: { readonly type: string; readonly [member: string]: string }): Promise<boolean> {
    return this.connection.ask(frame, () => true, { timeoutMs: abortMs }).catch(() => false)
  }
}

export const promptAndWait = async (
  connection: Connection,
  params: PromptParams,
  call: CallOptions = {}
): Promise<PromptOutcome> => {
  call.signal?.throwIfAborted()
  return new PromptRun(connection, call).send(params)
}

/**
 * The events of a prompt, from its start to the end of its run, for one `for await`. Events wait for their reader, who has to
 * keep up. Leaving the loop early aborts the run, or takes the prompt out of the queue, and returns when that is done.
 */
export class Run implements AsyncIterableIterator<HeddleEvent> {
  /** How the run ended. The loop throws what this rejects with. */
  readonly outcome: Promise<PromptOutcome>
  private readonly stop = new AbortController()
  private unread: Array<HeddleEvent> = []
  private taken = 0
  private isOver = false
  private changed = withResolvers<void>()

  constructor(connection: Connection, params: PromptParams, { signal, timeoutMs }: CallOptions = {}) {
    signal?.throwIfAborted()
    const giveUp = () => this.stop.abort(signal?.reason)
    signal?.addEventListener("abort", giveUp, { once: true })
    const run = new PromptRun(connection, { timeoutMs, signal: this.stop.signal }, (event) => {
      this.unread.push(event)
      this.change()
    })
    this.outcome = run.send(params).finally(() => {
      signal?.removeEventListener("abort", giveUp)
      this.isOver = true
      this.change()
    })
    this.outcome.catch(() => undefined) // the reader of the events gets the failure
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<HeddleEvent, undefined>> {
    while (this.taken === this.unread.length && !this.isOver) await this.changed.promise
    const value = this.unread[this.taken++]
    if (value !== undefined) {
      if (this.taken === this.unread.length) this.forget()
      return { done: false, value }
    }
    this.forget()
    await this.outcome
    return { done: true, value }
  }

  async return(): Promise<IteratorResult<HeddleEvent, undefined>> {
    this.stop.abort()
    await this.outcome.catch(() => undefined)
    this.forget()
    return { done: true, value: undefined }
  }

  private forget(): void {
    this.unread = []
    this.taken = 0
  }

  private change(): void {
    this.changed.resolve()
    this.changed = withResolvers()
  }
}

/** Resolves at the end of the session's activity, or at once if there is none. */
export const waitForIdle = (connection: Connection, call: CallOptions): Promise<void> => {
  // Ends of runs that were over before the state was read do not count: the host may have sent a prompt since.
  let isStateRead = false
  const end = makeEndWatcher(connection.isPeer, () => (isStateRead ? wait.resolve() : undefined))
  const unwatch = connection.watch({ see: end.see, late: (_, failure) => wait.reject(failure) })
  const wait = connection.waits.begin<void>({
    ...call,
    waitedFor: "the end of all activity",
    onEnd: () => {
      unwatch()
      end.dispose()
    }
  })
  const read = (data: unknown) => {
    isStateRead = true
    const { isSettled, isStreaming } = Object(data)
    if (isSettled === true || (isSettled === undefined && isStreaming === false)) wait.resolve()
  }
  connection.ask({ type: "get_state" }, ({ data }) => read(data)).catch(wait.reject)
  return wait.promise
}

/** All events from now until the session has nothing left to do. */
export const collectEvents = (connection: Connection, call: CallOptions): Promise<ReadonlyArray<HeddleEvent>> => {
  const seen: Array<HeddleEvent> = []
  const end = makeEndWatcher(connection.isPeer, () => wait.resolve(seen))
  const unwatch = connection.watch({
    see: (event) => {
      seen.push(event)
      end.see(event)
    },
    late: (_, failure) => wait.reject(failure)
  })
  const wait = connection.waits.begin<ReadonlyArray<HeddleEvent>>({
    ...call,
    waitedFor: "the end of all activity",
    onEnd: () => {
      unwatch()
      end.dispose()
    }
  })
  return wait.promise
}
