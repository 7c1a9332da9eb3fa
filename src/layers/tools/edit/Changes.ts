/** What `edit` and `write` change in a file, as their results have it in `details`. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Files } from "../../../services/machine/Files.ts"
import * as Truncate from "../files/Truncate.ts"
import * as Diff from "./Diff.ts"

/** Longer files are not edited, and writing them shows no diff. */
export const maxBytes = 32 * 1024 * 1024

/** The whole file, or its size if it is too long. */
export const readAll = Effect.fnUntraced(function* (path: string) {
  const files = yield* Files
  const file = yield* files.open(path)
  if (file.size > maxBytes) return Either.left(file.size)
  return Either.right(yield* file.readFirst(maxBytes))
}, Effect.scoped)

/** Both texts with LF only. A long diff is cut, which its last line and `diffTruncated` say; the counts are of all lines. */
export const between = (before: string, after: string) => {
  const { diff, ...counts } = Diff.make(before, after)
  const cut = Truncate.truncateHead(diff)
  if (!cut.truncated) return { diff, ...counts }
  const rest = `[${cut.totalLines - cut.outputLines} more lines of ${cut.totalLines}]\n`
  return { diff: cut.content + rest, diffTruncated: true, ...counts }
}
