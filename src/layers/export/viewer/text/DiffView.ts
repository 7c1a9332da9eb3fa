/** Shows a diff with signs and colours, so that it can be read without colours, too. */
import type { DiffLine } from "./Diff.ts"
import { button, h } from "../Dom.ts"
import * as Format from "./Format.ts"
import { highlight } from "./Highlight.ts"

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

export const diffView = (lines: ReadonlyArray<DiffLine>, language: string | undefined): HTMLElement => {
  const body = h("div", { class: "diff", role: "group", "aria-label": "Changes" })
  const show = (from: number, to: number) => body.append(...lines.slice(from, to).map((line) => row(line, language)))
  show(0, firstLines)
  if (lines.length > firstLines) {
    const rest = button(
      { class: "quiet" },
      () => {
        rest.remove()
        show(firstLines, lines.length)
      },
      `Show ${Format.plural(lines.length - firstLines, "more line")}`
    )
    return h("div", {}, body, h("div", { class: "more" }, rest))
  }
  return body
}
