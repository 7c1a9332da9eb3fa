/** The state of the page: the branch that is shown, and the position in it. All parts of the page follow it. */
import * as Conversation from "./conversation/Conversation.ts"
import { h } from "./Dom.ts"
import { type Entry, makeTree, type SessionData, type Tree } from "./conversation/Entries.ts"
import * as Fold from "./conversation/Fold.ts"
import * as Items from "./conversation/Items.ts"
import { anchorOf, type Fork } from "./conversation/ItemView.ts"
import * as Outline from "./outline/Outline.ts"
import type { Match } from "./outline/Matches.ts"
import { textOf } from "./outline/Matches.ts"
import { overview } from "./overview/Overview.ts"
import { leafLocations } from "./Parts.ts"
import { partsOf } from "./conversation/Messages.ts"

/** The branch that the page shows. */
interface Shown extends Items.Branch {
  readonly path: ReadonlyArray<Entry>
  readonly ids: ReadonlySet<string>
}

const shownOf = (path: ReadonlyArray<Entry>): Shown => ({
  ...Items.make(path),
  path,
  ids: new Set(path.map(({ id }) => id))
})

export interface ReaderOptions {
  readonly data: SessionData
  readonly title: string
}

/** Branches may part at an entry that is not shown. The fork is then at the first item after it. */
const forksOf = ({ itemOf, path }: Shown, { childrenOf }: Tree, reveal: (entryId: string) => void) => {
  const found = new Map<Items.Item, Fork>()
  let pending: Fork | undefined
  for (const entry of path) {
    const siblings = childrenOf(entry.parentId)
    if (siblings.length > 1) {
      const index = siblings.indexOf(entry)
      const go = (step: number) => {
        const other = siblings[(index + step + siblings.length) % siblings.length]
        if (other !== undefined) reveal(other.id)
      }
      pending = { position: index + 1, count: siblings.length, go }
    }
    const item = itemOf.get(entry.id)
    if (pending === undefined || item === undefined) continue
    found.set(item, pending)
    pending = undefined
  }
  return found
}

/** The item that shows an entry, else the next one that is shown. */
const itemFor = ({ itemOf, items, path }: Shown, entryId: string): Items.Item | undefined => {
  const from = path.findIndex(({ id }) => id === entryId)
  const shown = path.slice(Math.max(0, from)).find(({ id }) => itemOf.has(id))
  return shown === undefined ? items.at(-1) : itemOf.get(shown.id)
}

export const make = ({ data, title }: ReaderOptions) => {
  const tree = makeTree(data.entries)
  let branch = shownOf(tree.path(data.leafId))
  let forks: ReadonlyMap<Items.Item, Fork> = new Map()
  let at = -1
  /** The item that a link or a key led to. It stays the current item while it is in view. */
  let taken: HTMLElement | undefined

  const head = h("header", { class: "overview" })
  const conversation = Conversation.make({ forkAt: (item) => forks.get(item) })
  const outline = Outline.make({ tree, onChoose: (id) => reveal(id) })

  const draw = () => {
    forks = forksOf(branch, tree, reveal)
    const isOpen = head.querySelector(".statistics[open]") !== null
    head.replaceChildren(h("div", {}, ...overview(data, branch.path, { title, isOpen, onChoose: reveal })))
    conversation.show(branch)
    outline.setActive(branch.ids)
  }

  const showBranchOf = (entryId: string) => {
    if (branch.ids.has(entryId)) return
    branch = shownOf(tree.path(tree.leafBelow(entryId)))
    draw()
  }

  const markAround = (item: Items.Item, entryId = item.id) => {
    at = branch.items.indexOf(item)
    outline.mark(item, branch.path, entryId)
  }

  /** The element of an entry: of an item, or of the call inside it that the entry is the result of. */
  const elementFor = (item: Items.Item, entryId: string): HTMLElement | undefined => {
    const view = conversation.viewOf(item)
    const [callId] = [...item.results].find(([, { id }]) => id === entryId) ?? []
    if (view === undefined || callId === undefined) return view
    const card = [...view.querySelectorAll(":scope > .item-body > .tool > summary")][
      Items.callsOf(item.entry).indexOf(callId)
    ]
    return card instanceof HTMLElement ? card : view
  }

  const scrollTo = (item: Items.Item, entryId: string): HTMLElement | undefined => {
    const element = elementFor(item, entryId)
    if (element === undefined) return undefined
    taken = element
    element.scrollIntoView({ block: "start" })
    // The next frames fill the pages around it, which may push it away.
    requestAnimationFrame(() => requestAnimationFrame(() => element.scrollIntoView({ block: "start" })))
    markAround(item, entryId)
    return element
  }

  const reveal = (entryId: string) => {
    if (tree.get(entryId) === undefined) return
    showBranchOf(entryId)
    const item = itemFor(branch, entryId)
    const element = item === undefined ? undefined : scrollTo(item, entryId)
    element?.focus({ preventScroll: true })
  }

  const revealMatch = (match: Match) => {
    showBranchOf(match.item.id)
    const item = itemFor(branch, match.item.id)
    if (item === undefined || conversation.viewOf(item) === undefined) return undefined
    const wanted = leafLocations(partsOf(match.item))[match.part]
    // A result that other branches have, too, is part of the item of its call.
    const shown = leafLocations(partsOf(item))
    const location =
      wanted === undefined || item.id === match.item.id
        ? shown[match.part]
        : shown.find((each) => textOf(each) === textOf(wanted))
    const element = location === undefined ? undefined : Fold.openAt(location)
    taken = undefined
    markAround(item)
    return location === undefined || element === undefined ? undefined : { element, text: textOf(location) }
  }

  const step = (by: number) => {
    const next = branch.items[Math.max(0, Math.min(branch.items.length - 1, at + by))]
    if (next !== undefined) reveal(next.id)
  }

  draw()

  return {
    head,
    conversation,
    outline,
    reveal,
    step,
    ends: (last: boolean) => step(last ? branch.items.length : -branch.items.length),
    revealMatch,
    /** All branches; the items of the shown one come first. */
    items: () => [...branch.items, ...tree.stretchesOff(branch.ids).flatMap((stretch) => Items.make(stretch).items)],
    /** Takes the item at the top of the window, or an empty id for the head of the page. */
    noticed: (elementId: string) => {
      const { bottom, top } = taken?.getBoundingClientRect() ?? { bottom: 0, top: 0 }
      if (bottom > 0 && top < window.innerHeight / 1.5) return
      taken = undefined
      const item = branch.items.find(({ id }) => anchorOf(id) === elementId) ?? branch.items[0]
      if (item !== undefined) markAround(item)
    },
    /** Switches branches at the nearest fork at or above the current item, else at the first one below. */
    turnOff: (by: number) => {
      const partings = branch.items.flatMap((item, index) => {
        const fork = forks.get(item)
        return fork === undefined ? [] : [{ fork, index }]
      })
      const parting = partings.findLast(({ index }) => index <= at) ?? partings[0]
      parting?.fork.go(by)
    }
  }
}
