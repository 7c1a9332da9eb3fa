/** Prepares arguments for the parser: short names, and options whose value may be left out. Pure. */
import { optionTable } from "./OptionTable.ts"

const shortNames = new Map([["-v", "--version"]])
const withOptionalValue = new Set<string>()
for (const { isValueOptional, name, short } of optionTable) {
  if (short !== undefined) shortNames.set(short, `--${name}`)
  if (isValueOptional === true) withOptionalValue.add(`--${name}`)
}

/** `args` is everything after the program's name. */
export const normalize = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (let at = 0; at < args.length; at++) {
    const given = args[at] ?? ""
    if (given === "--") return [...out, ...args.slice(at)]
    const arg = shortNames.get(given) ?? given
    const next = args[at + 1]
    if (withOptionalValue.has(arg)) {
      const hasValue = next !== undefined && !next.startsWith("-")
      out.push(arg, hasValue ? next : "")
      if (hasValue) at += 1
    } else out.push(arg)
  }
  return out
}
