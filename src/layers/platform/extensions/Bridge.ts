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

export interface Bridge {
  readonly isOpen: () => boolean
  readonly run: <A>(effect: Effect.Effect<A, Failure>, options?: RunOptions<A>) => Promise<A>
  /** Starts an effect that nobody waits for. It runs at once as far as it can. */
  readonly fire: (effect: Effect.Effect<unknown, Failure>, failed: (message: string) => void) => void
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

export const make: Effect.Effect<Bridge, never, Scope.Scope> = Effect.gen(function* () {
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

  const start = <A>(effect: Effect.Effect<A, Failure>, ended: (exit: Exit.Exit<A, Failure>) => void) => {
    if (!open) throw new StaleError()
    if (pending >= mostPending) throw new Error(`More than ${mostPending} calls of this extension are pending.`)
    pending++
    const fiber = fork(effect)
    fiber.addObserver((exit) => {
      pending--
      ended(exit)
    })
    return fiber
  }

  return {
    isOpen: () => open,
    run: <A>(effect: Effect.Effect<A, Failure>, { signal, whenAborted }: RunOptions<A> = {}) =>
      new Promise<A>((resolve, reject) => {
        let unlisten = () => {}
        const fiber = start(effect, (exit) => {
          unlisten()
          if (Exit.isSuccess(exit)) return resolve(exit.value)
          if (!Cause.isInterruptedOnly(exit.cause)) return reject(new Error(messageOf(exit.cause)))
          if (!open) return reject(new StaleError())
          if (whenAborted !== undefined) return resolve(whenAborted.value)
          return reject(new DOMException("The operation was aborted.", "AbortError"))
        })
        unlisten = listen(signal, () => fiber.unsafeInterruptAsFork(FiberId.none))
      }),
    fire: (effect, failed) => {
      start(effect, (exit) => {
        if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) failed(messageOf(exit.cause))
      })
    },
    read: (effect) => {
      if (!open) throw new StaleError()
      return read(effect)
    }
  }
})
