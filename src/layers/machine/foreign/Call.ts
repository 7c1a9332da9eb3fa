/** One call into an extension. Giving the call up aborts its signal, which is made when the extension asks for it. */
import * as Attempt from "../engine/Attempt.ts"

export interface Call {
  readonly signal: () => AbortSignal
  readonly abort: () => void
}

export const make = (): Call => {
  let controller: AbortController | undefined
  let aborted = false
  return {
    signal: () => {
      controller ??= new AbortController()
      if (aborted) controller.abort()
      return controller.signal
    },
    abort: () => {
      aborted = true
      controller?.abort()
    }
  }
}

/** A signal that is aborted with the first of them. */
export const either = (one: AbortSignal, other: AbortSignal | undefined): AbortSignal =>
  other === undefined ? one : AbortSignal.any([one, other])

const { any } = AbortSignal

/** A signal of our own that is aborted with the given one, if that is one: code of others may pass anything. */
export const signalOf = (value: unknown): AbortSignal | undefined =>
  value === undefined ? undefined : Attempt.orUndefined(() => Reflect.apply(any, AbortSignal, [[value]]))
