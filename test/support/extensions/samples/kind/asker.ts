/** Asks the user in every way: by `/ask <json>`, and by the tool `ask_me`. */
import { type Api, type Context, said } from "../Pi.ts"

interface Question {
  readonly method: string
  readonly timeout?: number
  /** Withdraws the question after that many milliseconds. */
  readonly abortAfter?: number
}

const ask = ({ ui }: Context, { abortAfter, method, timeout }: Question): Promise<unknown> => {
  const signal = abortAfter === undefined ? {} : { signal: AbortSignal.timeout(abortAfter) }
  const rest = { ...(timeout === undefined ? {} : { timeout }), ...signal }
  switch (method) {
    case "select":
      return ui.select("Which?", ["one", "two"], rest)
    case "confirm":
      return ui.confirm("Sure?", "It matters.", rest)
    case "input":
      return ui.input("Name?", "Ada", rest)
    default:
      return ui.editor("Text?", "so far")
  }
}

const plain = (answer: unknown) => (answer === undefined ? "undefined" : JSON.stringify(answer))

export default (pi: Api): void => {
  pi.registerCommand("ask", {
    handler: async (args, ctx) => {
      const answer = plain(await ask(ctx, JSON.parse(args)))
      console.error(`answer: ${answer}`)
      ctx.ui.notify(answer)
    }
  })
  pi.registerTool({
    name: "ask_me",
    execute: async (_id, { method }, _signal, _update, ctx) => said(plain(await ask(ctx, { method: String(method) })))
  })
  pi.registerCommand("show", {
    handler: (_args, { ui }) => {
      ui.setStatus("s", "busy")
      ui.setStatus("s")
      ui.setWidget("w", ["one", "two"])
      ui.setTitle("a title")
      ui.setEditorText("a text")
      ui.notify("careful", "warning")
    }
  })
}
