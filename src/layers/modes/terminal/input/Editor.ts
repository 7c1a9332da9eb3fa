/** A text with a cursor, edited with the keys of readline. Immutable and pure. */
import * as Text from "../../../../domain/Text.ts"

export interface Editor {
  readonly text: string
  /** In UTF-16 units, never inside a character. */
  readonly cursor: number
  /** What Ctrl-K, Ctrl-U and Ctrl-W have cut, for Ctrl-Y. */
  readonly killed: string
}

export const empty: Editor = { text: "", cursor: 0, killed: "" }

export const withText = (editor: Editor, text: string): Editor => ({ ...editor, text, cursor: text.length })

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The start of the line that a position is in. */
const lineStart = (text: string, at: number) => text.lastIndexOf("\n", at - 1) + 1
const lineEnd = (text: string, at: number) => {
  const end = text.indexOf("\n", at)
  return end < 0 ? text.length : end
}

/** No character is longer, so a long line need not be looked at from its start. */
const longestCharacter = 64

const before = ({ cursor, text }: Editor): number => {
  const lineFrom = lineStart(text, cursor)
  if (lineFrom === cursor) return Math.max(0, cursor - 1)
  const start = Math.max(lineFrom, cursor - longestCharacter)
  let last = start
  for (const { index } of graphemes.segment(text.slice(start, cursor))) last = start + index
  return last
}

const after = ({ cursor, text }: Editor): number => {
  const [first] = graphemes.segment(text.slice(cursor, Math.min(lineEnd(text, cursor), cursor + longestCharacter)))
  return Math.min(text.length, cursor + (first?.segment.length ?? 1))
}

const wordBefore = ({ cursor, text }: Editor): number =>
  cursor - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text.slice(0, cursor))?.[0].length ?? 0)
const wordAfter = ({ cursor, text }: Editor): number =>
  cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0)
/** To the space before the cursor, as Ctrl-W of shells does. */
const blankBefore = ({ cursor, text }: Editor): number =>
  cursor - (/\S*\s*$/u.exec(text.slice(0, cursor))?.[0].length ?? 0)

const moveTo = (editor: Editor, cursor: number): Editor => ({ ...editor, cursor })

/** Without the text between the cursor and `to`. */
const remove = (editor: Editor, to: number, isKept: boolean): Editor => {
  const [from, until] = to < editor.cursor ? [to, editor.cursor] : [editor.cursor, to]
  const removed = editor.text.slice(from, until)
  return {
    text: editor.text.slice(0, from) + editor.text.slice(until),
    cursor: from,
    killed: isKept && removed !== "" ? removed : editor.killed
  }
}

/** Line feeds and tabs are kept, other control characters are not. */
export const insert = (editor: Editor, text: string): Editor => {
  const inserted = Text.printable(text)
  return {
    ...editor,
    text: editor.text.slice(0, editor.cursor) + inserted + editor.text.slice(editor.cursor),
    cursor: editor.cursor + inserted.length
  }
}

/** With the text between two positions replaced, and the cursor behind it. */
export const replace = (editor: Editor, from: number, to: number, text: string): Editor =>
  insert(moveTo({ ...editor, text: editor.text.slice(0, from) + editor.text.slice(to) }, from), text)

/** To the line above or below; undefined where there is none. */
const moveLine = (editor: Editor, by: -1 | 1): Editor | undefined => {
  const { cursor, text } = editor
  const start = lineStart(text, cursor)
  const target = by < 0 ? start - 1 : lineEnd(text, cursor) + 1
  if (target < 0 || target > text.length) return undefined
  const [from, to] = [lineStart(text, target), lineEnd(text, target)]
  return moveTo(editor, Math.min(from + cursor - start, to))
}

type Edit = (editor: Editor) => Editor | undefined

const moves: Readonly<Record<string, Edit>> = {
  left: (editor) => moveTo(editor, before(editor)),
  right: (editor) => moveTo(editor, after(editor)),
  home: (editor) => moveTo(editor, lineStart(editor.text, editor.cursor)),
  end: (editor) => moveTo(editor, lineEnd(editor.text, editor.cursor)),
  "alt+left": (editor) => moveTo(editor, wordBefore(editor)),
  "alt+right": (editor) => moveTo(editor, wordAfter(editor)),
  up: (editor) => moveLine(editor, -1),
  down: (editor) => moveLine(editor, 1)
}

const changes: Readonly<Record<string, Edit>> = {
  backspace: (editor) => remove(editor, before(editor), false),
  delete: (editor) => (editor.cursor === editor.text.length ? editor : remove(editor, after(editor), false)),
  "ctrl+k": (editor) => {
    const end = lineEnd(editor.text, editor.cursor)
    return remove(editor, end === editor.cursor ? Math.min(end + 1, editor.text.length) : end, true)
  },
  "ctrl+u": (editor) => remove(editor, lineStart(editor.text, editor.cursor), true),
  "ctrl+w": (editor) => remove(editor, blankBefore(editor), true),
  "alt+backspace": (editor) => remove(editor, wordBefore(editor), true),
  "alt+d": (editor) => remove(editor, wordAfter(editor), true),
  "ctrl+y": (editor) => insert(editor, editor.killed),
  "alt+enter": (editor) => insert(editor, "\n"),
  "ctrl+j": (editor) => insert(editor, "\n")
}

const aliases: Readonly<Record<string, string>> = {
  "ctrl+a": "home",
  "ctrl+e": "end",
  "ctrl+b": "left",
  "ctrl+f": "right",
  "ctrl+h": "backspace",
  "ctrl+d": "delete",
  "ctrl+p": "up",
  "ctrl+n": "down",
  "ctrl+left": "alt+left",
  "ctrl+right": "alt+right",
  "ctrl+backspace": "alt+backspace",
  "ctrl+delete": "alt+d",
  "shift+enter": "alt+enter",
  "ctrl+enter": "alt+enter"
}

const edits: Readonly<Record<string, Edit>> = { ...moves, ...changes }

/** The text after a key; undefined for a key that does nothing here, such as `up` in the first line. */
export const press = (editor: Editor, id: string): Editor | undefined => edits[aliases[id] ?? id]?.(editor)

/** Enter behind a backslash begins a new line in its place. */
export const continued = (editor: Editor): Editor | undefined =>
  editor.text[editor.cursor - 1] === "\\" ? insert(remove(editor, editor.cursor - 1, false), "\n") : undefined
