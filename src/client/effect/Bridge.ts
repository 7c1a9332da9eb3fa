/** Where promises and callbacks of the client meet fibers. All other modules of this folder know Effects only. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import type * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import { isRpcError, type RpcError } from "../Errors.ts"
import type { CallOptions, CommandFrame } from "../Connection.ts"
import type { CommandData, CommandName, HeddleEvent } from "../generated/Protocol.ts"
import type { RpcClient } from "../RpcClient.ts"

/** How the Effect client asks for a command. An interrupt ends the command as well as the wait. */
export type Request = <C extends CommandName>(
  frame: CommandFrame<C>,
  call?: CallOptions
) => Effect.Effect<CommandData[C], RpcError>

const failure = (cause: unknown): Effect.Effect<never, RpcError> =>
  isRpcError(cause) ? Effect.fail(cause) : Effect.die(cause)

/** An interrupt fires the signal and returns when the promise has settled. */
export const fromPromise = <A>(body: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, RpcError> =>
  Effect.async((resume) => {
    const controller = new AbortController()
    const settled = body(controller.signal).then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => resume(failure(cause))
    )
    return Effect.promise(() => {
      controller.abort()
      return settled
    })
  })

/** What the fiber ends with. The signal interrupts it. */
export const toPromise = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, signal: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const interrupt = () => fiber.unsafeInterruptAsFork(FiberId.none)
    signal.addEventListener("abort", interrupt, { once: true })
    if (signal.aborted) interrupt()
    fiber.addObserver((exit) => {
      signal.removeEventListener("abort", interrupt)
      Exit.match(exit, { onSuccess: resolve, onFailure: (cause) => reject(Cause.squash(cause)) })
    })
  })

/** The events from now on. Fails when the process dies, ends when the client is stopped. */
export const subscribe = (client: RpcClient) =>
  Effect.gen(function* () {
    const mailbox = yield* Mailbox.make<HeddleEvent, RpcError>()
    const end = (reason: Error) => {
      const exit = isRpcError(reason) && reason._tag !== "NotRunning" ? Exit.fail(reason) : Exit.void
      mailbox.unsafeDone(exit)
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => [client.onEvent((event) => mailbox.unsafeOffer(event)), client.onEnd(end)]),
      (removals) => Effect.sync(() => removals.forEach((remove) => remove()))
    )
    return mailbox
  })
