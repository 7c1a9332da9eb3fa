/** Does not let go of the session, and keeps the event loop busy with timers. */
import type { Api } from "../Pi.ts"

export default (pi: Api): void => {
  setInterval(() => undefined, 10)
  pi.on("session_shutdown", () => new Promise(() => {}))
}
