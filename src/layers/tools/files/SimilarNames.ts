/** Finds the existing names that a mistyped name may have meant. */
import * as Text from "../../../domain/Text.ts"

const stem = (name: string) => name.replace(/(?<=.)\.[^.]*$/, "")

/** At most three names: first those that differ in case only, then by the number of mistakes. */
export const find = (wanted: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const plain = (name: string) => name.normalize("NFC").toLowerCase()
  const target = plain(wanted)
  const most = Math.min(3, Math.floor(target.length / 3))
  return names
    .flatMap((name) => {
      const candidate = plain(name)
      const mistakes = Text.distance(target, candidate, most)
      const score = mistakes ?? (stem(candidate) === stem(target) ? most + 1 : undefined)
      return score === undefined ? [] : [{ name, score }]
    })
    .sort((a, b) => a.score - b.score)
    .slice(0, 3)
    .map(({ name }) => name)
}
