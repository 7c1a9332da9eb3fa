/** Renders events as text for a terminal. Pure: a state and an event give a new state and the text to print. */
import type {
  AgentMessage,
  AssistantMessageEvent,
  HeddleEvent,
  PromptResultEvent,
  RunFailure,
  ToolExecutionEndEvent,
  ToolExecutionStartEvent,
  ToolOutput
} from "../../src/client/index.ts"

export interface Style {
  readonly color: boolean
}

export interface State {
  /** The kind of the last output. It decides whether an empty line comes before the next output. */
  readonly last: "nothing" | "line" | "thinking" | "text"
  /** The call whose heading was printed last. Its output needs no heading of its own. */
  readonly lastCall: string
  /** The headings of running calls. */
  readonly calls: Readonly<Record<string, string>>
  readonly model: string
  readonly turns: number
  readonly input: number
  readonly output: number
  readonly cost: number
}

export const initial: State = {
  last: "nothing",
  lastCall: "",
  calls: {},
  model: "",
  turns: 0,
  input: 0,
  output: 0,
  cost: 0
}

type Step = readonly [State, string]

const maxLines = 8
const maxWidth = 120

/** Drops control characters, so that text of models and files cannot control the terminal. */
const clean = (said: string): string => said.replaceAll(/[^\P{Cc}\n\t]/gu, "")

const paint = (code: number, said: string, { color }: Style): string =>
  color && said !== "" ? `\u001b[${code}m${said}\u001b[0m` : said
const dim = (said: string, style: Style) => paint(2, said, style)
const bold = (said: string, style: Style) => paint(1, said, style)
const red = (said: string, style: Style) => paint(31, said, style)

const cut = (line: string): string => (line.length > maxWidth ? `${line.slice(0, maxWidth - 1)}…` : line)

const plural = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`

/** The first lines, indented, and the number of omitted lines. */
const shorten = (said: string): string => {
  const lines = clean(said).trimEnd().split("\n")
  const shown = lines.slice(0, maxLines).map((line) => `  ${cut(line)}`)
  const left = lines.length - shown.length
  return [...shown, ...(left > 0 ? [`  … ${plural(left, "more line")}`] : [])].join("\n")
}

/** Ends the line that is being streamed. */
const newLine = ({ last }: State): string => (last === "thinking" || last === "text" ? "\n" : "")

/** A line of its own, after an empty line. */
const paragraph = (state: State, line: string): Step => [
  { ...state, last: "line", lastCall: "" },
  `${newLine(state)}${state.last === "nothing" ? "" : "\n"}${line}\n`
]

const contentText = (content: ToolOutput["content"]): string =>
  content.map((part) => (part.type === "image" ? `[image ${part.mimeType}]` : part.text)).join("\n")

const update = (state: State, step: AssistantMessageEvent, style: Style): Step => {
  const [kind, phase] = step.type.split("_")
  if (kind !== "thinking" && kind !== "text") return [state, ""]
  if (phase === "start") {
    const label = kind === "thinking" && !style.color ? "(thinking) " : ""
    return [{ ...state, last: kind, lastCall: "" }, `${newLine(state)}${state.last === "nothing" ? "" : "\n"}${label}`]
  }
  if (!("delta" in step)) return [state, ""]
  const delta = clean(step.delta)
  return [state, kind === "thinking" ? dim(delta, style) : delta]
}

/** `read path="README.md" limit=60` */
const heading = ({ args, toolName }: ToolExecutionStartEvent): string => {
  const pairs = Object.entries(args).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  return cut(clean(`${toolName}${pairs.join("")}`))
}

const toolStarted = (state: State, event: ToolExecutionStartEvent, style: Style): Step => {
  const title = heading(event)
  const [next, line] = paragraph(state, `▸ ${bold(title, style)}`)
  return [{ ...next, lastCall: event.toolCallId, calls: { ...state.calls, [event.toolCallId]: title } }, line]
}

/** Calls run side by side, so output that does not follow its own heading repeats it. */
const toolEnded = (state: State, event: ToolExecutionEndEvent, style: Style): Step => {
  const { isError, result, toolCallId: id, toolName } = event
  const { [id]: title, ...calls } = state.calls
  const said = shorten(typeof result === "string" ? result : contentText(result.content))
  const output = isError ? red(said, style) : dim(said, style)
  const again = state.lastCall === id ? "" : `\n◂ ${bold(title ?? toolName, style)}\n`
  return [{ ...state, last: "line", lastCall: "", calls }, `${newLine(state)}${again}${output}\n`]
}

const messageEnded = (state: State, message: AgentMessage): Step => {
  if (message.role !== "assistant") return [state, ""]
  const { cost, ...tokens } = message.usage
  return [
    {
      ...state,
      model: `${message.provider}/${message.model}`,
      turns: state.turns + 1,
      input: state.input + tokens.input + tokens.cacheRead + tokens.cacheWrite,
      output: state.output + tokens.output,
      cost: state.cost + cost.total
    },
    ""
  ]
}

const failure = ({ httpStatus, message, model, provider }: RunFailure): string => {
  const where = [provider, model].filter((part) => part !== undefined).join("/")
  const status = httpStatus === undefined ? "" : `HTTP ${httpStatus}`
  const detail = [where, status].filter((part) => part !== "").join(", ")
  return clean(`error: ${message}${detail === "" ? "" : ` (${detail})`}`)
}

const finished = (state: State, { error, status }: PromptResultEvent, style: Style): Step => {
  const { cost, input, model, output, turns } = state
  const spent = `${model} · ${plural(turns, "model call")} · ${input} tokens in, ${output} out · $${cost.toFixed(4)}`
  const notes = [
    ...(error === undefined ? [] : [red(failure(error), style)]),
    ...(status === "aborted" ? [red("aborted", style)] : []),
    dim(clean(spent), style)
  ]
  return paragraph(state, notes.join("\n"))
}

/** Prints nothing for events that have nothing to show, and for events of later versions. */
export const render = (state: State, event: HeddleEvent, style: Style): Step => {
  switch (event.type) {
    case "message_start":
      return event.message.role === "user"
        ? paragraph(state, bold(clean(`> ${contentText(event.message.content)}`), style))
        : [state, ""]
    case "message_update":
      return update(state, event.assistantMessageEvent, style)
    case "message_end":
      return messageEnded(state, event.message)
    case "tool_execution_start":
      return toolStarted(state, event, style)
    case "tool_execution_end":
      return toolEnded(state, event, style)
    case "notice":
      return paragraph(state, dim(clean(`${event.level}: ${event.message}`), style))
    case "prompt_result":
      return finished(state, event, style)
    default:
      return [state, ""]
  }
}
