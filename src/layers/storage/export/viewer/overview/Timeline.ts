/** The positions of entries on a timeline. Long pauses are shortened, so that the work fills the line. Pure. */
import type { Entry } from "../conversation/Entries.ts"
import { type Kind, kindOf, messageOf } from "../conversation/Items.ts"
import type { JsonRecord } from "../text/Json.ts"

export type SpotKind = "user" | "model" | "tool" | "bad" | "other"

export interface Spot {
  readonly entry: Entry
  readonly kind: SpotKind
  readonly x: number
  readonly count: number
}

const longPause = 10 * 60_000
const pauseWidth = 16

export const spotKind = (kind: Kind, message: JsonRecord): SpotKind => {
  if (message["isError"] === true || message["stopReason"] === "error") return "bad"
  if (kind === "user" || kind === "bash") return "user"
  return kind === "assistant" ? "model" : kind === "result" ? "tool" : "other"
}

const weight: Readonly<Record<SpotKind, number>> = { bad: 4, user: 3, model: 2, tool: 1, other: 0 }

const columnWidth = 3

/** One spot for each column. The most important kind of entry wins. */
const thin = (spots: ReadonlyArray<Spot>): ReadonlyArray<Spot> => {
  const columns = new Map<number, Spot>()
  for (const spot of spots) {
    const column = Math.floor(spot.x / columnWidth)
    const before = columns.get(column)
    const winner = before === undefined || weight[spot.kind] > weight[before.kind] ? spot : before
    columns.set(column, { ...winner, count: (before?.count ?? 0) + 1 })
  }
  return [...columns.values()].toSorted((one, other) => one.x - other.x)
}

/** `breaks` are the positions of shortened pauses. */
export const layout = (entries: ReadonlyArray<Entry>, width: number) => {
  const gaps = entries.map(({ time }, at) => Math.max(0, time - (entries[at - 1]?.time ?? time)))
  const pauses = gaps.filter((gap) => gap > longPause).length
  const pause = Math.min(pauseWidth, width / 4 / Math.max(1, pauses))
  const working = gaps.reduce((sum, gap) => sum + (gap > longPause ? 0 : gap), 0)
  const scale = working === 0 ? 0 : (width - 4 - pauses * pause) / working
  const breaks: Array<number> = []
  let x = 0
  const spots = entries.map((entry, at): Spot => {
    const gap = gaps[at] ?? 0
    if (gap > longPause) breaks.push(x + pause / 2)
    x += gap > longPause ? pause : gap * scale
    return { entry, kind: spotKind(kindOf(entry), messageOf(entry)), x, count: 1 }
  })
  return { spots: thin(spots), breaks }
}
