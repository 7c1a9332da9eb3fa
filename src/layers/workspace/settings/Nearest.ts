/** The name that a person probably meant. Pure. */
import * as Text from "../../../domain/Text.ts"

/** Longer names are not typing mistakes. */
const longest = 80

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
    const found = isPart ? 1 : Text.distance(wanted, other, Math.max(1, Math.floor(wanted.length / 3)))
    if (found !== undefined && found < (best?.distance ?? Infinity)) best = { name: candidate, distance: found }
  }
  return best?.name
}
