/** Numbers and times as people read them. */

const plain = new Intl.NumberFormat("en")
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" })

export const whole = (value: number): string => plain.format(value)
export const compact = (value: number): string => (value < 1000 ? plain.format(value) : short.format(value))

export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${whole(amount)} ${amount === 1 ? one : many}`

/** The number of lines, not counting empty ones at the end. */
export const lines = (text: string): string => plural(text.trimEnd().split("\n").length, "line")

/** Small amounts keep two significant digits. */
export const money = (value: number): string => {
  if (value === 0) return "$0"
  const digits = value >= 1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(Math.abs(value))))
  return `$${value.toFixed(Math.max(2, digits))}`
}

export const bytes = (length: number): string => {
  if (length < 1024) return plural(length, "character")
  return length < 1024 * 1024 ? `${(length / 1024).toFixed(0)} KB` : `${(length / 1024 / 1024).toFixed(1)} MB`
}

export const duration = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : plural(Math.floor(hours / 24), "day")
}

const known = (format: Intl.DateTimeFormat) => (millis: number) => (millis > 0 ? format.format(millis) : "")
export const date = known(day)
export const time = known(clock)
export const moment = known(full)

/** The text on one line, shortened to `most` characters. */
export const excerpt = (text: string, most: number): string => {
  const line = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, " ")
    .trim()
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`
}

/** The text on one line without the signs of Markdown. */
export const gist = (text: string, most: number): string =>
  excerpt(
    text
      .slice(0, most * 8)
      .replaceAll(/^[ :|-]*\|[ :|-]*$/gm, "")
      .replaceAll(/^\s*\|.*/gm, (row) => row.replaceAll("|", " "))
      .replaceAll(/(^|\n)\s*(#+|[-*>])\s/g, " ")
      .replaceAll(/[*`]/g, ""),
    most
  )
