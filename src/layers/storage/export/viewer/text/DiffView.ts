/** Shows a diff with signs and colours, so that it can be read without colours, too. */
import type { DiffLine } from "./Diff.ts"
import { button, h } from "../Dom.ts"
import * as Format from "./Format.ts"
import * as Growing from "./Growing.ts"
import { highlight } from "./Highlight.ts"
import { type Leaf, leaf } from "../Parts.ts"

const firstLines = 600
const signs = { added: "+", removed: "−", same: "", hunk: "" } as const

const row = (line: DiffLine, language: string | undefined) =>
  h(
    "div",
    { class: `diff-line ${line.kind}` },
    h("span", { class: "diff-number" }, line.before === undefined ? "" : String(line.before)),
    h("span", { class: "diff-number" }, line.after === undefined ? "" : String(line.after)),
    h("span", { class: "diff-sign" }, signs[line.kind]),
    h("code", {}, line.kind === "hunk" ? line.text : highlight(line.text, language))
  )

const diffView = (lines: ReadonlyArray<DiffLine>, language: string | undefined): HTMLElement => {
  const body = h("div", { class: "diff", role: "group", "aria-label": "Changes" })
  const show = (from: number, to: number) => body.append(...lines.slice(from, to).map((line) => row(line, language)))
  show(0, firstLines)
  if (lines.length <= firstLines) return body
  const showRest = () => {
    if (rest.parentElement === null) return
    rest.remove()
    show(firstLines, lines.length)
  }
  const rest = button({ class: "quiet" }, showRest, `Show ${Format.plural(lines.length - firstLines, "more line")}`)
  const element = h("div", {}, body, h("div", { class: "more" }, rest))
  Growing.set(element, showRest)
  return element
}

/** The diff as a part of an item. */
export const diffPart = (lines: ReadonlyArray<DiffLine>, language: string | undefined): Leaf =>
  leaf(
    () => lines.map(({ text }) => text).join("\n"),
    () => diffView(lines, language)
  )
