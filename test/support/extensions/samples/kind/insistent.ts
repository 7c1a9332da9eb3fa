/** Goes on whenever a run ends: at once, by its own message, and when it has thought about it, which lasts until `/decide`. */
import { type Api, said } from "../Pi.ts"

export default (pi: Api): void => {
  let decide = () => {}
  let insists = false
  pi.registerTool({
    name: "hold",
    execute: (_id, _params, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(said("aborted"))))
  })
  pi.registerCommand("insist", { handler: () => void (insists = true) })
  pi.registerCommand("decide", { handler: () => decide() })
  pi.registerCommand("redirect", { handler: (_args, ctx) => ctx.abort() })
  pi.on("agent_end", async (_event, ctx) => {
    if (!insists) return
    insists = false
    pi.sendUserMessage("at once", { deliverAs: "followUp" })
    pi.sendMessage({ customType: "note", content: "by note" }, { triggerTurn: true, deliverAs: "followUp" })
    await new Promise<void>((resolve) => {
      decide = resolve
      ctx.ui.notify("thinking")
    })
    pi.sendUserMessage("after a while", { deliverAs: "followUp" })
    ctx.ui.notify("decided")
  })
}
