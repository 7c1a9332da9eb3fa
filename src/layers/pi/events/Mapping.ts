/** How a hook point looks to extensions: the name and the object of the event, and what a handler may return. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { HookAnswer, HookEvent, HookPoint } from "../../../services/hooks/HookPoints.ts"
import * as Call from "../../machine/foreign/Call.ts"
import * as Caller from "../../machine/foreign/Caller.ts"
import * as ForeignCall from "../../machine/foreign/ForeignCall.ts"
import * as Context from "../context/Context.ts"
import type { Instance } from "../instance/Instance.ts"
import type { Handler } from "../instance/Values.ts"

/** Reports a result that cannot be used. The handler then counts as one without an opinion. */
export type Bad = (problem: string) => undefined

export interface Occasion {
  readonly instance: Instance
  /** Aborted when heddle does not wait for the handler any more. */
  readonly signal: () => AbortSignal
}

export interface Mapping<P extends HookPoint> {
  readonly point: P
  /** Undefined: the event is not for extensions, and the handler is not called. */
  readonly event: (event: HookEvent<P>, occasion: Occasion) => object | undefined
  readonly answer: (result: unknown, bad: Bad, event: HookEvent<P>, given: object) => HookAnswer<P>
  /** Calls the handler. `isOver` is true when it has answered. */
  readonly around?: (
    event: HookEvent<P>,
    handle: () => unknown,
    occasion: Occasion & { readonly isOver: () => boolean }
  ) => () => unknown
  /** Fails the hook when the handler throws, instead of going on without it. */
  readonly blocks?: boolean
}

/** Adds a handler for the extension, and returns the function that takes it away. */
export type Subscribe = (instance: Instance, name: string, handler: Handler) => () => void

const ignoreProblem: Bad = () => undefined

/** A point at which handlers only watch. */
export const nothing = (): undefined => undefined

export const at =
  <P extends HookPoint>(mapping: Mapping<P>): Subscribe =>
  (instance, name, handler) => {
    // What a handler starts comes before what its answer leads to, and before the session is left.
    const waits = mapping.answer !== nothing || mapping.point === "sessionEnding"
    const bad: Bad = (problem) => void instance.report(name, problem)
    return instance.registration.on(mapping.point, (event) => {
      const call = Call.make()
      const occasion = { instance, signal: call.signal }
      const given = instance.isActive() ? mapping.event(event, occasion) : undefined
      if (given === undefined) return mapping.answer(undefined, ignoreProblem, event, {})
      const handle = () => handler(given, Context.make(instance, call))
      let over = false
      const around = mapping.around?.(event, handle, { ...occasion, isOver: () => over })
      const outcome = ForeignCall.attempt(around ?? handle, call.abort)
      over = outcome._tag !== "Pending"
      const failed = (failure: ForeignCall.ForeignFailure) => {
        if (mapping.blocks === true) return Effect.fail(instance.located(failure))
        instance.report(name, failure)
        return Effect.succeed(mapping.answer(undefined, ignoreProblem, event, given))
      }
      const answerOf = (result: unknown) =>
        ForeignCall.read(() => Caller.within(instance.ports.session, () => mapping.answer(result, bad, event, given)))
      const { idle, isIdle } = instance.bridge
      switch (outcome._tag) {
        case "Value":
          if (waits && !isIdle()) return Effect.zipRight(idle, Effect.catchAll(answerOf(outcome.value), failed))
          return Either.getOrElse(answerOf(outcome.value), failed)
        case "Failed":
          return failed(outcome.failure)
        case "Pending": {
          const ended = Effect.ensuring(
            outcome.effect,
            Effect.sync(() => (over = true))
          )
          return Effect.catchAll(Effect.flatMap(waits ? Effect.zipLeft(ended, idle) : ended, answerOf), failed)
        }
      }
    })
  }
