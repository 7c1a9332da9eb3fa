/** The bar charts of tokens and cost, and the timeline. */
import { type ChartOptions, chartFace, type Mark, width } from "./ChartFace.ts"
import { type Child, h, svg } from "../Dom.ts"
import type { Entry } from "../conversation/Entries.ts"
import * as Format from "../text/Format.ts"
import * as Timeline from "./Timeline.ts"
import * as Totals from "./Totals.ts"

const height = 84
const timelineHeight = 30
const widestSlot = 64
const mostBars = 180

const figure = (title: string, aside: string, face: ReturnType<typeof chartFace>, foot?: Child) =>
  h(
    "figure",
    { class: "chart" },
    h("figcaption", {}, h("span", { class: "chart-title" }, title), h("span", { class: "aside" }, aside), face.readout),
    face.element,
    foot
  )

const named = (group: ReadonlyArray<Totals.Turn>, at: number, size: number): string => {
  const first = at * size + 1
  return group.length === 1 ? `Turn ${first}` : `Turns ${Format.whole(first)}–${Format.whole(first + group.length - 1)}`
}

const tokensSaid = (sum: Totals.Sum): string =>
  `${Format.compact(sum.total - sum.tokens.output)} in (${Format.compact(sum.tokens.cacheRead)} cached), ${Format.compact(sum.tokens.output)} out`

type Part = readonly [kind: string, value: number]

interface Series {
  readonly title: string
  readonly partsOf: (sum: Totals.Sum) => ReadonlyArray<Part>
  readonly says: (sum: Totals.Sum) => string
  readonly scale: (most: number) => string
  readonly foot?: Child
}

const columns = (parts: ReadonlyArray<Part>, most: number, x: number, wide: number): ReadonlyArray<Child> => {
  let top = height
  return parts.map(([kind, value]) => {
    const tall = (value / most) * (height - 2)
    top -= tall
    return svg("rect", { class: `column ${kind}`, x, y: top, width: wide, height: tall })
  })
}

/** One bar for each call. If there are too many calls, neighbours share a bar. */
const bars = (groups: ReadonlyArray<ReadonlyArray<Totals.Turn>>, series: Series, options: ChartOptions) => {
  const sums = groups.map(Totals.sum)
  const parts = sums.map(series.partsOf)
  const most = Math.max(...parts.map((each) => each.reduce((total, [, value]) => total + value, 0)), Number.MIN_VALUE)
  const slot = Math.min(width / groups.length, widestSlot)
  const gap = slot > 12 ? 4 : slot > 5 ? 1.5 : 0
  const size = groups[0]?.length ?? 1
  const drawing = parts.flatMap((each, at) => columns(each, most, at * slot + gap / 2, slot - gap))
  const marks = sums.map((sum, at): Mark => ({
    entryId: groups[at]?.[0]?.entryId ?? "",
    says: `${named(groups[at] ?? [], at, size)}: ${series.says(sum)}`,
    from: at * slot,
    to: (at + 1) * slot
  }))
  const face = chartFace(series.title, marks, drawing, height, options)
  const share = size === 1 ? "" : `, ${size} turns a bar`
  return figure(series.title, `up to ${series.scale(most)}${share}`, face, series.foot)
}

const classNames: Readonly<Record<Totals.TokenClass, string>> = {
  input: "Input",
  cacheRead: "From cache",
  cacheWrite: "To cache",
  output: "Output"
}

const swatch = (className: string, says: string) => h("span", {}, h("i", { class: `swatch ${className}` }), says)

const key = (sum: Totals.Sum) =>
  h(
    "p",
    { class: "key" },
    ...Totals.tokenClasses.filter((name) => sum.tokens[name] > 0).map((name) => swatch(name, classNames[name]))
  )

const spotNames = { user: "prompt", model: "answer", tool: "tool", bad: "failure", other: "entry" } as const

const legendNames = {
  user: "Prompt",
  model: "Answer",
  tool: "Tool result",
  bad: "Failure",
  other: "Other entry"
} as const

const legendOrder: ReadonlyArray<Timeline.SpotKind> = ["user", "model", "tool", "bad", "other"]

/** Explains the ticks that are there. */
const legend = (kinds: ReadonlySet<Timeline.SpotKind>, isDense: boolean, hasPauses: boolean) =>
  h(
    "p",
    { class: "key" },
    isDense
      ? [
          swatch("spot-dense", "Entries; the higher, the more"),
          kinds.has("bad") ? swatch("spot-bad", legendNames.bad) : undefined
        ]
      : legendOrder.filter((kind) => kinds.has(kind)).map((kind) => swatch(`spot-${kind}`, legendNames[kind])),
    hasPauses ? swatch("pause", "Pause of more than 10 minutes, shortened") : undefined
  )

const timeline = (entries: ReadonlyArray<Entry>, options: ChartOptions) => {
  const { breaks, spots } = Timeline.layout(entries, width)
  const most = Math.max(...spots.map(({ count }) => count))
  // Prompts stand out while there is room between them. Otherwise the height shows how many entries share a spot.
  const isDense = spots.length > width / 6
  const ticks = spots.map(({ count, kind, x }) => {
    const tall = isDense ? 6 + (20 * count) / most : kind === "user" ? 24 : 12
    return svg("rect", {
      class: `spot-${isDense && kind !== "bad" ? "dense" : kind}`,
      x,
      y: (timelineHeight - tall) / 2,
      width: 2,
      height: tall
    })
  })
  const pauses = breaks.map((x) => svg("rect", { class: "pause", x: x - 5, y: 0, width: 10, height: timelineHeight }))
  const marks = spots.map(({ entry, kind, x }, at): Mark => ({
    entryId: entry.id,
    says: `${Format.date(entry.time)}, ${Format.time(entry.time)}: ${spotNames[kind]}`,
    from: at === 0 ? 0 : ((spots[at - 1]?.x ?? 0) + x) / 2,
    to: (x + (spots[at + 1]?.x ?? width)) / 2
  }))
  const [first, last] = [entries[0]?.time ?? 0, entries.at(-1)?.time ?? 0]
  const aside = `${Format.time(first)} – ${Format.time(last)}, ${Format.duration(Math.max(0, last - first))}`
  const face = chartFace("Timeline", marks, [...pauses, ...ticks], timelineHeight, options)
  const kinds = new Set(spots.map(({ kind }) => kind))
  return figure("Timeline", aside, face, legend(kinds, isDense, breaks.length > 0))
}

/** The charts of a session; none for a session without model calls. */
export const charts = (path: ReadonlyArray<Entry>, options: ChartOptions): ReadonlyArray<Child> => {
  const turns = Totals.turns(path)
  const all = Totals.sum(turns)
  const groups = Totals.group(turns, mostBars)
  const messages = path.filter((entry) => entry.time > 0 && entry.type === "message")
  const tokens: Series = {
    title: "Tokens per turn",
    partsOf: (sum) => Totals.tokenClasses.map((name) => [name, sum.tokens[name]]),
    says: tokensSaid,
    scale: Format.compact,
    foot: key(all)
  }
  const cost: Series = {
    title: "Cost per turn",
    partsOf: (sum) => [["cost", sum.cost]],
    says: (sum) => Format.money(sum.cost),
    scale: Format.money
  }
  return [
    all.total > 0 ? bars(groups, tokens, options) : undefined,
    all.cost > 0 ? bars(groups, cost, options) : undefined,
    messages.length > 1 ? timeline(messages, options) : undefined
  ].filter((drawn) => drawn !== undefined)
}
