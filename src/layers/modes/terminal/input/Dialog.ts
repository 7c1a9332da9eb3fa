/** One question on the terminal: how keys change it, and how it looks. Immutable and pure. */
import * as Option from "effect/Option"
import * as Text from "../../../../domain/Text.ts"
import type {
  ConfirmQuestion,
  EditorQuestion,
  InputQuestion,
  SelectQuestion
} from "../../../../services/host/HostUi.ts"
import type { Live } from "../screen/Painter.ts"
import * as Rows from "../screen/Rows.ts"
import type { Style } from "../screen/Style.ts"
import * as Editor from "./Editor.ts"
import * as EditorRows from "./EditorRows.ts"
import type { Input } from "./Keys.ts"

/** What else there is to a choice of heddle itself. */
export interface ChoiceManner {
  /** Rows below the title. */
  readonly about: ReadonlyArray<string>
  /** A letter for each option, which answers at once. */
  readonly keys: ReadonlyArray<string>
}

export type Asked =
  | { readonly _tag: "Select"; readonly question: SelectQuestion; readonly manner?: ChoiceManner }
  | { readonly _tag: "Confirm"; readonly question: ConfirmQuestion }
  | { readonly _tag: "Text"; readonly question: InputQuestion | EditorQuestion }

export interface Dialog {
  readonly asked: Asked
  readonly editor: Editor.Editor
  /** The index of the option that Enter chooses. */
  readonly chosen: number
}

/** The answer, none where the question is cancelled, or the dialog as it is after the key. */
export type Step = { readonly answer: Option.Option<string> } | { readonly dialog: Dialog }

export const yes = "y"
const no = "n"

export const make = (asked: Asked): Dialog => {
  const prefill = asked._tag === "Text" && "prefill" in asked.question ? asked.question.prefill : ""
  const { chosen = "", options = [] } = asked._tag === "Select" ? asked.question : {}
  return {
    asked,
    editor: Editor.withText(Editor.empty, Text.printable(prefill ?? "")),
    chosen: Math.max(0, options.indexOf(chosen))
  }
}

const answered = (text: string): Step => ({ answer: Option.some(text) })
const changed = (dialog: Dialog, change: Partial<Dialog>): Step => ({ dialog: { ...dialog, ...change } })
const typed = (dialog: Dialog, text: string) => changed(dialog, { editor: Editor.insert(dialog.editor, text) })

const moves: Readonly<Record<string, -1 | 1>> = { up: -1, "ctrl+p": -1, "shift+tab": -1, down: 1, "ctrl+n": 1, tab: 1 }

/** With fewer options a digit is an answer; with more of them Enter ends the number. */
const fewOptions = 10

const select = (dialog: Dialog, { options }: SelectQuestion, keys: ReadonlyArray<string>, input: Input): Step => {
  const choose = (index: number) => {
    const option = options[index]
    return option === undefined ? changed(dialog, { editor: Editor.empty }) : answered(option)
  }
  if (input._tag !== "Key") {
    const letter = keys.indexOf(input.text.trim().toLowerCase())
    if (letter >= 0) return choose(letter)
    const digits = input.text.replaceAll(/\D/g, "")
    return digits !== "" && options.length < fewOptions ? choose(Number(digits) - 1) : typed(dialog, digits)
  }
  const move = moves[input.id]
  if (move !== undefined) {
    return changed(dialog, { chosen: (dialog.chosen + move + options.length) % Math.max(1, options.length) })
  }
  if (input.id === "backspace") return changed(dialog, { editor: Editor.empty })
  if (input.id !== "enter") return { dialog }
  return choose(dialog.editor.text === "" ? dialog.chosen : Number(dialog.editor.text) - 1)
}

const confirm = (dialog: Dialog, input: Input): Step => {
  if (input._tag === "Key") return input.id === "enter" ? answered(no) : { dialog }
  const [first = ""] = input.text.trim().toLowerCase()
  return first === yes || first === no ? answered(first) : { dialog }
}

const text = (dialog: Dialog, input: Input): Step => {
  if (input._tag !== "Key") return typed(dialog, input.text)
  if (input.id !== "enter") return changed(dialog, { editor: Editor.press(dialog.editor, input.id) ?? dialog.editor })
  const longer = Editor.continued(dialog.editor)
  return longer === undefined ? answered(dialog.editor.text) : changed(dialog, { editor: longer })
}

