/** Lays out help for a terminal of 80 columns. Pure. */
import type { OptionEntry } from "../arguments/OptionTable.ts"

const pageWidth = 80
/** The column in which descriptions begin. */
const column = 30

/** The words in lines of at most this width. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`)
    else lines.push(word)
  }
  return lines
}

export const spelling = ({ kind, name, placeholder, short }: OptionEntry): string => {
  const value = kind === "flag" ? "" : ` ${placeholder.startsWith("[") ? placeholder : `<${placeholder}>`}`
  return `${short === undefined ? "" : `${short}, `}--${name}${value}`
}

/** A name and its description beside it, or below it if the name is long. */
export const row = (name: string, description: string, indent = "  "): string => {
  const left = indent + name
  const [first = "", ...rest] = wrap(description, pageWidth - column)
  const below = rest.map((line) => `\n${" ".repeat(column)}${line}`).join("")
  return left.length < column - 1
    ? left.padEnd(column) + first + below
    : `${left}\n${" ".repeat(column)}${first}${below}`
}

/** Choices are part of the description, because many of them do not fit beside the name. */
export const option = (entry: OptionEntry): string => {
  if (entry.choices === undefined) return row(spelling(entry), entry.help)
  const { choices, ...rest } = entry
  return row(
    spelling({ ...rest, placeholder: entry.name.replace(/^.*-/, "") }),
    `${entry.help} (${choices.join(", ")})`
  )
}

export const paragraph = (text: string): string => wrap(text, pageWidth).join("\n")

export const list = (items: ReadonlyArray<string>): string =>
  wrap(items.join(", "), pageWidth - 2)
    .map((line) => `  ${line}`)
    .join("\n")
