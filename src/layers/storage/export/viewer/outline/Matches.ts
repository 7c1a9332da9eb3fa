/** The matches of a search in all items of a session: how many there are, and which item and which part has each. */
import type { Item } from "../conversation/Items.ts"
import { partsOf } from "../conversation/Messages.ts"
import { type Leaf, type LeafLocation, leafLocations } from "../Parts.ts"
import * as Occurrences from "../text/Occurrences.ts"

interface Hit {
  readonly item: Item
  /** How many matches come before. */
  readonly before: number
}

/** One match. */
export interface Match {
  readonly item: Item
  /** The part, counted among all parts of the item. */
  readonly part: number
  /** The occurrence, counted from 0 in the part. */
  readonly occurrence: number
}

export interface Matches {
  readonly total: number
  readonly at: (index: number) => Match | undefined
}

const texts = new WeakMap<Leaf, string>()

/** The text of a part, folded for comparison. */
export const textOf = ({ leaf }: LeafLocation): string => {
  const known = texts.get(leaf) ?? Occurrences.folded(leaf.words())
  texts.set(leaf, known)
  return known
}

const countIn = (item: Item, query: string): number =>
  leafLocations(partsOf(item)).reduce((sum, location) => sum + Occurrences.count(textOf(location), query), 0)

const matchIn = (item: Item, query: string, index: number): Match | undefined => {
  let occurrence = index
  for (const [part, location] of leafLocations(partsOf(item)).entries()) {
    const inside = Occurrences.count(textOf(location), query)
    if (occurrence < inside) return { item, part, occurrence }
    occurrence -= inside
  }
  return undefined
}

/** `query` is folded and not empty. */
export const find = (items: ReadonlyArray<Item>, query: string): Matches => {
  const hits: Array<Hit> = []
  let total = 0
  for (const item of items) {
    const inside = countIn(item, query)
    if (inside > 0) hits.push({ item, before: total })
    total += inside
  }
  return {
    total,
    at: (index) => {
      const hit = hits.findLast(({ before }) => before <= index)
      return hit === undefined ? undefined : matchIn(hit.item, query, index - hit.before)
    }
  }
}
