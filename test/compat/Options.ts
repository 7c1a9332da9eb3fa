/** The options of `npm run compat`. */
import { parseArgs } from "node:util"
import { isTarget, type TargetName, targets } from "./host/Target.ts"

export interface Options {
  readonly target: TargetName
  /** Numbers from 1 on; all if empty. */
  readonly only: ReadonlyArray<number>
  readonly more: boolean
  readonly clients: boolean
  readonly keep: boolean
  readonly record: boolean
}

const usage = `npm run compat -- [options]
  --target <name>  the program to check: ${Object.keys(targets).join(", ")}
  --only 3,7       only the packages with these numbers
  --more           loads the packages of the longer list instead, and checks nothing but that they load and end
  --clients        lets published clients of pi and omp, and pi-acp, drive heddle as npm installs it
  --record         with --more and pi: writes the commands and tools that it shows into more.json
  --keep           keeps the temporary folder, with all frames of each package`

const flags = {
  target: { type: "string", default: "heddle" },
  only: { type: "string" },
  more: { type: "boolean", default: false },
  clients: { type: "boolean", default: false },
  keep: { type: "boolean", default: false },
  record: { type: "boolean", default: false },
  help: { type: "boolean" }
} as const

/** A text says what is wrong. */
export const read = (args: ReadonlyArray<string>, count: number): Options | string => {
  try {
    const { values } = parseArgs({ args: [...args], options: flags })
    const { clients, keep, more, record, target } = values
    if (values.help === true) return usage
    if (!isTarget(target)) return `There is no target ${target}.\n${usage}`
    const only = values.only?.split(",").map(Number) ?? []
    const wrong = only.find((number) => !(Number.isInteger(number) && number >= 1 && (more || number <= count)))
    if (wrong !== undefined) return `--only takes numbers from 1 to ${count}.\n${usage}`
    if (record && (!more || target !== "pi" || only.length > 0))
      return `--record needs all of --more with pi.\n${usage}`
    if (clients && (more || record || only.length > 0 || target !== "heddle"))
      return `--clients takes no option but --keep.\n${usage}`
    return { target, only, more, clients, keep, record }
  } catch (error) {
    return `${error instanceof Error ? error.message : error}\n${usage}`
  }
}
