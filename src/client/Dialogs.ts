/** Questions that heddle asks the user. Each gets an answer: from the host, or its default if the host has no handler. */
import type { ExtensionUiRequestEvent, HostFrame } from "./generated/Protocol.ts"

interface Question {
  readonly id: string
  readonly title: string
  /** heddle takes the default after so many milliseconds. */
  readonly timeout?: number
}

export type UiRequest =
  | (Question & {
      readonly method: "select"
      readonly options: ReadonlyArray<string>
      readonly optionDetails?: ReadonlyArray<{ readonly description?: string }>
    })
  | (Question & { readonly method: "confirm"; readonly message: string })
  | (Question & { readonly method: "input"; readonly placeholder?: string })
  | (Question & { readonly method: "editor"; readonly prefill?: string; readonly promptStyle?: boolean })

/** `value` answers `select`, `input` and `editor`; `confirmed` answers `confirm`. */
export type UiAnswer =
  | { readonly value: string }
  | { readonly confirmed: boolean }
  | { readonly cancelled: true; readonly timedOut?: boolean }

/** Returns the answer, or nothing if the host will call `respondUi`. The signal fires when the question is withdrawn. */
export type UiHandler = (
  request: UiRequest,
  context: { readonly signal: AbortSignal }
) => UiAnswer | void | Promise<UiAnswer | void>

export interface HeadlessAnswers {
  /** Default: false. */
  readonly confirm?: boolean
  /** Chooses one of the options. Default: the question is cancelled, as are the next two. */
  readonly select?: (options: ReadonlyArray<string>) => string | undefined
  readonly input?: string
  readonly editor?: string
}

const questionOf = (event: ExtensionUiRequestEvent): UiRequest | undefined => {
  const { id, message = "", method, optionDetails, options = [], placeholder, prefill, promptStyle, timeout } = event
  const base: Question = { id, title: event.title ?? "", ...(timeout === undefined ? {} : { timeout }) }
  switch (method) {
    case "select":
      return { ...base, method, options, ...(optionDetails === undefined ? {} : { optionDetails }) }
    case "confirm":
      return { ...base, method, message }
    case "input":
      return { ...base, method, ...(placeholder === undefined ? {} : { placeholder }) }
    case "editor":
      return {
        ...base,
        method,
        ...(prefill === undefined ? {} : { prefill }),
        ...(promptStyle === undefined ? {} : { promptStyle })
      }
    default:
      return undefined
  }
}

const defaultAnswer = ({ method }: UiRequest): UiAnswer =>
  method === "confirm" ? { confirmed: false } : { cancelled: true }

const valueOr = (value: string | undefined): UiAnswer => (value === undefined ? { cancelled: true } : { value })

/** Answers for a host without a user. */
export const headless =
  (answers: HeadlessAnswers): UiHandler =>
  (request) => {
    switch (request.method) {
      case "confirm":
        return { confirmed: answers.confirm ?? false }
      case "select":
        return valueOr(answers.select?.(request.options))
      case "input":
        return valueOr(answers.input)
      case "editor":
        return valueOr(answers.editor)
    }
  }

export class Dialogs {
  private handlers: ReadonlyArray<UiHandler> = []
  private readonly open = new Map<string, AbortController>()
  private readonly send: (frame: HostFrame) => void
  private readonly onThrow: (cause: unknown) => void

  constructor(send: (frame: HostFrame) => void, onThrow: (cause: unknown) => void) {
    this.send = send
    this.onThrow = onThrow
  }

  /** Whether the host has been asked and has not answered. */
  get isWaiting(): boolean {
    return this.open.size > 0
  }

  /** The last handler that was added is asked. Returns the function that removes it. */
  add(handler: UiHandler): () => void {
    const added: UiHandler = (request, context) => handler(request, context)
    this.handlers = [...this.handlers, added]
    return () => {
      this.handlers = this.handlers.filter((other) => other !== added)
    }
  }

  receive(event: ExtensionUiRequestEvent): void {
    if (event.method === "cancel") return this.withdraw(event.targetId ?? "")
    const request = questionOf(event)
    if (request === undefined) return
    const handler = this.handlers.at(-1)
    this.open.set(request.id, new AbortController())
    if (handler === undefined) this.respond(request.id, defaultAnswer(request))
    else void this.ask(handler, request)
  }

  /** Returns false if the question is not open any more: answered, withdrawn, or of a process that has ended. */
  respond(id: string, answer: UiAnswer): boolean {
    if (!this.open.delete(id)) return false
    this.send({ type: "extension_ui_response", id, ...answer })
    return true
  }

  withdrawAll(): void {
    for (const id of this.open.keys()) this.withdraw(id)
  }

  private withdraw(id: string): void {
    const question = this.open.get(id)
    this.open.delete(id)
    question?.abort(new Error("the question was withdrawn"))
  }

  private async ask(handler: UiHandler, request: UiRequest): Promise<void> {
    const signal = this.open.get(request.id)?.signal ?? AbortSignal.abort()
    try {
      const answer = await handler(request, { signal })
      if (answer !== undefined) this.respond(request.id, answer)
    } catch (cause) {
      if (this.respond(request.id, { cancelled: true })) this.onThrow(cause)
    }
  }
}
