/** The channels through which the extensions of a session talk to each other. */
import * as Effect from "effect/Effect"
import * as ForeignCall from "../../machine/foreign/ForeignCall.ts"
import type { Handler } from "./Values.ts"

interface Listener {
  /** As the extension knows it. */
  readonly handler: Handler
  readonly call: Handler
  readonly failed: (problem: string | ForeignCall.ForeignFailure) => void
  /** Waits for a handler that returned a promise. */
  readonly detach: (effect: Effect.Effect<unknown>) => void
}

export interface Bus {
  readonly emit: (channel: string, data: unknown) => void
  readonly on: (channel: string, listener: Listener) => () => void
  /** Takes all listeners with this handler away. */
  readonly off: (channel: string, handler: unknown) => void
}

/** A handler that emits its own event would exhaust the stack. */
const deepest = 100

export const make = (): Bus => {
  const channels = new Map<string, Set<Listener>>()
  const remove = (channel: string, listener: Listener) => {
    const listeners = channels.get(channel)
    if (listeners?.delete(listener) === true && listeners.size === 0) channels.delete(channel)
  }
  let depth = 0
  return {
    emit: (channel, data) => {
      if (depth >= deepest)
        throw new Error(`events.emit: handlers emit events whose handlers emit events, ${deepest} deep`)
      depth++
      for (const { call, detach, failed } of Array.from(channels.get(channel) ?? [])) {
        const outcome = ForeignCall.attempt(() => call(data))
        if (outcome._tag === "Failed") failed(outcome.failure)
        if (outcome._tag === "Pending")
          detach(Effect.catchAll(outcome.effect, (failure) => Effect.sync(() => failed(failure))))
      }
      depth--
    },
    on: (channel, listener) => {
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(listener))
      return () => remove(channel, listener)
    },
    off: (channel, handler) => {
      for (const listener of channels.get(channel) ?? []) {
        if (listener.handler === handler) remove(channel, listener)
      }
    }
  }
}
