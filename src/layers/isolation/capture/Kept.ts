/** What stays out of a patch because it is too large. Files get a second name, which lasts longer than the worktree. */
import * as Effect from "effect/Effect"
import type { Withheld } from "../../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../../platform/files/LocalPaths.ts"
import type { ClaimedFolder, Means } from "../Claim.ts"
import * as Survey from "../Survey.ts"

export const withheld = (
  { bounds, files }: Means,
  { path: root }: ClaimedFolder,
  undone: Withheld | undefined,
  oversized: ReadonlyArray<Survey.Oversized>
): Withheld | undefined => {
  if (oversized.length === 0) return undone
  const keep = Effect.fnUntraced(function* (folder: string, one: Survey.Oversized) {
    const path = Survey.pathOf(one)
    if (one.files !== undefined) return [path]
    const named = yield* Effect.either(
      files.nameAgain(LocalPaths.join(root, path), LocalPaths.join(folder, "task", path))
    )
    return named._tag === "Right" ? [] : [path]
  })
  return {
    leftOut: undone?.leftOut ?? [],
    replaced: undone?.replaced ?? [],
    tooLarge: { paths: oversized.map(Survey.label), most: Survey.words(bounds) },
    copyTo: Effect.fnUntraced(function* (folder: string) {
      if (undone !== undefined) yield* undone.copyTo(folder)
      return (yield* Effect.forEach(oversized, (one) => keep(folder, one))).flat()
    })
  }
}
