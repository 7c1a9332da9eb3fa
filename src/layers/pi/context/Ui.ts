/** `ctx.ui`. Dialogs belong to the call whose context they were opened with: they are withdrawn when that is given up. */
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defined } from "../../../domain/Values.ts"
import * as Call from "../../machine/foreign/Call.ts"
import type { Instance } from "../instance/Instance.ts"
import { isHandler, isRecord, options, textIn } from "../instance/Values.ts"

const plain = (text: unknown): string => String(text)
const styled = (_colour: unknown, text: unknown): string => String(text)

/** A theme without colours: what an extension styles reaches the host as plain text. */
const theme = {
  name: "plain",
  fg: styled,
  bg: styled,
  bold: plain,
  dim: plain,
  italic: plain,
  underline: plain,
  inverse: plain,
  strikethrough: plain,
  getFgAnsi: () => "",
  getBgAnsi: () => "",
  getColorMode: () => "256color",
  getThinkingBorderColor: () => plain,
  getBashModeBorderColor: () => plain
} as const

const ignored = () => undefined
const unsubscribe = () => ignored

/** Options are texts; some hosts of the family also take objects with a label. */
const optionOf = (option: unknown) => {
  if (!isRecord(option)) return { label: String(option) }
  const description = textIn(option, "description")
  return { label: textIn(option, "label") ?? String(option["value"]), ...defined({ description }) }
}

const questionOf = (title: unknown, given: unknown) => {
  const { timeout } = options(given)
  const isLimited = typeof timeout === "number" && timeout > 0
  return { title: String(title), ...(isLimited ? { timeoutMs: timeout } : {}) }
}

const levelOf = (type: unknown) => (type === "warning" || type === "error" ? type : "info")

const dialogs = ({ bridge, ports: { ui } }: Instance, call: Call.Call) => {
  const ask = <A>(question: Effect.Effect<A>, unanswered: A, given: unknown): Promise<A> => {
    const { signal } = options(given)
    const either = Call.either(call.signal(), Call.signalOf(signal))
    return bridge.run(question, { signal: either, whenAborted: { value: unanswered } })
  }
  const none = Option.none<string>()

  return {
    select: async (title: unknown, choices: unknown, given?: unknown) => {
      if (!Array.isArray(choices)) throw new TypeError("ui.select: options must be an array of texts")
      const shown = Array.from(choices, optionOf)
      const isDescribed = shown.some(({ description }) => description !== undefined)
      const question = {
        ...questionOf(title, given),
        options: shown.map(({ label }) => label),
        ...(isDescribed ? { details: shown.map(({ description }) => defined({ description })) } : {})
      }
      return Option.getOrUndefined(await ask(ui.select(question), none, given))
    },
    confirm: (title: unknown, message: unknown, given?: unknown) =>
      ask(ui.confirm({ ...questionOf(title, given), message: String(message ?? "") }), false, given),
    input: async (title: unknown, placeholder?: unknown, given?: unknown) => {
      const shown = typeof placeholder === "string" ? { placeholder } : {}
      return Option.getOrUndefined(await ask(ui.input({ ...questionOf(title, given), ...shown }), none, given))
    },
    editor: async (title: unknown, prefill?: unknown, given?: unknown, style?: unknown) => {
      const shown = typeof prefill === "string" ? { prefill } : {}
      const promptStyle = options(style)["promptStyle"] === true ? { promptStyle: true } : {}
      const question = ui.editor({ ...questionOf(title, given), ...shown, ...promptStyle })
      return Option.getOrUndefined(await ask(question, none, given))
    }
  }
}

/** The widget that a host can show: lines of text. Components are for terminals. */
const linesOf = (content: unknown) =>
  Array.isArray(content)
    ? { lines: Array.from(content, String) }
    : typeof content === "string"
      ? { lines: [content] }
      : {}

const placements = ["aboveEditor", "belowEditor"] as const

const notices = ({ bridge, ports: { ui }, report }: Instance) => {
  const fire = (effect: Effect.Effect<void>) => bridge.fire(effect, (message) => report("ui", message))
  const setEditorText = (text: unknown) => fire(ui.setEditorText(String(text ?? "")))
  return {
    notify: (message: unknown, type?: unknown) => fire(ui.notify({ message: String(message), level: levelOf(type) })),
    setStatus: (key: unknown, text?: unknown) =>
      fire(text === undefined || text === null ? ui.setStatus(String(key)) : ui.setStatus(String(key), String(text))),
    setWidget: (key: unknown, content: unknown, given?: unknown) => {
      if (isHandler(content)) return
      const { placement } = options(given)
      const known = placements.find((name) => name === placement)
      fire(ui.setWidget({ key: String(key), ...linesOf(content), ...defined({ placement: known }) }))
    },
    setTitle: (title: unknown) => fire(ui.setTitle(String(title))),
    setEditorText,
    pasteToEditor: setEditorText
  }
}

const noTheme = { success: false, error: "Themes are not available in rpc mode" } as const

/** What only a terminal can show. */
const terminalOnly = {
  theme,
  custom: async () => undefined,
  getEditorText: () => "",
  onTerminalInput: unsubscribe,
  setWorkingMessage: ignored,
  setWorkingVisible: ignored,
  setWorkingIndicator: ignored,
  setHiddenThinkingLabel: ignored,
  setFooter: ignored,
  setHeader: ignored,
  setEditorComponent: ignored,
  getEditorComponent: ignored,
  addAutocompleteProvider: ignored,
  getAllThemes: () => [],
  getTheme: ignored,
  setTheme: () => noTheme,
  getToolsExpanded: () => false,
  setToolsExpanded: ignored
}

export const make = (instance: Instance, call: Call.Call) => ({
  ...terminalOnly,
  ...notices(instance),
  ...dialogs(instance, call)
})
