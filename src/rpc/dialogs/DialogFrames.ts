/** The frames of questions and notices for the user (protocol.md 4.15, 11.2), cut to what a host can be expected to show. */
import * as Option from "effect/Option"
import { defined } from "../../domain/Values.ts"
import * as Text from "../../domain/Text.ts"
import * as Dialog from "../../services/host/Dialog.ts"
import type {
  ConfirmQuestion,
  EditorQuestion,
  InputQuestion,
  Notification,
  Question,
  SelectQuestion,
  Widget
} from "../../services/host/HostUi.ts"
import type { Reply } from "./DialogSchemas.ts"

/** Characters of titles, notices, states and placeholders; of messages and texts for editors; of an option; of a key. */
const shortText = 64 * 1024
const longText = 1024 * 1024
const optionText = 500
const keyText = 1000
export const mostOptions = 1000
const mostLines = 1000
const lineText = 2000

const marker = "… [cut]"

const cut = (text: string, most: number): string =>
  text.length > most ? Text.first(text, most - marker.length) + marker : text

/** A request without its `type` and `id`. */
export type Request = Readonly<Record<string, unknown>> & { readonly method: string }

const timeout = (question: Question) => defined({ timeout: Dialog.limitOf(question) })

const optionsOf = ({ options }: SelectQuestion) =>
  options.slice(0, mostOptions).map((option) => cut(option, optionText))

const detailsOf = ({ details, options }: SelectQuestion) => {
  if (details === undefined) return {}
  const optionDetails = options.slice(0, mostOptions).map((_, at) => {
    const description = details[at]?.description
    return description === undefined ? {} : { description: cut(description, optionText) }
  })
  return { optionDetails }
}

export const select = (question: SelectQuestion): Request => ({
  method: "select",
  title: cut(question.title, shortText),
  options: optionsOf(question),
  ...detailsOf(question),
  ...timeout(question),
  ...defined({ approvalId: question.approvalId })
})

/** The option as it was asked, if it was shown cut. */
export const optionAsAsked = (question: SelectQuestion, value: string): string =>
  value.endsWith(marker) ? (question.options[optionsOf(question).indexOf(value)] ?? value) : value

export const confirm = (question: ConfirmQuestion): Request => ({
  method: "confirm",
  title: cut(question.title, shortText),
  message: cut(question.message, longText),
  ...timeout(question)
})

export const input = (question: InputQuestion): Request => ({
  method: "input",
  title: cut(question.title, shortText),
  ...(question.placeholder === undefined ? {} : { placeholder: cut(question.placeholder, shortText) }),
  ...timeout(question)
})

export const editor = ({ prefill, promptStyle, title }: EditorQuestion): Request => ({
  method: "editor",
  title: cut(title, shortText),
  ...(prefill === undefined ? {} : { prefill: cut(prefill, longText) }),
  ...defined({ promptStyle })
})

export const cancel = (targetId: string): Request => ({ method: "cancel", targetId })

export const notify = ({ level, message }: Notification): Request => ({
  method: "notify",
  message: cut(message, shortText),
  ...defined({ notifyType: level })
})

export const setStatus = (key: string, text: string | undefined) => ({
  method: "setStatus",
  statusKey: cut(key, keyText),
  statusText: text === undefined ? undefined : cut(text, shortText)
})

const linesOf = (lines: ReadonlyArray<string>) => {
  const shown = lines.slice(0, mostLines).map((line) => cut(line, lineText))
  return lines.length > mostLines ? [...shown.slice(0, -1), marker] : shown
}

export const setWidget = ({ key, lines, placement }: Widget): Request => ({
  method: "setWidget",
  widgetKey: cut(key, keyText),
  ...defined({ widgetLines: lines && linesOf(lines), widgetPlacement: placement })
})

export const setTitle = (title: string): Request => ({ method: "setTitle", title: cut(title, shortText) })

export const setEditorText = (text: string): Request => ({ method: "set_editor_text", text: cut(text, longText) })

/** What a question learns of its reply. */
export type Answer = Pick<Reply, "cancelled" | "confirmed" | "timedOut" | "value">

/** The text of a reply; none when it was cancelled, and when it is of another kind. */
export const textOf = ({ cancelled, value }: Answer): Option.Option<string> =>
  cancelled === true ? Option.none() : Option.fromNullable(value)

export const confirmedOf = ({ cancelled, confirmed }: Answer): Option.Option<boolean> =>
  cancelled === true ? Option.none() : Option.fromNullable(confirmed)
