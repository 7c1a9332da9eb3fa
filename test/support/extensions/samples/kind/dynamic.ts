/** Registers a tool when the session starts, and changes which tools are active. */
import { type Api, said } from "../Pi.ts"

export default (pi: Api): void => {
  pi.on("session_start", async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    pi.registerTool({ name: "late", promptGuidelines: ["Never be late."], execute: () => said("in time") })
  })
  pi.registerCommand("only", { handler: (args) => pi.setActiveTools(args.split(" ")) })
  pi.registerCommand("active", { handler: (_args, ctx) => ctx.ui.notify(pi.getActiveTools().join(" ")) })
}
