/** The name that a person probably meant. Pure. */

/** Longer names are not typing mistakes. */
const longest = 80

/** How many letters have to be added, removed, replaced or swapped with their neighbour. */
const distance = (a: string, b: string): number => {
  let [older, old]: [Array<number>, Array<number>] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      line[column] = Math.min(
        (old[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (old[column - 1] ?? 0) + (same ? 0 : 1),
        isSwapped ? (older[column - 2] ?? 0) + 1 : Infinity
      )
    }
    ;[older, old] = [old, line]
  }
  return old[b.length] ?? 0
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, "")

/** Undefined where nothing is near: at most a third of the letters may differ. A missing beginning or end is near. */
export const nearest = (name: string, candidates: Iterable<string>): string | undefined => {
  if (name.length > longest) return undefined
  const wanted = plain(name)
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of candidates) {
    const other = plain(candidate)
    if (Math.abs(other.length - wanted.length) > longest) continue
    const isPart = wanted.length > 3 && (other.endsWith(`.${wanted}`) || wanted.endsWith(`.${other}`))
    const found = isPart ? 1 : distance(wanted, other)
    const isNear = isPart || found <= Math.max(1, Math.floor(wanted.length / 3))
    if (isNear && (best === undefined || found < best.distance)) best = { name: candidate, distance: found }
  }
  return best?.name
}
