/** Searches the whole session, including items that are not built yet and closed folds. */
import { button, h, icon } from "../Dom.ts"
import type { Entry } from "../conversation/Entries.ts"
import * as Format from "../text/Format.ts"
import { wordsOf } from "../conversation/Items.ts"
import * as Places from "./Places.ts"

export interface SearchOptions {
  readonly entries: ReadonlyArray<Entry>
  /** Whether an entry is on the shown branch. Its matches come first. */
  readonly isShown: (entryId: string) => boolean
  /** Scrolls to the entry, opens the folds that hold the query, and returns the element. */
  readonly reveal: (entryId: string, query: string) => HTMLElement | undefined
}

const pauseBefore = 120
const name = "search"
const current = "search-current"

const paint = (ranges: ReadonlyArray<Range>) => {
  if (!("highlights" in CSS)) return
  const [first] = ranges
  CSS.highlights.set(name, new Highlight(...ranges))
  CSS.highlights.set(current, new Highlight(...(first === undefined ? [] : [first])))
}

export const make = (options: SearchOptions) => {
  const texts = new Map<string, string>()
  const input = h("input", {
    type: "search",
    name: "search",
    placeholder: "Search",
    "aria-label": "Search the session",
    autocomplete: "off",
    spellcheck: "false"
  })
  const status = h("span", { class: "search-status", role: "status" })
  let hits: ReadonlyArray<Entry> = []
  let at = -1
  let query = ""
  let timer: ReturnType<typeof setTimeout> | undefined

  const textOf = (entry: Entry): string => {
    const known = texts.get(entry.id)
    if (known !== undefined) return known
    const made = wordsOf(entry).toLowerCase()
    texts.set(entry.id, made)
    return made
  }

  const say = () => {
    status.textContent =
      query === "" ? "" : hits.length === 0 ? "No matches" : `${Format.whole(at + 1)} of ${Format.whole(hits.length)}`
    for (const each of [previous, next]) each.disabled = hits.length < 2
  }

  const go = (step: number) => {
    if (hits.length === 0) return
    at = (at + step + hits.length) % hits.length
    const hit = hits[at]
    const view = hit === undefined ? undefined : options.reveal(hit.id, query)
    const ranges = view === undefined ? [] : Places.find(view, query)
    paint(ranges)
    const place = ranges[0]?.startContainer.parentElement
    if (place) place.scrollIntoView({ block: "center" })
    else view?.scrollIntoView({ block: "start" })
    say()
  }

  const find = () => {
    const wanted = input.value.trim().toLowerCase()
    if (wanted === query) return
    query = wanted
    const found = query === "" ? [] : options.entries.filter((entry) => textOf(entry).includes(query))
    hits = [...found.filter(({ id }) => options.isShown(id)), ...found.filter(({ id }) => !options.isShown(id))]
    at = -1
    paint([])
    go(1)
    say()
  }

  const clear = () => {
    input.value = ""
    find()
    input.blur()
  }

  const previous = button(
    { class: "icon-button", title: "Previous match (Shift+Enter)", "aria-label": "Previous match" },
    () => go(-1),
    icon("up")
  )
  const next = button(
    { class: "icon-button", title: "Next match (Enter)", "aria-label": "Next match" },
    () => go(1),
    icon("down")
  )

  input.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(find, pauseBefore)
  })
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") clear()
    if (event.key !== "Enter") return
    clearTimeout(timer)
    if (input.value.trim().toLowerCase() === query) go(event.shiftKey ? -1 : 1)
    else find()
    event.preventDefault()
  })
  say()

  return {
    element: h("div", { class: "search", role: "search" }, icon("search"), input, status, previous, next),
    focus: () => {
      input.focus()
      input.select()
    }
  }
}
