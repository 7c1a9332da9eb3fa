/** The head of the page: name, duration, usage and charts of the session. */
import type { ChartOptions } from "./ChartFace.ts"
import { charts } from "./Charts.ts"
import { breakable, type Child, h } from "../Dom.ts"
import type { Entry, SessionData } from "../conversation/Entries.ts"
import { draw } from "../conversation/Fold.ts"
import * as Format from "../text/Format.ts"
import { text } from "../text/Json.ts"
import { prosePart } from "../text/Markdown.ts"
import * as Parts from "../Parts.ts"
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
  value === "" ? undefined : h("div", {}, h("dt", {}, label), h("dd", { dir: "auto" }, ...breakable(value)))

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

const about = (title: string, hint: string, body: () => ReadonlyArray<Parts.Part>) =>
  draw(
    Parts.fold({
      class: "about",
      head: [Parts.text(title, "fold-title"), Parts.hint(hint)],
      body
    })
  )

const instructions = ({ systemPrompt }: SessionData) =>
  systemPrompt === ""
    ? undefined
    : about("System prompt", Format.excerpt(systemPrompt, 90), () => [prosePart(systemPrompt)])

const toolList = ({ tools }: SessionData) =>
  tools.length === 0
    ? undefined
    : about("Tools", tools.map(({ name }) => name).join(", "), () => [
        Parts.decoration(() =>
          h(
            "dl",
            { class: "tool-list" },
            ...tools.map(({ description, name }) => h("div", {}, h("dt", {}, name), h("dd", {}, description)))
          )
        )
      ])

/** The totals in the head of the statistics. */
const totals = (path: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const { failedCalls, prompts, toolCalls } = Totals.count(path)
  const { cost, total } = Totals.sum(Totals.turns(path))
  return [
    Format.plural(prompts, "prompt"),
    `${Format.plural(toolCalls, "tool call")}${failedCalls === 0 ? "" : `, ${Format.whole(failedCalls)} failed`}`,
    ...(total === 0 ? [] : [`${Format.compact(total)} tokens`]),
    ...(cost === 0 ? [] : [Format.money(cost)])
  ]
}

const statistics = (data: SessionData, path: ReadonlyArray<Entry>, options: OverviewOptions) =>
  draw(
    Parts.fold({
      class: "statistics",
      open: options.isOpen,
      head: [
        Parts.text("Statistics", "fold-title"),
        Parts.decoration(() =>
          h("span", { class: "totals" }, ...totals(path).map((each) => h("span", { class: "total" }, each)))
        )
      ],
      body: () => [
        Parts.decoration(() => tiles(path, data.entries)),
        Parts.decoration(() => h("div", { class: "charts" }, ...charts(path, options)))
      ]
    })
  )

export interface OverviewOptions extends ChartOptions {
  readonly title: string
  /** Whether the statistics are open. */
  readonly isOpen: boolean
}

export const overview = (
  data: SessionData,
  path: ReadonlyArray<Entry>,
  options: OverviewOptions
): ReadonlyArray<Child> => [
  h("h1", { dir: "auto" }, options.title),
  facts(data, path),
  h(
    "div",
    { class: "abouts" },
    path.length === 0 ? undefined : statistics(data, path, options),
    instructions(data),
    toolList(data)
  )
]
