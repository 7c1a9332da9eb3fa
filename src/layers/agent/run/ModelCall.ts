/** A model call that is open: what was asked, what comes of it, and the scope that closes the connection. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { sameItems } from "../../../domain/SameItems.ts"
import {
  type ModelClient,
  type ModelEvents,
  type ModelFailure,
  type ModelRequest,
  sameFrame
} from "../../../services/model/ModelClient.ts"

export interface ModelCall {
  readonly request: ModelRequest
  readonly events: ModelEvents
  readonly scope: Scope.CloseableScope
}

export const close = ({ scope }: Pick<ModelCall, "scope">, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Scope.close(scope, exit)

const closeFailed = <E>(call: Pick<ModelCall, "scope">, cause: Cause.Cause<E>) =>
  Effect.zipRight(close(call, Exit.failCause(cause)), Effect.failCause(cause))

/** What the client starts can be interrupted, whoever calls this: fibers are born with what holds where they are started. */
export const open = (
  client: typeof ModelClient.Service,
  request: ModelRequest
): Effect.Effect<ModelCall, ModelFailure> =>
  Effect.flatMap(Scope.make(), (scope) =>
    Effect.matchCauseEffect(Effect.interruptible(client.stream(request, scope)), {
      onFailure: (cause) => closeFailed({ scope }, cause),
      onSuccess: (events) => Effect.succeed({ request, events, scope })
    })
  )

/**
 * Closes it on every way out, for a fiber that is uninterruptible but for its waits. Where all is over, closing it would
 * be the longest part of the end of a turn.
 */
export const using = <A, E>(call: ModelCall, use: (events: ModelEvents) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.matchCauseEffect(use(call.events), {
    onFailure: (cause) => closeFailed(call, cause),
    onSuccess: (value) => {
      const left = Effect.succeed(value)
      return call.events.isOver?.() === true ? left : Effect.zipRight(close(call, Exit.void), left)
    }
  })

/** Whether it is the call that this request would make. Messages never change, so they are compared as such. */
export const answers = ({ request: made }: ModelCall, request: ModelRequest): boolean =>
  sameFrame(made, request) && sameItems(made.messages, request.messages)
