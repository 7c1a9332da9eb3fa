/** Blocks of code and of output. A long block shows its beginning, and the rest on demand, in pieces. */
import { button, h, icon } from "../Dom.ts"
import * as Format from "./Format.ts"
import * as Growing from "./Growing.ts"
import { highlight } from "./Highlight.ts"
import { type Leaf, leaf } from "../Parts.ts"

const firstPiece = 24_000
const nextPiece = 400_000
/** The browser lays out a piece when it comes into view. */
const pieceSize = 20_000

/** The end of a line near `wanted`, or `wanted` itself if lines are long; never inside a character. */
const cutAt = (text: string, from: number, wanted: number): number => {
  if (wanted >= text.length) return text.length
  const line = text.lastIndexOf("\n", wanted)
  if (line > from) return line + 1
  const code = text.charCodeAt(wanted)
  return code >= 0xdc00 && code <= 0xdfff ? wanted + 1 : wanted
}

const pieces = (text: string, from: number, to: number): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  for (let at = from; at < to;) {
    const end = Math.min(to, cutAt(text, at, at + pieceSize))
    found.push(h("span", { class: "piece" }, text.slice(at, end)))
    at = end
  }
  return found
}

const long = (text: string, label: string) => {
  const code = h("code")
  const note = h("span")
  let shown = 0
  const growTo = (wanted: number) => {
    const end = cutAt(text, shown, Math.max(wanted, shown))
    code.append(...pieces(text, shown, end))
    shown = end
    note.textContent = `${Format.bytes(shown)} of ${Format.bytes(text.length)}`
    if (shown >= text.length) more.remove()
  }
  const more = h(
    "div",
    { class: "more" },
    note,
    button({ class: "quiet" }, () => growTo(shown + nextPiece), "Show more"),
    button({ class: "quiet" }, () => growTo(text.length), "Show all")
  )
  const element = h("div", { class: "code long" }, h("pre", { "aria-label": label }, code), more)
  growTo(firstPiece)
  Growing.set(element, (end) => growTo(end + pieceSize))
  return element
}

const copyButton = (text: string) => {
  const element = button(
    { class: "copy", title: "Copy", "aria-label": "Copy" },
    () =>
      void navigator.clipboard?.writeText(text).then(() => {
        element.classList.add("done")
        setTimeout(() => element.classList.remove("done"), 1200)
      }),
    icon("copy")
  )
  return element
}

export interface CodeOptions {
  readonly language?: string | undefined
  /** A description for screen readers. */
  readonly label: string
}

export const codeBlock = (text: string, { label, language }: CodeOptions): HTMLElement => {
  if (text.length > firstPiece) return long(text, label)
  return h(
    "div",
    { class: "code" },
    h("pre", { "aria-label": label }, h("code", {}, highlight(text, language))),
    copyButton(text)
  )
}

/** The code as a part of an item. */
export const codePart = (text: string, options: CodeOptions): Leaf =>
  leaf(
    () => text,
    () => codeBlock(text, options)
  )
