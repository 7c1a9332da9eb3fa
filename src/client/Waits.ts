/** Promises that always end: with their result, at their deadline, with their signal, or with the process. */
import { DeadlineExceeded } from "./Errors.ts"

export interface Bounds {
  /** What is waited for, in the words of the error. */
  readonly waitedFor: string
  /** `0` or absent: no deadline. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called once, however the wait ends. */
  readonly onEnd?: () => void
  /** Called before that if the deadline or the signal ended the wait. */
  readonly onGivenUp?: () => void
}

export interface Wait<A> {
  readonly promise: Promise<A>
  readonly resolve: (value: A) => void
  readonly reject: (reason: unknown) => void
}

/** A promise and the functions that settle it: Node 20 does not have `Promise.withResolvers`. */
export const withResolvers = <A>(): Wait<A> => {
  let [resolve, reject]: [Wait<A>["resolve"], Wait<A>["reject"]] = [() => {}, () => {}]
  const promise = new Promise<A>((resolved, rejected) => {
    ;[resolve, reject] = [resolved, rejected]
  })
  return { promise, resolve, reject }
}

/** Calls back once, at the deadline or with the signal. Returns the function that prevents it. */
export const onLimit = (
  { signal, timeoutMs, waitedFor }: Bounds,
  isPaused: () => boolean,
  giveUp: (reason: unknown) => void
): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let [isOff, wasPaused] = [false, false]
  const expire = (ms: number) => {
    if (isOff) return
    const paused = isPaused()
    // After a pause there is the whole time again.
    if (!paused && !wasPaused) return giveUp(new DeadlineExceeded(waitedFor, ms))
    wasPaused = paused
    arm(ms)
  }
  const arm = (ms: number) => {
    // If this process was busy, the answer may be in the pipe: it is read before `setImmediate` calls back.
    timer = setTimeout(() => setImmediate(expire, ms), ms)
  }
  const onAbort = () => giveUp(signal?.reason)
  if (timeoutMs !== undefined && timeoutMs > 0) arm(timeoutMs)
  signal?.addEventListener("abort", onAbort, { once: true })
  return () => {
    isOff = true
    clearTimeout(timer)
    signal?.removeEventListener("abort", onAbort)
  }
}

export class Waits {
  /** How to fail each open wait, and whether it is without a deadline. */
  private readonly rejects = new Map<(reason: unknown) => void, boolean>()
  /** A question to the user is open: deadlines wait for the answer. */
  private readonly isPaused: () => boolean
  private closed: { readonly reason: unknown } | undefined

  constructor(isPaused: () => boolean) {
    this.isPaused = isPaused
  }

  begin<A>(bounds: Bounds): Wait<A> {
    const { promise, reject, resolve } = withResolvers<A>()
    const end = (settle: () => void) => {
      if (!this.rejects.delete(fail)) return
      unbind()
      bounds.onEnd?.()
      settle()
    }
    const fail = (reason: unknown) => end(() => reject(reason))
    const giveUp = (reason: unknown) => {
      if (!this.rejects.has(fail)) return
      bounds.onGivenUp?.()
      fail(reason)
    }
    this.rejects.set(fail, (bounds.timeoutMs ?? 0) === 0)
    const unbind = onLimit(bounds, () => this.isProlonged(fail), giveUp)
    if (this.closed !== undefined) fail(this.closed.reason)
    else if (bounds.signal?.aborted === true) giveUp(bounds.signal.reason)
    return { promise, resolve: (value) => end(() => resolve(value)), reject: fail }
  }

  /** At its deadline, a wait goes on while a question to the user is open. Then it counts as one without a deadline. */
  private isProlonged(fail: (reason: unknown) => void): boolean {
    if (!this.isPaused()) return false
    this.rejects.set(fail, true)
    return true
  }

  /** Whether a wait is open that has no deadline of its own. */
  get hasUnlimited(): boolean {
    for (const isUnlimited of this.rejects.values()) if (isUnlimited) return true
    return false
  }

  /** Fails all that are open, and from now on every other at once. */
  close(reason: unknown): void {
    this.closed = { reason }
    for (const fail of this.rejects.keys()) fail(reason)
  }

  failUnlimited(reason: unknown): void {
    for (const [fail, isUnlimited] of this.rejects) if (isUnlimited) fail(reason)
  }
}
