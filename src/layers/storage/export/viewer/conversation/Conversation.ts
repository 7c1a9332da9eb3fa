/**
 * The items of a branch, in pages that are filled when they come near the window, so that a session of ten thousand
 * messages opens at once. Short sessions are filled completely while the browser is idle, for the browser's own search.
 */
import { h } from "../Dom.ts"
import * as Fold from "./Fold.ts"
import type { Branch, Item } from "./Items.ts"
import { blocksOf, messageOf } from "./Items.ts"
import { type Fork, itemView } from "./ItemView.ts"
import { text } from "../text/Json.ts"

const pageSize = 8
const nearness = "1800px 0px"
const mostIdleItems = 2500

interface Page {
  readonly element: HTMLElement
  readonly items: ReadonlyArray<Item>
}

export interface ConversationOptions {
  readonly forkAt: (item: Item) => Fork | undefined
}

const lettersOf = ({ entry }: Item): number =>
  blocksOf(messageOf(entry)["content"]).reduce((sum, block) => sum + text(block["text"]).length, 0)

/** A rough height in pixels. Only the length of the scroll bar depends on it. */
const heightOf = (item: Item): number => {
  if (item.kind === "note" || item.kind === "other" || item.kind === "summary") return 56
  return 84 + 44 * item.results.size + Math.min(1200, (lettersOf(item) / 85) * 26)
}

const isContinued = (before: Item | undefined, { entry, kind }: Item): boolean =>
  kind === "assistant" && before?.kind === "assistant" && messageOf(before.entry)["model"] === messageOf(entry)["model"]

/** The items of each run, by the first of them. */
const runsOf = (items: ReadonlyArray<Item>): ReadonlyMap<Item, ReadonlyArray<Item>> => {
  const runs = new Map<Item, Array<Item>>()
  let run: Array<Item> = []
  for (const [at, item] of items.entries()) {
    if (isContinued(items[at - 1], item)) run.push(item)
    else runs.set(item, (run = [item]))
  }
  return runs
}

const empty = () =>
  h(
    "div",
    { class: "nothing" },
    h("h2", {}, "No messages yet"),
    h("p", {}, "This session has no messages. Send a prompt and export the session again to see them here.")
  )

export const make = ({ forkAt }: ConversationOptions) => {
  const element = h("section", { class: "conversation", "aria-label": "Conversation" })
  const views = new Map<string, HTMLElement>()
  const pageOf = new Map<Item, Page>()
  const waiting = new Map<Element, Page>()
  let branch: Branch | undefined
  let runs: ReadonlyMap<Item, ReadonlyArray<Item>> = new Map()
  let unfolded = false

  const fill = (page: Page) => {
    if (!waiting.delete(page.element)) return
    observer.unobserve(page.element)
    const filled = page.items.map((item) => {
      const view = itemView(item, {
        label: branch?.labels.get(item.id),
        fork: forkAt(item),
        run: runs.get(item) ?? []
      })
      if (unfolded) Fold.setAll(view, true)
      views.set(item.id, view)
      return view
    })
    page.element.append(...filled)
    page.element.style.minHeight = ""
  }

  /** Fills one page per frame, to keep scrolling smooth. */
  const queue = new Set<Page>()
  const fillNext = () => {
    const page = queue.values().next().value
    if (page === undefined) return
    queue.delete(page)
    fill(page)
    if (queue.size > 0) requestAnimationFrame(fillNext)
  }

  const observer = new IntersectionObserver(
    (seen) => {
      const isIdle = queue.size === 0
      for (const { isIntersecting, target } of seen) {
        const page = waiting.get(target)
        if (page !== undefined) queue[isIntersecting ? "add" : "delete"](page)
      }
      if (isIdle) fillNext()
    },
    { rootMargin: nearness }
  )

  const fillAll = () => {
    for (const page of waiting.values()) fill(page)
  }

  const fillIdle = (deadline: IdleDeadline) => {
    for (const page of waiting.values()) {
      if (deadline.timeRemaining() < 6) break
      fill(page)
    }
    if (waiting.size > 0) whenIdle()
  }
  const whenIdle = () => (typeof requestIdleCallback === "function" ? void requestIdleCallback(fillIdle) : undefined)

  const makePage = (items: ReadonlyArray<Item>): Page => {
    const page: Page = { element: h("div", { class: "page" }), items }
    const height = Math.round(items.reduce((sum, item) => sum + heightOf(item), 0))
    page.element.style.minHeight = `${height}px`
    page.element.style.containIntrinsicSize = `auto ${height}px`
    for (const item of items) pageOf.set(item, page)
    waiting.set(page.element, page)
    return page
  }

  const show = (next: Branch) => {
    observer.disconnect()
    for (const map of [views, pageOf, waiting, queue]) map.clear()
    branch = next
    runs = runsOf(next.items)
    const pages: Array<Page> = []
    for (let at = 0; at < next.items.length; at += pageSize) pages.push(makePage(next.items.slice(at, at + pageSize)))
    element.replaceChildren(...(pages.length === 0 ? [empty()] : pages.map((page) => page.element)))
    // The first frame shows the first pages.
    for (const page of pages.slice(0, 2)) fill(page)
    for (const page of waiting.values()) observer.observe(page.element)
    if (next.items.length <= mostIdleItems) whenIdle()
  }

  /** The element of an item. Fills the pages around it first, so that it does not jump when scrolled to. */
  const viewOf = (item: Item): HTMLElement | undefined => {
    const page = pageOf.get(item)
    if (page !== undefined) fill(page)
    return views.get(item.id)
  }

  window.addEventListener("beforeprint", fillAll)

  return {
    element,
    show,
    viewOf,
    setFolds: (open: boolean) => {
      unfolded = open
      Fold.setAll(element, open)
    },
    isUnfolded: () => unfolded
  }
}
