/**
 * Where calls of handlers lie. How deep in one another by way of the session: an `input` handler that prompts is called
 * for that prompt, too. What a handler does later, in a promise or a timer, lies where the handler does.
 */
import { AsyncLocalStorage } from "node:async_hooks"

/** Deeper is a handler that calls itself. */
export const most = 8

interface Inside {
  readonly depth: number
  /** Whether the handler was called at the end of a run that was aborted, and still goes on. */
  readonly isStopped?: () => boolean
}

const inside = new AsyncLocalStorage<Inside>()

/** Zero outside of handlers. */
export const current = (): number => inside.getStore()?.depth ?? 0

/** Whether what the handler sends would start again what was aborted. */
export const isStopped = (): boolean => inside.getStore()?.isStopped?.() ?? false

/** Calls a handler for a message that was sent at this depth. */
export const within = <A>(outer: number | undefined, call: () => A): A => inside.run({ depth: (outer ?? 0) + 1 }, call)

/** Calls a handler at the end of a run that was aborted. */
export const afterAbort = <A>(isStopped: () => boolean, call: () => A): A =>
  inside.run({ depth: current(), isStopped }, call)

/** What the session does from here on is not done by the handler. */
export const outside = <A>(start: () => A): A =>
  inside.getStore() === undefined ? start() : inside.run({ depth: 0 }, start)
