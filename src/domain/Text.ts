/**
 * Text of models, tools, files and names, as it may be shown: cut, in markup, and on a terminal or stderr without what a
 * terminal would obey and what changes the order of the text around it. There is no other sanitizer. Pure.
 */

const stringEnd = String.raw`(?:\u0007|\u001b\\|\u009c)`
/** Whole sequences come first, so that nothing of them is left as text. */
const unsafe = new RegExp(
  [
    // Cursor, colours and modes.
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    // Titles, links, clipboard and device strings. Without an end on the line it is text.
    String.raw`(?:\u001b[\]P^_X]|[\u0090\u0098\u009d-\u009f])\P{Cc}*${stringEnd}`,
    // The other sequences.
    String.raw`\u001b[ -/]*[0-~]`,
    // Control characters but line feed and tab, then marks and overrides of the direction.
    String.raw`(?![\n\t])\p{Cc}`,
    String.raw`[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]`
  ].join("|"),
  "gu"
)
const style = new RegExp(String.raw`^\u001b\[[\d;:]*m$`)
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Line feeds and tabs stay; a carriage return ends a line, so that no text is written over. */
export const printable = (text: string): string => text.replaceAll(/\r\n?/g, "\n").replaceAll(unsafe, "")

/** The same on one line. */
export const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, " ").trim()

/** A row that heddle has styled: of all sequences only styles stay. */
export const styled = (row: string): string =>
  row.replaceAll(unsafe, (found) => (style.test(found) ? found : "")).replaceAll("\n", " ")

/** A name that a person is to recognize: each character that cannot be seen reads as a question mark. */
export const name = (text: string, longest: number): string => clip(text.replaceAll(hidden, "?"), longest)

/** The beginning. A pair of surrogates stays whole. */
export const first = (text: string, most: number): string =>
  text.length > most ? text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "") : text

/** The beginning, followed by "…" where something was cut. */
export const clip = (text: string, most: number): string => (text.length > most ? `${first(text, most)}…` : text)

/** The same, with the "…" no longer than `most`. */
export const fit = (text: string, most: number): string => (text.length > most ? clip(text, most - 1) : text)

const entities: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" }

/** Text between tags. */
export const markup = (text: string): string => text.replaceAll(/[&"<>]/g, (char) => entities[char] ?? char)

/** The value of an attribute: nothing in it ends the attribute, the tag or the line, or looks like another tag. */
export const attribute = (text: string): string =>
  markup(text).replaceAll(/[\p{Cc}\u2028\u2029]/gu, (char) => `&#${char.charCodeAt(0)};`)

/** How many letters to insert, drop, change or swap with their neighbour; undefined where there are more than `most`. */
export const distance = (a: string, b: string, most: number): number | undefined => {
  if (Math.abs(a.length - b.length) > most) return undefined
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const changed = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(changed, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(cost)
      least = Math.min(least, cost)
    }
    if (least > most) return undefined
    beforeLast = last
    last = row
  }
  const total = last[b.length] ?? 0
  return total > most ? undefined : total
}
