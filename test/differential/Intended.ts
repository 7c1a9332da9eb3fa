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

/**
 * Cases in which another order is meant than in the builds that were recorded. Of these, what the working tree did when it
 * was recorded is in recorded.jsonl, too.
 */
export const changed: ReadonlyArray<Omit<Intended, "change">> = [
  {
    why: "A prompt that is prepared takes fewer steps, so one right behind an abort is refused as a plain one always was.",
    cases: /^Ending, (template|hook that waits), |^seed (34|36|38)$/
  },
  {
    why: "An abort is done in its place: it is answered before what comes behind it, and ends and takes none of that.",
    cases: /^seed (5|15|27|31)$/
  },
  {
    why: "A query sees the prompt before it also where a command that takes long waits between the two.",
    cases: /^seed (6|22|29|32|39)$/
  },
  {
    why: "Commands of one write are taken one right after the other, so a cancel finds the one before it waiting.",
    cases: /^seed 26$/
  },
  {
    why: "The connection remembers the commands that it has answered, over changes of the session.",
    cases: /^seed 33$/
  }
]

export const isChanged = (name: string) => changed.some(({ cases }) => cases.test(name))

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
