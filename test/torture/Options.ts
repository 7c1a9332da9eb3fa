/** The options of `npm run torture`. */
import { parseArgs } from "node:util"
import { parts, targets } from "./parts.ts"

export interface Options {
  readonly seed: string
  readonly only: ReadonlyArray<string>
  /** One case of one part. */
  readonly caseName?: string
  readonly full: boolean
  readonly cases?: number
  /** For each part. */
  readonly seconds?: number
  readonly total: number
  readonly target?: string
}

const usage = `npm run torture -- [options]
  --only a,b      parts: ${Object.keys(parts).join(", ")}
  --seed <text>   repeats the cases of that seed; printed at the start and with every violation
  --case <name>   one case of one part
  --cases <n>     at most so many cases of each part
  --seconds <n>   at most so many seconds for each part
  --total <n>     at most so many seconds together
  --full          the figures of docs/reliability.md: takes about an hour
  --target <cmd>  another agent in place of heddle, and only reports: ${Object.keys(targets).join(", ")}`

const flags = {
  only: { type: "string" },
  seed: { type: "string" },
  case: { type: "string" },
  cases: { type: "string" },
  seconds: { type: "string" },
  total: { type: "string" },
  target: { type: "string" },
  full: { type: "boolean" },
  help: { type: "boolean" }
} as const

const number = (name: string, text: string | undefined): { readonly [key: string]: number } => {
  if (text === undefined) return {}
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} takes a number above 0`)
  return { [name]: value }
}

/** A text says what is wrong. */
export const read = (args: ReadonlyArray<string>): Options | string => {
  try {
    const { values } = parseArgs({ args: [...args], options: flags })
    if (values.help === true) return usage
    const all = values.target === undefined ? Object.keys(parts) : Object.keys(targets)
    const only = values.only?.split(",") ?? all
    const unknown = only.find((name) => !all.includes(name))
    if (unknown !== undefined) return `There is no part ${unknown}.\n${usage}`
    return {
      seed: values.seed ?? `${Date.now() % 1_000_000}`,
      only,
      full: values.full === true,
      total: Number.POSITIVE_INFINITY,
      ...(values.case === undefined ? {} : { caseName: values.case }),
      ...(values.target === undefined ? {} : { target: values.target }),
      ...number("cases", values.cases),
      ...number("seconds", values.seconds),
      ...number("total", values.total)
    }
  } catch (error) {
    return `${error instanceof Error ? error.message : error}\n${usage}`
  }
}
