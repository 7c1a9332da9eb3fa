/** Sends messages in every way, idle and busy. The tool `hold` keeps a run going until `/release`. */
import { type Api, said } from "../Pi.ts"

export default (pi: Api): void => {
  let release = () => {}
  pi.registerTool({
    name: "hold",
    execute: (_id, _params, signal) =>
      new Promise((resolve) => {
        release = () => resolve(said("released"))
        signal.addEventListener("abort", () => resolve(said("aborted")))
      })
  })
  pi.registerCommand("release", { handler: () => release() })
  pi.registerCommand("send", {
    handler: (args) => {
      const [content = "", options = "{}"] = args.split("|")
      pi.sendMessage({ customType: "note", content, display: true, details: { from: "sender" } }, JSON.parse(options))
    }
  })
  pi.registerCommand("user", {
    handler: (args) => {
      const [content = "", options = "{}"] = args.split("|")
      pi.sendUserMessage(content, JSON.parse(options))
    }
  })
  pi.registerCommand("entry", { handler: (args) => pi.appendEntry("mine", { args }) })
  pi.on("input", ({ source, text }) => {
    if (text !== "send badly") return { action: "continue" }
    pi.sendMessage({ content: "without a type" })
    pi.sendUserMessage(42)
    pi.appendEntry("from", { source })
    return { action: "handled" }
  })
}
