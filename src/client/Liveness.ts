/** Notices a process that is there but hangs: asks it with `ping` when it was silent while a call without a deadline waits. */
import type { Connection } from "./Connection.ts"
import { NotResponding } from "./Errors.ts"

const check = async (connection: Connection, ms: number): Promise<void> => {
  const silentMs = () => performance.now() - connection.heardAt
  if (!connection.waits.hasUnlimited || silentMs() < ms) return
  // A signal, because deadlines wait for answers of the user.
  const call = { timeoutMs: 0, signal: AbortSignal.timeout(ms) }
  await connection.ask({ type: "ping" }, () => undefined, call).catch(() => undefined)
  await new Promise((resolve) => setImmediate(resolve)) // the answer may be in the pipe
  if (silentMs() >= ms)
    connection.waits.failUnlimited(
      new NotResponding(`the process has been silent for ${Math.round(silentMs())} ms and does not answer ping`)
    )
}

/** Returns the function that ends it. */
export const watch = (connection: Connection, ms: number): (() => void) => {
  let isChecking = false
  const timer = setInterval(() => {
    if (isChecking) return
    isChecking = true
    void check(connection, ms).finally(() => (isChecking = false))
  }, ms)
  timer.unref()
  return () => clearInterval(timer)
}
