/**
 * What may differ from the recorded build, by name: each says why, which cases it is about, and what it makes of their
 * old lines. One that changes nothing any more makes recorded.test.ts fail, so that none outlives the next record.
 */
import * as Lanes from "./Lanes.ts"

export interface Intended {
  readonly why: string
  /** Of the names of cases. */
  readonly cases: RegExp
  readonly change: (before: Lanes.Lanes) => Lanes.Lanes
}

export const intended: ReadonlyArray<Intended> = []

/** What we expect of this case now. */
export const expected = (name: string, before: Lanes.Lanes) =>
  intended.reduce((lanes, { cases, change }) => (cases.test(name) ? change(lanes) : lanes), before)

const firstDifference = (lane: string, before: ReadonlyArray<string>, now: ReadonlyArray<string>) => {
  const at = before.findIndex((line, index) => line !== now[index])
  const from = at < 0 ? before.length : at
  if (from === before.length && now.length === from) return []
  const around = (lines: ReadonlyArray<string>, mark: string) =>
    lines.slice(from, from + 3).map((line) => `    ${mark} ${line.slice(0, 400)}`)
  const ahead = before.slice(Math.max(0, from - 2), from).map((line) => `      ${line.slice(0, 200)}`)
  return [`  ${lane}, line ${from + 1}:`, ...ahead, ...around(before, "-"), ...around(now, "+")]
}

/** Where the lanes begin to differ from the first of those that are fine, for people; undefined if one of them is the same. */
export const difference = (name: string, before: ReadonlyArray<Lanes.Lanes>, now: Lanes.Lanes): string | undefined => {
  const found = before.map((lanes) => {
    const wanted = expected(name, lanes)
    return Lanes.names.flatMap((lane) => firstDifference(lane, wanted[lane], now[lane]))
  })
  return found.some((lines) => lines.length === 0) ? undefined : found[0]?.join("\n")
}
