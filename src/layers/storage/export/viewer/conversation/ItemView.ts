/** The frame around an item: speaker, time, usage, its link, and the other branches that start here. */
import { button, h, icon } from "../Dom.ts"
import * as Format from "../text/Format.ts"
import type { Item } from "./Items.ts"
import { draw } from "./Fold.ts"
import { partsOf, price, speaker } from "./Messages.ts"

/** An entry with siblings, where readers can switch branches. */
export interface Fork {
  readonly position: number
  readonly count: number
  readonly go: (step: number) => void
}

export interface ItemContext {
  readonly label: string | undefined
  readonly fork: Fork | undefined
  /** This item and those that go on with it; without items if it goes on with the one before. */
  readonly run: ReadonlyArray<Item>
}

export const anchorOf = (id: string): string => `e-${id}`

const forkBar = ({ count, go, position }: Fork) =>
  h(
    "nav",
    { class: "fork", "aria-label": "Branches" },
    icon("branch"),
    h("span", {}, `Branch ${position} of ${count}`),
    button(
      { class: "icon-button", title: "Previous branch", "aria-label": "Previous branch" },
      () => go(-1),
      icon("back")
    ),
    button({ class: "icon-button", title: "Next branch", "aria-label": "Next branch" }, () => go(1), icon("chevron"))
  )

const heading = (item: Item, { label, run }: ItemContext) => {
  const who = speaker(item)
  const spent = price(run)
  if (who === "") return undefined
  return h(
    "header",
    { class: "item-head" },
    h("span", { class: "who" }, who),
    label === undefined ? undefined : h("span", { class: "badge label" }, label),
    spent === "" ? undefined : h("span", { class: "item-meta" }, spent),
    h(
      "a",
      { class: "item-time", href: `#${encodeURIComponent(anchorOf(item.id))}`, title: Format.moment(item.entry.time) },
      Format.time(item.entry.time) || "link"
    )
  )
}

export const itemView = (item: Item, context: ItemContext): HTMLElement => {
  const { fork, run } = context
  return h(
    "article",
    {
      class: `item ${item.kind}${run.length === 0 ? " continued" : ""}`,
      id: anchorOf(item.id),
      tabindex: -1,
      "aria-label": speaker(item) || item.kind
    },
    fork === undefined ? undefined : forkBar(fork),
    heading(item, context),
    h("div", { class: "item-body" }, ...partsOf(item).map(draw))
  )
}
