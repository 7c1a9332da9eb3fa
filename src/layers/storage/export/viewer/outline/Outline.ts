/** The list beside the conversation: prompts or all items of all branches, with the shown branch highlighted. */
import { button, h, icon } from "../Dom.ts"
import type { Entry, Tree } from "../conversation/Entries.ts"
import * as Format from "../text/Format.ts"
import type { Item } from "../conversation/Items.ts"
import { type Row, rows } from "./OutlineRows.ts"

const groupSize = 60
const deepest = 8

type Mode = "prompts" | "everything"

export interface OutlineOptions {
  readonly tree: Tree
  readonly onChoose: (entryId: string) => void
}

const isMain = (row: { readonly type: string }, kind: string) =>
  kind === "user" || kind === "bash" || row.type === "compaction"

export const make = ({ onChoose, tree }: OutlineOptions) => {
  const links = new Map<string, HTMLElement>()
  let all: ReadonlyArray<Row> = []
  let active: ReadonlySet<string> = new Set()
  let marked: HTMLElement | undefined
  let mode: Mode = "prompts"

  const list = h("div", { class: "outline-list" })
  /** The Tab key stops once in the list. Arrow keys move within it. */
  let stop: HTMLElement | undefined
  const stopAt = (next: HTMLElement | undefined) => {
    stop?.setAttribute("tabindex", "-1")
    stop = next
    stop?.setAttribute("tabindex", "0")
  }
  const steps: Readonly<Record<string, (at: number) => number>> = {
    ArrowDown: (at) => Math.min(all.length - 1, at + 1),
    ArrowUp: (at) => Math.max(0, at - 1),
    Home: () => 0,
    End: () => all.length - 1
  }
  list.addEventListener("keydown", (event) => {
    const step = steps[event.key]
    const at = all.findIndex(({ entry }) => links.get(entry.id) === stop)
    const next = step === undefined ? undefined : links.get(all[step(at)]?.entry.id ?? "")
    if (next === undefined) return
    event.preventDefault()
    stopAt(next)
    next.focus()
  })
  const status = h("p", { class: "outline-status" })

  const link = (row: Row) => {
    const { depth, entry, isFork, kind, title, trouble } = row
    const element = button(
      {
        class: `outline-row ${kind}${trouble === "" ? "" : " trouble"}`,
        tabindex: -1,
        title: [title, trouble, Format.moment(entry.time)].filter((line) => line !== "").join("\n")
      },
      () => onChoose(entry.id),
      isFork ? icon("branch") : h("span", { class: "outline-dot" }),
      h("span", { class: "outline-title", dir: "auto" }, title),
      trouble === "" ? undefined : h("span", { class: "outline-trouble" }, trouble)
    )
    element.dataset["depth"] = String(Math.min(depth, deepest))
    links.set(entry.id, element)
    return element
  }

  const paint = () => {
    for (const { entry } of all) links.get(entry.id)?.classList.toggle("off", !active.has(entry.id))
  }

  const draw = () => {
    links.clear()
    const everything = rows(tree)
    const prompts = everything.filter((row) => isMain(row.entry, row.kind) || row.isFork)
    all = mode === "prompts" && prompts.length > 0 ? prompts : everything
    const groups: Array<HTMLElement> = []
    for (let at = 0; at < all.length; at += groupSize) {
      groups.push(h("div", { class: "outline-group" }, ...all.slice(at, at + groupSize).map(link)))
    }
    list.replaceChildren(...groups)
    stopAt(links.get(all[0]?.entry.id ?? ""))
    const forks = everything.filter((row) => row.isFork).length
    status.textContent =
      all.length === 0
        ? "No entries yet."
        : `${Format.plural(all.length, "entry", "entries")}${forks > 0 ? ` · ${Format.plural(forks, "branch", "branches")}` : " · one branch"}`
    for (const [name, tab] of tabs) tab.setAttribute("aria-pressed", String(name === mode))
    paint()
  }

  const choose = (next: Mode) => () => {
    mode = next
    draw()
  }
  const tabs = new Map<Mode, HTMLElement>([
    ["prompts", button({ class: "tab" }, choose("prompts"), "Prompts")],
    ["everything", button({ class: "tab" }, choose("everything"), "Everything")]
  ])
  draw()

  return {
    element: h(
      "aside",
      { class: "outline", id: "outline", "aria-label": "Outline" },
      h(
        "div",
        { class: "outline-head" },
        h("div", { class: "tabs", role: "group", "aria-label": "Show" }, ...tabs.values()),
        status
      ),
      list
    ),
    setActive: (entryIds: ReadonlySet<string>) => {
      active = entryIds
      paint()
    },
    /** Marks the row of an entry, or else of its item or of the item's first result, or the last row before it. */
    mark: ({ entry, results }: Item, path: ReadonlyArray<Entry>, entryId: string) => {
      const from = path.indexOf(entry)
      const near = [entryId, entry.id, ...[...results.values()].map(({ id }) => id)]
      let next = near.map((id) => links.get(id)).find((row) => row !== undefined)
      for (let at = from; at >= 0 && next === undefined; at--) next = links.get(path[at]?.id ?? "")
      if (next === marked) return
      marked?.removeAttribute("aria-current")
      marked = next
      next?.setAttribute("aria-current", "true")
      next?.scrollIntoView({ block: "nearest" })
      if (next !== undefined && !list.contains(document.activeElement)) stopAt(next)
    }
  }
}
