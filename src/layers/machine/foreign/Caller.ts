/**
 * For which session code of others runs. It is that of the call into the code; what the code does later, in a promise or a
 * timer, is done for the same session.
 */
import { AsyncLocalStorage } from "node:async_hooks"

const inside = new AsyncLocalStorage<object | undefined>()

/** Calls code of others for this session. */
export const within = <A>(session: object, call: () => A): A => inside.run(session, call)

/** Undefined outside of such a call. */
export const current = (): object | undefined => inside.getStore()

/** What heddle does from here on is not done by code of others, and does not keep its session in memory. */
export const outside = <A>(start: () => A): A => (current() === undefined ? start() : inside.run(undefined, start))

/** The same function, which is called for the session that it was handed over in. */
export const bound = <A extends ReadonlyArray<unknown>, B>(call: (...args: A) => B): ((...args: A) => B) => {
  const session = current()
  return session === undefined ? call : (...args) => within(session, () => call(...args))
}
