/** Blocks of code and of output. Long ones show their beginning and give the rest on demand, in pieces. */
import { button, h, icon } from "../Dom.ts"
import * as Format from "./Format.ts"
import { highlight } from "./Highlight.ts"

const firstPiece = 24_000
const nextPiece = 400_000
/** A piece is laid out when it comes into view. */
const pieceSize = 20_000

/** What a long block does to show everything up to a position. */
const growers = new WeakMap<Element, { readonly text: string; readonly growTo: (end: number) => void }>()

/** At the end of a line near `wanted`, or right there where lines are long; never inside a character. */
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
  growers.set(element, { text, growTo })
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
  /** What it is, for those who do not see it. */
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

/** Makes the first place that holds `query` (in lower case) visible in the long blocks below `root`. */
export const growToMatch = (root: Element, query: string): void => {
  for (const element of root.querySelectorAll(".code.long")) {
    const grower = growers.get(element)
    const at = grower === undefined ? -1 : grower.text.toLowerCase().indexOf(query)
    if (at >= 0) grower?.growTo(at + query.length + 2000)
  }
}
