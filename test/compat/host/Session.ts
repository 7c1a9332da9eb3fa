/** What a check does with a host: prompts it, lets its model call tools, answers its dialogs, and looks at what comes. */
import type { Exit } from "../../support/torture/Agent.ts"
import { at, brief, list, plain, text } from "./Frames.ts"
import * as Host from "./Host.ts"
import type { Place } from "./Place.ts"
import type { ModelRequest, ChatModel } from "../../support/ChatModel.ts"

export interface ToolResult {
  readonly text: string
  readonly details: unknown
  readonly isError: boolean
}

export interface Dialog {
  readonly title: string
  readonly options: ReadonlyArray<unknown>
  readonly answer: (reply: { readonly value: string } | { readonly confirmed: boolean }) => void
}

export interface Session {
  readonly place: Place
  /** All requests to the model since the first start. */
  readonly requests: ReadonlyArray<ModelRequest>
  readonly request: (frame: object) => Promise<Host.Frame>
  /** A prompt for the model; resolves when the run has settled. */
  readonly prompt: (message: string) => Promise<void>
  /** Makes the model call the tool; resolves when the run has settled. */
  readonly call: (tool: string, args: object) => Promise<ToolResult>
  /** A prompt that an extension handles. It may answer only after its dialogs, so a bad answer fails the check by itself. */
  readonly handled: (message: string) => Promise<void>
  /** The next dialog of this method since the check began. */
  readonly dialog: (method: "select" | "confirm" | "input") => Promise<Dialog>
  /** The next frame to the user interface, of those that expect no reply; from the start of the process on. */
  readonly shows: (method: string, fits: (frame: Host.Frame) => boolean, what: string) => Promise<Host.Frame>
  readonly notice: (part: string) => Promise<Host.Frame>
  readonly commands: () => Promise<ReadonlyArray<string>>
  /** Ends the process and starts it again with these options. */
  readonly restart: (...options: ReadonlyArray<string>) => Promise<void>
}

export interface Driver extends Session {
  /** Checks look at what comes from here on. */
  readonly begin: () => void
  readonly host: () => Host.Host
  readonly end: () => Promise<Exit | undefined>
}

const isUi = (method: string) => (frame: Host.Frame) =>
  frame["type"] === "extension_ui_request" && frame["method"] === method

const resultOf = (frame: Host.Frame): ToolResult => ({
  text: text(at(frame, "result", "content")),
  details: at(frame, "result", "details"),
  isError: frame["isError"] === true
})

const ignored = (message: string, response: Host.Frame) => {
  const disposition = at(response, "data", "disposition")
  if (disposition === "handled") return undefined
  return `${message} was not handled by an extension: disposition ${brief(disposition)}`
}

const despair = (): [Promise<never>, (reason: unknown) => void] => {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => undefined)
  return [promise, reject]
}

export const open = (place: Place, model: ChatModel, launch: (options: ReadonlyArray<string>) => Host.Host): Driver => {
  let host = launch([])
  let from = 0
  /** The prompt of this check that an extension must handle. */
  let awaited: string | undefined
  let [hopeless, giveUp] = despair()
  const taken = new Set<Host.Frame>()

  const settled = (mark: number) =>
    host.until((frame) => frame["type"] === "agent_settled", { from: mark, what: "the end of the run" })
  const accepted = (response: Host.Frame) => {
    if (response["success"] !== true) throw new Host.Failure(`the prompt was refused: ${brief(response["error"])}`)
    return response
  }
  const prompt = async (message: string) => {
    const mark = host.frames.length
    accepted(await host.request({ type: "prompt", message }))
    await settled(mark)
  }
  const call = async (tool: string, args: object) => {
    const mark = host.frames.length
    const response = host.request({ type: "prompt", message: `CALL ${tool} ${JSON.stringify(args)}` }, 30_000)
    const end = host.until((frame) => frame["type"] === "tool_execution_end" && frame["toolName"] === tool, {
      from: mark,
      what: `a result of ${tool}`,
      ms: 30_000,
      unless: ({ type }) => (type === "agent_settled" ? `the run ended without a result of ${tool}` : undefined)
    })
    const [, frame] = await Promise.all([response.then(accepted), end])
    await settled(mark)
    return resultOf(frame)
  }
  const handled = async (message: string) => {
    awaited = message
    const reason = ignored(message, accepted(await host.request({ type: "prompt", message })))
    if (reason !== undefined) throw new Host.Failure(reason)
  }
  const fatal = <A>(doing: Promise<A>): Promise<A> => {
    doing.catch(giveUp)
    return doing
  }
  /** A run that failed shows nothing any more. */
  const until = (fits: Host.Fits, wait: Host.Wait) => Promise.race([host.until(fits, wait), hopeless])
  const dialog = async (method: string): Promise<Dialog> => {
    const frame = await until((frame) => isUi(method)(frame) && !taken.has(frame), {
      from,
      what: `a ${method} dialog`,
      unless: (frame) => {
        const { command, type } = frame
        // It comes before the end of the run that was started instead, and is the better reason.
        if (type === "response" && command === "prompt" && awaited !== undefined) return ignored(awaited, frame)
        if (type === "agent_settled") return `the run ended without a ${method} dialog`
        return type === "response" && command === "new_session" ? `new_session did not wait for a dialog` : undefined
      }
    })
    taken.add(frame)
    return {
      title: String(frame["title"]),
      options: list(frame["options"]),
      answer: (reply) => host.send({ type: "extension_ui_response", id: frame["id"], ...reply })
    }
  }
  const end = () => host.end()
  return {
    place,
    requests: model.requests,
    request: (frame) => host.request(frame),
    prompt: (message) => fatal(prompt(message)),
    call: (tool, args) => fatal(call(tool, args)),
    handled: (message) => fatal(handled(message)),
    dialog,
    shows: (method, fits, what) => until((frame) => isUi(method)(frame) && fits(frame), { from: 0, what }),
    notice: (part) =>
      until((frame) => isUi("notify")(frame) && plain(frame["message"]).includes(part), {
        from,
        what: `the notice "${part}"`
      }),
    commands: async () =>
      list(at(await host.request({ type: "get_commands" }), "data", "commands")).map((one) => String(at(one, "name"))),
    restart: async (...options) => {
      await end()
      host = launch(options)
      from = 0
    },
    begin: () => {
      from = host.frames.length
      awaited = undefined
      ;[hopeless, giveUp] = despair()
    },
    host: () => host,
    end
  }
}
