/** Searches the whole session and steps through the matches, including those in closed parts and on other branches. */
import { button, h, icon } from "../Dom.ts"
import * as Format from "../text/Format.ts"
import * as Growing from "../text/Growing.ts"
import type { Item } from "../conversation/Items.ts"
import * as Matches from "./Matches.ts"
import * as Occurrences from "../text/Occurrences.ts"
import * as Ranges from "./Ranges.ts"

export interface SearchOptions {
  /** The items of all branches. Those of the shown branch come first. */
  readonly items: () => ReadonlyArray<Item>
  /** Draws the item of a match, opens the folds around it, and returns the element of its part. */
  readonly reveal: (match: Matches.Match) => { readonly element: HTMLElement; readonly text: string } | undefined
}

const pauseBefore = 120
/** How many matches around the current one are marked in its part. */
const mostMarked = 1000

const nothing: Matches.Matches = { total: 0, at: () => undefined }

const paint = (ranges: ReadonlyArray<Range>, current: Range | undefined) => {
  if (!("highlights" in CSS)) return
  CSS.highlights.set("search", new Highlight(...ranges.filter((range) => range !== current)))
  CSS.highlights.set("search-current", new Highlight(...(current === undefined ? [] : [current])))
}

/** Scrolls the frames around a range, and then the window, until the range is in the middle. */
const center = (range: Range) => {
  const near = range.startContainer.parentElement
  // A part that is out of sight is laid out only now.
  near?.scrollIntoView({ block: "nearest" })
  for (let at = near; at !== null; at = at.parentElement) {
    if (!at.matches(".code pre, .diff, .table-frame")) continue
    const [box, location] = [at.getBoundingClientRect(), range.getBoundingClientRect()]
    at.scrollTop += location.top + location.height / 2 - (box.top + box.height / 2)
    if (location.left < box.left || location.right > box.right)
      at.scrollLeft += location.left - box.left - box.width / 3
  }
  const { height, top } = range.getBoundingClientRect()
  window.scrollBy(0, top + height / 2 - window.innerHeight / 2)
}

const show = (match: Matches.Match, query: string, options: SearchOptions): Range | undefined => {
  const shown = options.reveal(match)
  if (shown === undefined) return undefined
  const { element, text } = shown
  Growing.upTo(element, Occurrences.positionOf(text, query, match.occurrence) + query.length)
  const first = Math.max(0, match.occurrence - mostMarked / 2)
  const ranges = Ranges.find(element, query, first, mostMarked)
  const current = ranges[match.occurrence - first]
  paint(ranges, current)
  if (current === undefined) element.scrollIntoView({ block: "center" })
  else center(current)
  return current
}

export const make = (options: SearchOptions) => {
  const input = h("input", {
    type: "search",
    name: "search",
    placeholder: "Search",
    "aria-label": "Search the session",
    autocomplete: "off",
    spellcheck: "false",
    enterkeyhint: "search"
  })
  const status = h("span", { class: "search-status", role: "status" })
  let matches = nothing
  let at = -1
  let query = ""
  let current: Range | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const say = () => {
    status.textContent =
      query === ""
        ? ""
        : matches.total === 0
          ? "No matches"
          : `${Format.whole(at + 1)} of ${Format.whole(matches.total)}`
    for (const each of [previous, next]) each.disabled = matches.total < 2
  }

  const go = (step: number) => {
    if (matches.total === 0) return
    at = (at + step + matches.total) % matches.total
    const match = matches.at(at)
    const range = match === undefined ? undefined : show(match, query, options)
    current = range
    say()
    if (range === undefined) return
    // The next frames fill the pages around it, which may push it away.
    requestAnimationFrame(() => requestAnimationFrame(() => (current === range ? center(range) : undefined)))
  }

  const find = () => {
    const wanted = Occurrences.folded(input.value.trim())
    if (wanted === query) return
    query = wanted
    matches = query === "" ? nothing : Matches.find(options.items(), query)
    at = -1
    current = undefined
    paint([], undefined)
    go(1)
    say()
  }

  /** Finds what was typed, if that is still to be done, else goes on. */
  const step = (by: number) => {
    clearTimeout(timer)
    if (Occurrences.folded(input.value.trim()) === query) go(by)
    else find()
  }

  const clear = () => {
    clearTimeout(timer)
    input.value = ""
    find()
    input.blur()
  }

  const control = (label: string, keys: string, name: Parameters<typeof icon>[0], run: () => void) =>
    button({ class: `icon-button search-${name}`, title: `${label} (${keys})`, "aria-label": label }, run, icon(name))
  const previous = control("Previous match", "Shift+Enter", "up", () => step(-1))
  const next = control("Next match", "Enter", "down", () => step(1))
  const leave = control("Leave the search", "Escape", "close", clear)

  input.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(find, pauseBefore)
  })
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") clear()
    if (event.key !== "Enter") return
    step(event.shiftKey ? -1 : 1)
    event.preventDefault()
  })
  say()

  return {
    element: h("div", { class: "search", role: "search" }, icon("search"), input, status, previous, next, leave),
    step,
    focus: () => {
      input.focus()
      input.select()
    }
  }
}
