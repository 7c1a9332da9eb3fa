/** Prepares arguments for the parser: short names, and options whose value may be left out. Pure. */
import { optionTable } from "./OptionTable.ts"

const shortNames = new Map([["-v", "--version"]])
const withOptionalValue = new Set<string>()
for (const { isValueOptional, name, short } of optionTable) {
  if (short !== undefined) shortNames.set(short, `--${name}`)
  if (isValueOptional === true) withOptionalValue.add(`--${name}`)
}
const subcommand = "auth"
const actions: ReadonlyArray<string | undefined> = ["set", "list", "remove", "-h", "--help"]

/** The parser takes `auth` for the subcommand anywhere, so an option's value of that name is joined to the option. */
const isValue = (args: ReadonlyArray<string>, at: number) =>
  args[at] === subcommand && args[at - 1]?.startsWith("--") === true && !actions.includes(args[at + 1])

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
    } else if (isValue(args, at)) out.push(`${out.pop() ?? ""}=${arg}`)
    else out.push(arg)
  }
  return out
}
