/** What `npm run torture` and the short runs of `npm test` have in common: a part gets a seed and bounds, and reports. */
import type { Count, Figures } from "./Figures.ts"
import type { Random } from "./Random.ts"

export interface Bounds {
  readonly cases: number
  readonly seconds: number
}

export interface Context {
  readonly random: Random
  readonly bounds: Bounds
  /** Repeat only this case. */
  readonly only?: string
  readonly figures: Figures
  /** False once the time is up: a part ends after its current case. */
  readonly goesOn: () => boolean
  readonly violate: (count: Count | undefined, what: string, caseName?: string) => void
  readonly say: (line: string) => void
}

export interface Part {
  readonly summary: string
  /** `short` is for `npm test`, `standard` for `npm run torture`, `full` for `--full`. */
  readonly bounds: Readonly<Record<"short" | "standard" | "full", Bounds>>
  readonly run: (context: Context) => Promise<void>
}

export interface Start {
  readonly name: string
  readonly seed: string
  readonly bounds: Bounds
  readonly only?: string
  readonly say?: (line: string) => void
}

export const context = (start: Start, random: Random, figures: Figures): Context => {
  const ends = performance.now() + start.bounds.seconds * 1000
  return {
    random,
    bounds: start.bounds,
    ...(start.only === undefined ? {} : { only: start.only }),
    figures,
    goesOn: () => performance.now() < ends,
    violate: (count, what, caseName) => {
      if (count !== undefined) figures[count]++
      const again = `--only ${start.name} --seed ${start.seed}${caseName === undefined ? "" : ` --case ${caseName}`}`
      figures.violations.push({ what, again })
      start.say?.(`  ! ${what}\n    again: npm run torture -- ${again}`)
    },
    say: start.say ?? (() => {})
  }
}
