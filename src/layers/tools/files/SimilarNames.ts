/** Finds the existing names that a mistyped name may have meant. */

const stem = (name: string) => name.replace(/(?<=.)\.[^.]*$/, "")

/** The number of letters to insert, drop, change or swap; undefined when there are more than `most`. */
const distance = (a: string, b: string, most: number): number | undefined => {
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

/** At most three names: first those that differ in case only, then by the number of mistakes. */
export const find = (wanted: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const plain = (name: string) => name.normalize("NFC").toLowerCase()
  const target = plain(wanted)
  const most = Math.min(3, Math.floor(target.length / 3))
  return names
    .flatMap((name) => {
      const candidate = plain(name)
      const mistakes = distance(target, candidate, most)
      const score = mistakes ?? (stem(candidate) === stem(target) ? most + 1 : undefined)
      return score === undefined ? [] : [{ name, score }]
    })
    .sort((a, b) => a.score - b.score)
    .slice(0, 3)
    .map(({ name }) => name)
}
