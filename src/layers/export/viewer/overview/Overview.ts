/** The head of the page: name, duration, usage and charts of the session. */
import type { ChartOptions } from "./ChartFace.ts"
import { charts } from "./Charts.ts"
import { type Child, h } from "../Dom.ts"
import type { Entry, SessionData } from "../conversation/Entries.ts"
import { fold } from "../conversation/Fold.ts"
import * as Format from "../text/Format.ts"
import { text } from "../text/Json.ts"
import { prose } from "../text/Markdown.ts"
import * as Totals from "./Totals.ts"

const tile = (label: string, value: string, detail: string) =>
  h("div", { class: "tile" }, h("dt", {}, label), h("dd", {}, value), h("dd", { class: "tile-detail" }, detail))

const tiles = (path: ReadonlyArray<Entry>, all: ReadonlyArray<Entry>) => {
  const counts = Totals.count(path)
  const sum = Totals.sum(Totals.turns(path))
  const whole = Totals.sum(Totals.turns(all))
  const elsewhere = (here: number, there: number, say: (value: number) => string) =>
    there > here ? `all branches ${say(there)}` : ""
  const cached = sum.total === 0 ? 0 : Math.round((sum.tokens.cacheRead / (sum.total - sum.tokens.output || 1)) * 100)
  return h(
    "dl",
    { class: "tiles" },
    tile("Prompts", Format.whole(counts.prompts), Format.plural(counts.answers, "answer")),
    tile(
      "Tool calls",
      Format.whole(counts.toolCalls),
      counts.failedCalls === 0
        ? counts.toolCalls === 0
          ? "none"
          : "none failed"
        : `${Format.whole(counts.failedCalls)} failed`
    ),
    tile(
      "Tokens",
      Format.compact(sum.total),
      elsewhere(sum.total, whole.total, Format.compact) ||
        (sum.total === 0 ? "not counted" : `${cached} % of input cached`)
    ),
    tile(
      "Cost",
      Format.money(sum.cost),
      elsewhere(sum.cost, whole.cost, Format.money) || (sum.cost === 0 ? "no prices known" : "at list prices")
    )
  )
}

const fact = (label: string, value: string) =>
  value === "" ? undefined : h("div", {}, h("dt", {}, label), h("dd", { dir: "auto" }, value))

const facts = (data: SessionData, path: ReadonlyArray<Entry>) => {
  const { header } = data
  const models = [...new Set(Totals.turns(path).map(({ model }) => model))].filter((model) => model !== "")
  const began = Date.parse(text(header["timestamp"]))
  return h(
    "dl",
    { class: "facts" },
    fact("Started", Format.moment(Number.isFinite(began) ? began : 0)),
    fact("Folder", text(header["cwd"])),
    fact(models.length > 1 ? "Models" : "Model", models.slice(0, 6).join(", ")),
    fact("Session", text(header["id"])),
    fact("Continues", text(header["parentSession"]))
  )
}

const instructions = ({ systemPrompt }: SessionData) =>
  systemPrompt === ""
    ? undefined
    : fold({
        class: "about",
        summary: [
          h("span", { class: "fold-title" }, "System prompt"),
          h("span", { class: "fold-hint" }, Format.excerpt(systemPrompt, 90))
        ],
        body: () => [prose(systemPrompt)],
        words: () => systemPrompt
      })

const toolList = ({ tools }: SessionData) =>
  tools.length === 0
    ? undefined
    : fold({
        class: "about",
        summary: [
          h("span", { class: "fold-title" }, "Tools"),
          h("span", { class: "fold-hint" }, tools.map(({ name }) => name).join(", "))
        ],
        body: () => [
          h(
            "dl",
            { class: "tool-list" },
            ...tools.map(({ description, name }) => h("div", {}, h("dt", {}, name), h("dd", {}, description)))
          )
        ],
        words: () => tools.map(({ description, name }) => `${name} ${description}`).join("\n")
      })

export interface OverviewOptions extends ChartOptions {
  readonly title: string
}

export const overview = (
  data: SessionData,
  path: ReadonlyArray<Entry>,
  options: OverviewOptions
): ReadonlyArray<Child> => {
  const drawn = charts(path, options)
  return [
    h("h1", { dir: "auto" }, options.title),
    facts(data, path),
    tiles(path, data.entries),
    drawn.length === 0 ? undefined : h("div", { class: "charts" }, ...drawn),
    h("div", { class: "abouts" }, instructions(data), toolList(data))
  ]
}
