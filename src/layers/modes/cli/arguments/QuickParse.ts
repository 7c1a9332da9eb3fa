/**
 * Parses the plain command lines that hosts and people send. Loading and running the full parser takes a third of the
 * start-up time, so it is used only for mistakes, and everything that this parser does not understand.
 */
import * as Option from "effect/Option"
import { type Given, optionTable } from "./OptionTable.ts"

const byName = new Map(optionTable.map((entry) => [`--${entry.name}`, entry]))

/** An option that heddle does not know. It has the word behind it as its value, unless that is an option, too. */
const isForeign = (arg: string) => /^--[A-Za-z][\w-]*(?:=|$)/.test(arg)

/** Whether an argument is a word: no option, and no dash that was meant as one. */
const isWord = (arg: string) => !arg.startsWith("-")

/** None when an option lacks its value, has one too many, or has two values where one counts. */
export const parse = (args: ReadonlyArray<string>): Option.Option<Given> => {
  const values = new Map<string, ReadonlyArray<string>>()
  const unknown = new Map<string, string | true>()
  const messages: Array<string> = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--") {
      if (at + 1 < args.length) messages.push(...args.slice(at))
      break
    }
    if (isWord(arg)) {
      messages.push(arg)
      continue
    }
    const equals = arg.indexOf("=")
    const name = equals < 0 ? arg : arg.slice(0, equals)
    const entry = byName.get(name)
    if (entry === undefined) {
      if (!isForeign(arg) || unknown.has(name.slice(2))) return Option.none()
      const next = equals < 0 ? args[at + 1] : arg.slice(equals + 1)
      const isValue = next !== undefined && (equals >= 0 || !next.startsWith("-"))
      unknown.set(name.slice(2), isValue ? next : true)
      if (isValue && equals < 0) at++
      continue
    }
    const before = values.get(entry.name)
    if (entry.kind === "flag") {
      if (equals >= 0) return Option.none()
      values.set(entry.name, [""])
      continue
    }
    if (before !== undefined && entry.kind === "text" && entry.isIdle !== true) return Option.none()
    const value = equals >= 0 ? arg.slice(equals + 1) : args[++at]
    if (value === undefined || (equals < 0 && value.startsWith("-"))) return Option.none()
    values.set(entry.name, [...(before ?? []), value])
  }
  return Option.some({ values, messages, ...(unknown.size === 0 ? {} : { unknown }) })
}
