/**
 * How deep calls of handlers lie in one another by way of the session: an `input` handler that prompts is called for that
 * prompt, too. What a handler does later, in a promise or a timer, lies as deep as the handler.
 */
import { AsyncLocalStorage } from "node:async_hooks"

/** Deeper is a handler that calls itself. */
export const most = 8

const depth = new AsyncLocalStorage<number>()

/** Zero outside of handlers. */
export const current = (): number => depth.getStore() ?? 0

/** Calls a handler for something that was said at this depth. */
export const within = <A>(outer: number | undefined, call: () => A): A => depth.run((outer ?? 0) + 1, call)

/** What the session does from here on is not done by the handler. */
export const outside = <A>(start: () => A): A => (current() === 0 ? start() : depth.run(0, start))
