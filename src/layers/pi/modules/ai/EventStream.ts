/** The event streams of pi: a producer pushes events, and a consumer iterates or waits for the result. */

/** A stream without a reader must not take the memory of the process. */
export const mostWaiting = 1_000_000

type Taker<A> = (result: IteratorResult<A, undefined>) => void

export class EventStream<A, R = A> implements AsyncIterable<A> {
  #queue: Array<A> = []
  /** How many events at the front of the queue are taken. */
  #taken = 0
  readonly #takers: Array<Taker<A>> = []
  readonly #isComplete: (event: A) => boolean
  readonly #extractResult: (event: A) => R
  readonly #result = Promise.withResolvers<R>()
  #done = false

  constructor(isComplete: (event: A) => boolean, extractResult: (event: A) => R) {
    this.#isComplete = isComplete
    this.#extractResult = extractResult
    // A reader that only iterates must not cause an unhandled rejection.
    this.#result.promise.catch(() => {})
  }

  push(event: A) {
    if (this.#done) return
    if (this.#isComplete(event)) {
      this.#done = true
      this.#result.resolve(this.#extractResult(event))
    }
    const taker = this.#takers.shift()
    if (taker !== undefined) taker({ value: event, done: false })
    else if (this.#queue.push(event) - this.#taken > mostWaiting)
      throw new Error(`${mostWaiting} events wait in a stream that is not read`)
    if (this.#done) this.#release()
  }

  /** Ends the stream. The result is the given one, or that of the event that completed it. */
  end(result?: R) {
    this.#done = true
    if (result === undefined) this.#result.reject(new Error("the stream has ended without a result"))
    else this.#result.resolve(result)
    this.#release()
  }

  result(): Promise<R> {
    return this.#result.promise
  }

  [Symbol.asyncIterator](): AsyncIterator<A, undefined> {
    return {
      next: () => this.#next(),
      return: () => Promise.resolve({ value: undefined, done: true })
    }
  }

  #next(): Promise<IteratorResult<A, undefined>> {
    const value = this.#queue[this.#taken]
    if (value !== undefined) {
      this.#forget(++this.#taken)
      return Promise.resolve({ value, done: false })
    }
    if (this.#done) return Promise.resolve({ value: undefined, done: true })
    return new Promise((resolve) => this.#takers.push(resolve))
  }

  /** Removing each event by itself would move all the others. */
  #forget(taken: number) {
    if (taken < 1024 && taken < this.#queue.length) return
    this.#queue = this.#queue.slice(taken)
    this.#taken = 0
  }

  #release() {
    for (const taker of this.#takers.splice(0)) taker({ value: undefined, done: true })
  }
}

/** One answer of a model. `done` carries its message, `error` the one of a call that failed. */
export interface AnswerEvent {
  readonly type: string
  readonly message?: unknown
  readonly error?: unknown
}

export class AssistantMessageEventStream extends EventStream<AnswerEvent, unknown> {
  constructor() {
    super(
      ({ type }) => type === "done" || type === "error",
      ({ error, message, type }) => (type === "done" ? message : error)
    )
  }
}

export const createAssistantMessageEventStream = () => new AssistantMessageEventStream()
