/** Two options of the command line. */
import type { Api } from "../Pi.ts"

export default (pi: Api): void => {
  pi.registerFlag("plan", { type: "boolean", default: false })
  pi.registerFlag("tag", { type: "string", default: "none" })
  pi.on("session_start", (_event, ctx) => ctx.ui.notify(JSON.stringify([pi.getFlag("plan"), pi.getFlag("tag")])))
}
