/** Says what happens to it from session to session, and changes the session itself. */
import type { Api, CommandContext, Context, SessionManager } from "../Pi.ts"

let factories = 0
/** Objects of a session before: what is done with them must fail. */
let kept: { readonly pi: Api; readonly ctx: Context } | undefined

const uses = ({ ctx, pi }: { readonly pi: Api; readonly ctx: Context }): ReadonlyArray<[string, () => unknown]> => [
  ["ctx.ui", () => ctx.ui.notify("from a stale ctx")],
  ["ctx.isIdle", () => ctx.isIdle()],
  ["pi.sendMessage", () => pi.sendMessage({ customType: "stale", content: "stale" })],
  ["pi.registerTool", () => pi.registerTool({ name: "stale", execute: () => undefined })],
  ["pi.on", () => pi.on("agent_start", () => undefined)]
]

const attempt = (act: () => unknown) => {
  try {
    act()
    return "worked"
  } catch (error) {
    return error instanceof Error ? error.name : "?"
  }
}

const setup = async (manager: SessionManager) => {
  manager.appendMessage({ role: "user", content: [{ type: "text", text: "from setup" }], timestamp: 1 })
}

const commands = (pi: Api) => {
  pi.registerCommand("keep", {
    handler: (_args, ctx) => {
      kept = { pi, ctx }
    }
  })
  pi.registerCommand("stale", {
    handler: (_args, ctx) => {
      const results = kept === undefined ? [] : uses(kept).map(([name, act]) => `${name} ${attempt(act)}`)
      ctx.ui.notify(results.join(", "))
    }
  })
  pi.registerCommand("new", {
    handler: async (args, ctx) => {
      const { cancelled } = await ctx.newSession({
        setup,
        withSession: async (next) => {
          next.ui.notify(`next ${attempt(() => ctx.isIdle())}, ${next.sessionManager.getEntries().length} entries`)
          if (args !== "") next.sendUserMessage(args)
        }
      })
      console.error(`cancelled: ${cancelled}`)
    }
  })
  const firstMessage = ({ sessionManager }: Context) =>
    sessionManager.getEntries().find(({ type }) => type === "message")?.id ?? "none"
  pi.registerCommand("fork", { handler: (_args, ctx: CommandContext) => ctx.fork(firstMessage(ctx)) })
  pi.registerCommand("switch", { handler: (args, ctx) => ctx.switchSession(args) })
  pi.registerCommand("reload", { handler: (_args, ctx) => ctx.reload() })
  pi.registerCommand("shutdown", { handler: (_args, ctx) => ctx.shutdown() })
  pi.registerCommand("count", { handler: (_args, ctx) => ctx.ui.notify(`factories: ${factories}`) })
}

export default (pi: Api): void => {
  factories++
  const say = (event: { readonly [key: string]: unknown }, ctx: Context) => {
    const { previousSessionFile, reason, targetSessionFile, type } = event
    const file = (value: unknown) => (typeof value === "string" ? value.replace(/^.*_/, "") : undefined)
    const text = JSON.stringify([type, reason, file(previousSessionFile), file(targetSessionFile)])
    // At the end of the process nobody shows a notification any more.
    if (reason === "quit") console.log(text)
    else ctx.ui.notify(text)
  }
  pi.on("session_start", say)
  pi.on("session_shutdown", say)
  commands(pi)
}
