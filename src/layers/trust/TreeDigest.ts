/** Digests of files and of whole folders: names, kinds and contents, within bounds. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { OwnFiles } from "../platform/files/OwnFiles.ts"
import * as ContentHash from "../platform/folders/ContentHash.ts"
import * as FolderEntries from "../platform/folders/FolderEntries.ts"

/** More than extensions of a project have, unless they bring their dependencies along. */
const mostFiles = 10_000
const mostBytes = 64 * 1024 * 1024

interface Budget {
  files: number
  bytes: number
}

/** What the digest of a file or folder is made of. Undefined when the budget is used up. */
const linesOf = Effect.fnUntraced(function* (start: string, budget: Budget) {
  const files = yield* OwnFiles
  const lines: Array<string> = []
  const seen = new Set<string>()
  const pending = [{ path: start, name: "" }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { name, path } = next
    if (--budget.files < 0) return undefined
    const file = yield* Effect.either(ContentHash.ofFile(path, Math.max(budget.bytes, 0)))
    if (file._tag === "Right") {
      budget.bytes -= file.right.size
      lines.push(`${name}\0file\0${file.right.hash}`)
      continue
    }
    if (file.left.code === "EFBIG") return undefined
    if (file.left.code !== "EISDIR") {
      lines.push(`${name}\0${file.left.code}`)
      continue
    }
    // A folder that links lead to twice counts once, so that a loop ends.
    const real = Option.getOrElse(yield* Effect.option(files.real(path)), () => path)
    if (seen.has(real)) continue
    seen.add(real)
    const content = yield* Effect.either(FolderEntries.read(path, budget.files + 1))
    if (content._tag === "Left") lines.push(`${name}\0${content.left.code}`)
    else if (content.right.hasMore) return undefined
    else {
      const inside = content.right.entries.filter((entry) => entry.name !== ".git")
      for (const entry of inside.toReversed()) pending.push({ path: entry.path, name: `${name}/${entry.name}` })
    }
  }
  return lines
})

/** By path; places where there is nothing have none. Not whole if there is more than the bounds allow. */
export const ofAll = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  const files = yield* OwnFiles
  const budget: Budget = { files: mostFiles, bytes: mostBytes }
  const digests = new Map<string, string>()
  let isWhole = true
  for (const place of places) {
    const state = yield* Effect.option(files.state(place))
    if (Option.isSome(state) && state.value === undefined) continue
    const lines = yield* linesOf(place, budget)
    if (lines === undefined) isWhole = false
    else digests.set(place, ContentHash.ofTexts(lines))
  }
  return { digests, isWhole }
})
