/** The occurrences of a text in another one, whatever the case of the letters. Pure. */

/** Lower case of the same length, so that a position means the same in both texts. */
export const folded = (text: string): string => {
  const small = text.toLowerCase()
  const even =
    small.length === text.length
      ? small
      : Array.from(text, (char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join("")
  // A sigma is written in another way at the end of a word, and a text node may end within one.
  return even.replaceAll("ς", "σ")
}

/** Calls `visit` with the position of each occurrence until it returns false. Occurrences do not overlap. */
export const each = (text: string, query: string, visit: (at: number, index: number) => boolean) => {
  let index = 0
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length))
    if (!visit(at, index++)) return
}

/** How often `query` occurs. Both are folded. */
export const count = (text: string, query: string): number => {
  let found = 0
  each(text, query, () => ++found > 0)
  return found
}

/** The position of an occurrence, counted from 0; the end of the text if there are fewer. */
export const positionOf = (text: string, query: string, wanted: number): number => {
  let found = text.length
  each(text, query, (at, index) => {
    if (index === wanted) found = at
    return index < wanted
  })
  return found
}