export const press = (dialog: Dialog, input: Input): Step => {
  const { asked } = dialog
  if (input._tag === "Key" && (input.id === "escape" || input.id === "ctrl+d")) return { answer: Option.none() }
  if (asked._tag === "Select") return select(dialog, asked.question, asked.manner?.keys ?? [], input)
  return asked._tag === "Confirm" ? confirm(dialog, input) : text(dialog, input)
}

const letters = "Up, Down or a letter, Enter to choose, Esc to cancel"
const hints = {
  Select: "Up, Down or a number, Enter to choose, Esc to cancel",
  Confirm: "y for yes, n or Enter for no, Esc to cancel",
  Text: "Enter to answer, Esc to cancel"
}

const hasLetters = (asked: Asked): boolean => asked._tag === "Select" && asked.manner !== undefined

const head = (asked: Asked, style: Style, width: number): ReadonlyArray<string> => {
  const { _tag, question } = asked
  const title = Rows.wrap(Text.printable(question.title), width - 2).map(style.bold)
  const manner = _tag === "Select" ? asked.manner : undefined
  const about = (manner?.about ?? []).map((row) => Rows.fit(row, width - 2))
  const message = _tag === "Confirm" ? Rows.wrap(Text.printable(question.message), width - 2) : about
  return [...Rows.hang(style.accent("? "), title), ...message.map((row) => `  ${row}`)]
}

interface Options extends Pick<SelectQuestion, "details" | "options"> {
  readonly keys?: ReadonlyArray<string> | undefined
}

const optionRows = ({ details, keys, options }: Options, chosen: number | undefined, style: Style, width: number) =>
  options.map((option, at) => {
    const about = Text.oneLine(details?.[at]?.description ?? "")
    const mark = at === chosen ? style.symbols.chosen : " "
    const row = `${mark} ${keys?.[at] ?? at + 1}. ${Text.oneLine(option)}${about === "" ? "" : style.dim(`  ${about}`)}`
    return at === chosen ? style.accent(Rows.fit(row, width)) : Rows.fit(row, width)
  })

/** What an answer may look like, while there is none. */
const placeholderOf = ({ _tag, question }: Asked): string =>
  _tag === "Text" && "placeholder" in question ? Text.oneLine(question.placeholder ?? "") : ""

const invite = "  > "

export interface RoomOptions {
  readonly width: number
  readonly mostRows: number
}

/** The end of a long question is shown, and of many options those around the chosen one. */
export const live = ({ asked, chosen, editor }: Dialog, style: Style, { mostRows, width }: RoomOptions): Live => {
  const above = head(asked, style, width).slice(-Math.max(2, mostRows - 4))
  const room = Math.max(1, mostRows - above.length - 1)
  const hint = style.dim(Rows.fit(`  ${hasLetters(asked) ? letters : hints[asked._tag]}`, width))
  if (asked._tag === "Select") {
    const all = optionRows({ ...asked.question, keys: asked.manner?.keys }, chosen, style, width)
    const top = Math.max(0, Math.min(chosen - room + 2, all.length - room))
    const rows = [...above, ...all.slice(top, top + room), hint]
    return { rows, cursor: { row: above.length + chosen - top, column: 0 } }
  }
  const field = EditorRows.render(editor, { width, mostRows: room, prompt: invite })
  const cursor = { row: above.length + field.cursor.row, column: field.cursor.column }
  const placeholder = editor.text === "" ? placeholderOf(asked) : ""
  const rows = placeholder === "" ? field.rows : [`${invite}${style.dim(Rows.fit(placeholder, width - invite.length))}`]
  return { rows: [...above, ...rows, hint], cursor }
}

const unlimited = 1000

/** The whole question, for terminals whose rows cannot be replaced. */
export const plain = ({ asked }: Dialog, style: Style): ReadonlyArray<string> => {
  const options =
    asked._tag === "Select"
      ? optionRows({ ...asked.question, keys: asked.manner?.keys }, undefined, style, unlimited)
      : []
  const placeholder = placeholderOf(asked)
  const example = placeholder === "" ? [] : [style.dim(`  (${placeholder})`)]
  return ["", ...head(asked, style, unlimited), ...options, ...example, "> "]
}
