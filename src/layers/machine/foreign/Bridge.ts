/**
 * The way from code of others, which knows promises and exceptions, to effects and back. A bridge belongs to a scope: it
 * owns the fibers that it starts, and refuses every call once the scope has closed.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { textOf } from "./ForeignValue.ts"
import * as Caller from "./Caller.ts"
import * as Nesting from "./Nesting.ts"
import * as Pace from "./Pace.ts"

const advice =
  "after a session change or reload. Do not keep pi or ctx over ctx.newSession(), ctx.fork(), ctx.switchSession() or " +
  "ctx.reload(); work for the next session belongs into withSession, with the ctx that it is given."

/** Thrown to code that still uses the objects of a session that has ended. */
export class StaleError extends Error {
  override readonly name = "StaleError"
  constructor() {
    super(`This extension object is stale ${advice}`)
  }
}

/** How many effects may be on their way for one extension. */
const mostPending = 10_000

export interface RunOptions<A> {
  /** Interrupts the effect. */
  readonly signal?: AbortSignal | undefined
  /** The result of an effect that the signal interrupted. The promise is rejected without it. */
  readonly whenAborted?: { readonly value: A }
}

type Failure = { readonly message: string }

type Fire = (effect: Effect.Effect<unknown, Failure>, failed: (message: string) => void) => void

export interface Bridge {
  readonly isOpen: () => boolean
  readonly run: <A>(effect: Effect.Effect<A, Failure>, options?: RunOptions<A>) => Promise<A>
  /** Starts an effect without waiting for it. It runs at once as far as it can, unless the extension is paced. */
  readonly fire: Fire
  /** The same, never paced: for what ends work. */
  readonly fireAtOnce: Fire
  /** Returns when everything that was paced has started. */
  readonly idle: Pace.Pace["idle"]
  readonly isIdle: Pace.Pace["isIdle"]
  /** The result of an effect that never waits. */
  readonly read: <A>(effect: Effect.Effect<A, Failure>) => A
}

const messageOf = (cause: Cause.Cause<Failure>): string =>
  Option.match(Cause.failureOption(cause), {
    onSome: ({ message }) => message,
    onNone: () => textOf(Cause.squash(cause))
  })

const reading =
  (runtime: Runtime.Runtime<never>) =>
  <A>(effect: Effect.Effect<A, Failure>): A => {
    const exit = Runtime.runSyncExit(runtime)(effect)
    if (Exit.isSuccess(exit)) return exit.value
    const cause = Cause.squash(exit.cause)
    if (!Runtime.isAsyncFiberException(cause)) throw new Error(messageOf(exit.cause))
    cause.fiber.unsafeInterruptAsFork(FiberId.none)
    throw new Error("heddle cannot answer this at once. Please report this as a bug of heddle.")
  }

const listen = (signal: AbortSignal | undefined, abort: () => void): (() => void) => {
  if (signal === undefined) return () => {}
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  return () => signal.removeEventListener("abort", abort)
}

/** What is to start, or has. */
interface Started {
  readonly interrupt: () => void
}

export const paced = Effect.fnUntraced(function* (pace: Pace.Pace) {
  const fibers = yield* FiberSet.make<unknown, unknown>()
  const fork = yield* FiberSet.runtime(fibers)<never>()
  const read = reading(yield* Effect.runtime<never>())
  let open = true
  // Finalizers run in reverse: calls are refused before the fibers are interrupted.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      open = false
    })
  )
  let pending = 0

  const start = <A>(
    effect: Effect.Effect<A, Failure>,
    ended: (exit: Exit.Exit<A, Failure>) => void,
    when: Pace.Pace["start"]
  ): Started => {
    if (!open) throw new StaleError()
    if (pending >= mostPending) throw new Error(`More than ${mostPending} calls of this extension are pending.`)
    pending++
    let interrupt: (() => void) | undefined
    let isUnwanted = false
    when((over) => {
      const end = (exit: Exit.Exit<A, Failure>) => {
        pending--
        over()
        ended(exit)
      }
      if (isUnwanted || !open) return end(Exit.interrupt(FiberId.none))
      const fiber = Caller.outside(() => Nesting.outside(() => fork(effect)))
      interrupt = () => fiber.unsafeInterruptAsFork(FiberId.none)
      fiber.addObserver(end)
    })
    return {
      interrupt: () => {
        isUnwanted = true
        interrupt?.()
      }
    }
  }

  const fire =
    (when: Pace.Pace["start"]): Fire =>
    (effect, failed) => {
      const ended = (exit: Exit.Exit<unknown, Failure>) => {
        if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) failed(messageOf(exit.cause))
      }
      start(effect, ended, when)
    }

  const bridge: Bridge = {
    isOpen: () => open,
    run: <A>(effect: Effect.Effect<A, Failure>, { signal, whenAborted }: RunOptions<A> = {}) =>
      new Promise<A>((resolve, reject) => {
        let unlisten = () => {}
        const ended = (exit: Exit.Exit<A, Failure>) => {
          unlisten()
          if (Exit.isSuccess(exit)) return resolve(exit.value)
          if (!Cause.isInterruptedOnly(exit.cause)) return reject(new Error(messageOf(exit.cause)))
          if (!open) return reject(new StaleError())
          if (whenAborted !== undefined) return resolve(whenAborted.value)
          return reject(new DOMException("The operation was aborted.", "AbortError"))
        }
        const { interrupt } = start(effect, ended, pace.start)
        unlisten = listen(signal, interrupt)
      }),
    fire: fire(pace.start),
    fireAtOnce: fire(Pace.none.start),
    idle: pace.idle,
    isIdle: pace.isIdle,
    read: (effect) => {
      if (!open) throw new StaleError()
      return read(effect)
    }
  }
  return bridge
})

/** Without a pace. */
export const make: Effect.Effect<Bridge, never, Scope.Scope> = paced(Pace.none)
