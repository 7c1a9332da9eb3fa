/** The line that the person types into: its text, the history behind it, the menu of Tab and the search of Ctrl-R. */
import * as Text from "../../../../domain/Text.ts"
import type { Completion } from "../../../../services/session/modules/Commands.ts"
import type { Live } from "../screen/Painter.ts"
import * as Rows from "../screen/Rows.ts"
import type { Style } from "../screen/Style.ts"
import * as Completions from "./Completion.ts"
import * as Editor from "./Editor.ts"
import * as EditorRows from "./EditorRows.ts"
import * as History from "./History.ts"
import type { Input } from "./Keys.ts"

/** What a key asks for that is not about the text. */
export type Request =
  | { readonly _tag: "Submit"; readonly text: string }
  | { readonly _tag: "Complete" }
  | { readonly _tag: "Leave" }

interface Menu extends Completions.Candidates {
  readonly chosen: number | undefined
  /** Where the text that was put in ends. */
  readonly end: number
}

interface Search {
  readonly query: string
  readonly found: number | undefined
}

export interface PromptLine {
  readonly press: (input: Input) => Request | undefined
  readonly editor: () => Editor.Editor
  readonly set: (text: string) => void
  /** Keeps a text that was sent. */
  readonly remember: (text: string) => void
  /** Candidates for the word at the cursor: one is put in, of several the beginning that they share. */
  readonly offer: (candidates: Completions.Candidates) => void
  readonly live: (options: EditorRows.RowOptions) => Live
}

const mostMenuRows = 8

export const make = (entries: ReadonlyArray<string>, style: Style): PromptLine => {
  let editor = Editor.empty
  let history = History.make(entries)
  let menu: Menu | undefined
  let search: Search | undefined

  const submit = (): Request | undefined => {
    const longer = Editor.continued(editor)
    if (longer !== undefined) {
      editor = longer
      return undefined
    }
    const { text } = editor
    if (text.trim() === "") return undefined
    editor = { ...Editor.empty, killed: editor.killed }
    return { _tag: "Submit", text }
  }

  const browse = (by: -1 | 1) => {
    const step = History.step(history, editor.text, by)
    if (step === undefined) return
    history = step[0]
    editor = Editor.withText(editor, step[1])
  }

  const put = ({ value }: Completion, { from, to }: Completions.Candidates) => {
    editor = Editor.replace(editor, from, to, value)
  }

  const cycle = (open: Menu, by: -1 | 1) => {
    const next = open.chosen === undefined ? (by > 0 ? 0 : open.items.length - 1) : open.chosen + by
    const chosen = (next + open.items.length) % open.items.length
    const item = open.items[chosen]
    if (item === undefined) return
    put(item, { ...open, to: open.end })
    menu = { ...open, chosen, end: editor.cursor }
  }

  const offer = (candidates: Completions.Candidates) => {
    const [first, ...others] = candidates.items
    if (first === undefined) return
    if (others.length === 0) return put(first, candidates)
    put({ value: longer(Completions.common(candidates.items), candidates), label: "" }, candidates)
    menu = { ...candidates, chosen: undefined, end: editor.cursor }
  }
  /** What is typed may differ from the candidates in case only; it must not get shorter. */
  const longer = (shared: string, { from, to }: Completions.Candidates) =>
    shared.length > to - from ? shared : editor.text.slice(from, to)

  const lookBack = (found: Search, before: number) => {
    const at = History.search(history, found.query, before)
    search = { query: found.query, found: at ?? found.found }
    const text = at === undefined ? undefined : history.entries[at]
    if (text !== undefined) editor = Editor.withText(editor, text)
  }

  /** True when the key belonged to the search. */
  const searching = (input: Input): boolean => {
    if (search === undefined) return false
    if (input._tag !== "Key") lookBack({ query: search.query + input.text, found: undefined }, history.entries.length)
    else if (input.id === "ctrl+r") lookBack(search, search.found ?? history.entries.length)
    else if (input.id === "backspace") {
      lookBack({ query: search.query.slice(0, -1), found: undefined }, history.entries.length)
    } else {
      search = undefined
      return input.id === "escape"
    }
    return true
  }

  const key = (id: string): Request | undefined => {
    if (id === "enter") return submit()
    if (id === "tab") return { _tag: "Complete" }
    if (id === "ctrl+d" && editor.text === "") return { _tag: "Leave" }
    if (id === "ctrl+r") {
      search = { query: "", found: undefined }
      return undefined
    }
    const edited = Editor.press(editor, id)
    if (edited !== undefined) editor = edited
    else if (id === "up" || id === "ctrl+p") browse(-1)
    else if (id === "down" || id === "ctrl+n") browse(1)
    else if (id === "space") editor = Editor.insert(editor, " ")
    return undefined
  }

  const press = (input: Input): Request | undefined => {
    if (searching(input)) return undefined
    if (input._tag === "Key" && menu !== undefined && (input.id === "tab" || input.id === "shift+tab")) {
      cycle(menu, input.id === "tab" ? 1 : -1)
      return undefined
    }
    menu = undefined
    if (input._tag === "Key") return key(input.id)
    editor = Editor.insert(editor, input.text)
    return undefined
  }

  const menuRows = (width: number): ReadonlyArray<string> => {
    if (menu === undefined) return []
    const { chosen = 0, items } = menu
    const top = Math.max(0, Math.min(chosen - mostMenuRows + 2, items.length - mostMenuRows))
    const rows = items.slice(top, top + mostMenuRows).map(({ description = "", label }, at) => {
      const isChosen = menu?.chosen === top + at
      const row = Rows.fit(
        `  ${isChosen ? style.symbols.chosen : " "} ${Text.oneLine(label)}  ${Text.oneLine(description)}`.trimEnd(),
        width
      )
      return isChosen ? style.accent(row) : style.dim(row)
    })
    const hidden = items.length - rows.length
    return hidden > 0 ? [...rows, style.dim(`    ${hidden} more`)] : rows
  }

  const searchRow = ({ found, query }: Search) =>
    style.dim(`search: ${query}${found === undefined && query !== "" ? " (nothing found)" : ""}`)

  return {
    press,
    editor: () => editor,
    set: (text) => {
      editor = Editor.withText(editor, text)
      menu = undefined
    },
    remember: (text) => {
      history = History.add(history, text)
    },
    offer,
    live: (options) => {
      const { cursor, rows } = EditorRows.render(editor, options)
      const more = search === undefined ? menuRows(options.width) : [searchRow(search)]
      return { rows: [...rows, ...more], cursor }
    }
  }
}
