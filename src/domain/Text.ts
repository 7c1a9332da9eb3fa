/**
 * Text of models, tools, files and names, as it may be written to a terminal or to stderr: without what a terminal would
 * obey, and without what changes the order of the text around it. There is no other sanitizer. Pure.
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
export const name = (text: string, longest: number): string => {
  const plain = text.replaceAll(hidden, "?")
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain
}
