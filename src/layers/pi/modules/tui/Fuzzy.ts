/** Finds texts that have the letters of a query in its order. */

export interface FuzzyMatch {
  readonly matches: boolean
  /** The lower, the better. */
  readonly score: number
}

const startsWord = (text: string, at: number) => at === 0 || /[\s\-_./:]/.test(text[at - 1] ?? "")

/** Rewards letters in a row and at the beginning of words, and an exact hit most. */
export const fuzzyMatch = (query: string, text: string): FuzzyMatch => {
  const wanted = query.toLowerCase()
  const given = text.toLowerCase()
  let score = wanted === given && wanted !== "" ? -100 : 0
  let from = 0
  let before = -1
  for (const letter of wanted) {
    const at = given.indexOf(letter, from)
    if (at < 0) return { matches: false, score: 0 }
    score += at / 10
    if (before >= 0 && at > before + 1) score += at - before - 1
    if (at === before + 1 && before >= 0) score -= 5
    if (startsWord(given, at)) score -= 10
    before = at
    from = at + letter.length
  }
  return { matches: true, score }
}

/** The items that match every word of the query, the best first. */
export const fuzzyFilter = <A>(items: ReadonlyArray<A>, query: string, getText: (item: A) => string): Array<A> => {
  const parts = query.split(/[\s/]+/).filter((part) => part !== "")
  if (parts.length === 0) return [...items]
  return items
    .flatMap((item) => {
      const found = parts.map((part) => fuzzyMatch(part, getText(item)))
      const score = found.reduce((sum, match) => sum + match.score, 0)
      return found.every(({ matches }) => matches) ? [{ item, score }] : []
    })
    .sort((a, b) => a.score - b.score)
    .map(({ item }) => item)
}
