/** The cases whose order was recorded from a release, so that no test needs a checkout of another revision. */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Cases from "./Cases.ts"
import * as Intended from "./Intended.ts"
import * as Lanes from "./Lanes.ts"

/**
 * The revisions that recorded.jsonl was recorded from: the release, and where a later one ended a race the other way,
 * that one, too. A build may do as any of them did.
 */
export const bases = ["fcac9a4", "27d1e2d"] as const

export const cases: ReadonlyArray<Cases.Case> = [
  ...Cases.rows,
  ...Array.from({ length: 40 }, (_, at) => Cases.random(at + 1))
]

export interface Recorded {
  /** What was sent, so that a change of Cases.ts is noticed. */
  readonly sent: string
  /** How many lines the last build wrote before each step of the host, and behind the last. */
  readonly counts: ReadonlyArray<number>
  /** What the builds did, each once. */
  readonly did: ReadonlyArray<Lanes.Lanes>
}

/** A lane as the places of its lines in one list of all lines: most come many times. */
type Kept = Readonly<Record<keyof Lanes.Lanes, ReadonlyArray<number>>>

interface Row extends Omit<Recorded, "did"> {
  readonly name: string
  readonly did: ReadonlyArray<Kept>
}

const path = join(import.meta.dirname, "recorded.jsonl")

const hashOf = (script: ReadonlyArray<string>) =>
  createHash("sha256").update(script.join("\n")).digest("hex").slice(0, 12)

const mapLanes = <A, B>(lanes: Readonly<Record<keyof Lanes.Lanes, A>>, map: (lane: A) => B) => ({
  answers: map(lanes.answers),
  runs: map(lanes.runs),
  onArrival: map(lanes.onArrival),
  events: map(lanes.events)
})

/** The file has a JSON text for each line, and then an object for each case. */
export const read = (): ReadonlyMap<string, Recorded> => {
  const values: ReadonlyArray<string | Row> = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  const lineAt = (place: number) => String(values[place])
  const rows = values.filter((value) => typeof value === "object")
  const laneOf = (places: ReadonlyArray<number>) => places.map(lineAt)
  return new Map(
    rows.map(({ did, name, ...kept }) => [name, { ...kept, did: did.map((lanes) => mapLanes(lanes, laneOf)) }])
  )
}

/** What was recorded of this case; it must still be the same case. */
export const find = (recorded: ReadonlyMap<string, Recorded>, { name, script }: Cases.Case): Recorded => {
  const found = recorded.get(name)
  if (found?.sent === hashOf(script)) return found
  throw new Error(`"${name}" is not the case that was recorded: bun test/differential/run.ts --record`)
}

const countsOf = (played: ReadonlyArray<string>) => {
  const counts = [0]
  let before = ""
  for (const line of played) {
    const kind = line[0] ?? ""
    if (kind === "<") counts.push((counts.pop() ?? 0) + 1)
    // Lines that the host sends in a row are one step; each `!` is one.
    else if (kind === "!" || (kind === ">" && before !== ">")) counts.push(0)
    before = kind
  }
  return counts
}

type Played = ReadonlyArray<ReadonlyArray<string>>

/** `builds` has what each build wrote, case by case; `now` counts where the order has changed since. */
export const write = (builds: ReadonlyArray<Played>, now: Played) => {
  const places = new Map<string, number>()
  const placesOf = (lines: ReadonlyArray<string>) =>
    lines.map((line) => {
      const place = places.get(line) ?? places.size
      places.set(line, place)
      return place
    })
  const rows = cases.map(({ name, script }, at) => {
    const played = [...builds, ...(Intended.isChanged(name) ? [now] : [])].map((build) => build[at] ?? [])
    const did = new Set(played.map((lines) => JSON.stringify(mapLanes(Lanes.of(lines), placesOf))))
    const row = { name, sent: hashOf(script), counts: countsOf(played.at(-1) ?? []) }
    return { ...row, did: [...did].map((lanes) => JSON.parse(lanes)) }
  })
  writeFileSync(path, [...places.keys(), ...rows].map((value) => `${JSON.stringify(value)}\n`).join(""))
}
