/** A well-behaved extension: a tool, a command, a flag, and handlers. Its module runs once, its factory for each session. */
interface Api {
  readonly on: (event: string, handler: (event: object, ctx: Context) => unknown) => () => void
  readonly registerTool: (tool: object) => void
  readonly registerCommand: (name: string, command: object) => void
  readonly registerFlag: (name: string, flag: object) => void
  readonly appendEntry: (type: string, data: unknown) => void
}
interface Context {
  readonly ui: { readonly notify: (text: string) => void }
}

let factories = 0

export default function greeter(pi: Api): void {
  const { on, registerCommand, registerFlag, registerTool } = pi
  factories++
  registerFlag("loud", { type: "boolean", default: false })
  registerTool({ name: "greet", description: "Greets.", execute: async () => ({ content: "Hello" }) })
  registerCommand("greet", { handler: async (args: string, ctx: Context) => ctx.ui.notify(`Hello ${args}`) })
  on("session_start", (event) => pi.appendEntry("greeter", { factories, event }))
  on("session_shutdown", (event) => pi.appendEntry("greeter", { factories, event }))
}
