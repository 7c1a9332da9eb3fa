/** Renders frames as text for a terminal. Pure: a state and a frame give a new state and the text to print. */
import { type Frame, isRecord, list, member, number, text } from "./Frame.ts"

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

const contentText = (content: ReadonlyArray<unknown>): string =>
  content
    .map((part) => (text(part, "type") === "image" ? `[image ${text(part, "mimeType")}]` : text(part, "text")))
    .join("\n")

const update = (state: State, step: unknown, style: Style): Step => {
  const [kind, phase] = text(step, "type").split("_")
  if (kind !== "thinking" && kind !== "text") return [state, ""]
  if (phase === "start") {
    const label = kind === "thinking" && !style.color ? "(thinking) " : ""
    return [{ ...state, last: kind, lastCall: "" }, `${newLine(state)}${state.last === "nothing" ? "" : "\n"}${label}`]
  }
  if (phase !== "delta") return [state, ""]
  const delta = clean(text(step, "delta"))
  return [state, kind === "thinking" ? dim(delta, style) : delta]
}

/** `read path="README.md" limit=60` */
const heading = (frame: Frame): string => {
  const args = member(frame, "args")
  const pairs = isRecord(args) ? Object.entries(args).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`) : []
  return cut(clean(`${text(frame, "toolName")}${pairs.join("")}`))
}

const toolStarted = (state: State, frame: Frame, style: Style): Step => {
  const id = text(frame, "toolCallId")
  const title = heading(frame)
  const [next, line] = paragraph(state, `▸ ${bold(title, style)}`)
  return [{ ...next, lastCall: id, calls: { ...state.calls, [id]: title } }, line]
}

/** Calls run side by side, so output that does not follow its own heading repeats it. */
const toolEnded = (state: State, frame: Frame, style: Style): Step => {
  const id = text(frame, "toolCallId")
  const { [id]: title, ...calls } = state.calls
  const said = shorten(contentText(list(member(frame, "result"), "content")))
  const output = frame["isError"] === true ? red(said, style) : dim(said, style)
  const again = state.lastCall === id ? "" : `\n◂ ${bold(title ?? text(frame, "toolName"), style)}\n`
  return [{ ...state, last: "line", lastCall: "", calls }, `${newLine(state)}${again}${output}\n`]
}

const messageEnded = (state: State, message: unknown): Step => {
  if (text(message, "role") !== "assistant") return [state, ""]
  const usage = member(message, "usage")
  return [
    {
      ...state,
      model: `${text(message, "provider")}/${text(message, "model")}`,
      turns: state.turns + 1,
      input: state.input + number(usage, "input") + number(usage, "cacheRead") + number(usage, "cacheWrite"),
      output: state.output + number(usage, "output"),
      cost: state.cost + number(member(usage, "cost"), "total")
    },
    ""
  ]
}

const failure = (error: unknown): string => {
  const status = number(error, "httpStatus")
  const where = [text(error, "provider"), text(error, "model")].filter((part) => part !== "").join("/")
  const detail = [where, status === 0 ? "" : `HTTP ${status}`].filter((part) => part !== "").join(", ")
  return clean(`error: ${text(error, "message")}${detail === "" ? "" : ` (${detail})`}`)
}

const finished = (state: State, frame: Frame, style: Style): Step => {
  const { cost, input, model, output, turns } = state
  const spent = `${model} · ${plural(turns, "model call")} · ${input} tokens in, ${output} out · $${cost.toFixed(4)}`
  const status = text(frame, "status")
  const notes = [
    ...(status === "error" ? [red(failure(frame["error"]), style)] : []),
    ...(status === "aborted" ? [red("aborted", style)] : []),
    dim(clean(spent), style)
  ]
  return paragraph(state, notes.join("\n"))
}

/** Prints nothing for frames that have nothing to show, and for frames of later versions. */
export const render = (state: State, frame: Frame, style: Style): Step => {
  switch (frame.type) {
    case "message_start":
      return text(frame["message"], "role") === "user"
        ? paragraph(state, bold(clean(`> ${contentText(list(frame["message"], "content"))}`), style))
        : [state, ""]
    case "message_update":
      return update(state, frame["assistantMessageEvent"], style)
    case "message_end":
      return messageEnded(state, frame["message"])
    case "tool_execution_start":
      return toolStarted(state, frame, style)
    case "tool_execution_end":
      return toolEnded(state, frame, style)
    case "notice":
      return paragraph(state, dim(clean(`${text(frame, "level")}: ${text(frame, "message")}`), style))
    case "prompt_result":
      return finished(state, frame, style)
    default:
      return [state, ""]
  }
}
