/** What could not be read as it stands, in words for the user. Bounded, because a project may hold any number of such files. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Look } from "../../pi/discovery/Look.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"

export interface Notes {
  readonly add: (path: string, what: string) => void
  readonly all: () => ReadonlyArray<string>
}

/** A look through folders, and what it has to say. */
export interface Finding {
  readonly look: Look
  readonly notes: Notes
}

const mostNotes = 20

/** The beginning of a file, if there is one. Where it cannot be read, a note says that this was left out. */
export const head = Effect.fnUntraced(function* (
  files: Files,
  notes: Notes,
  path: string,
  what: string,
  options: Pick<ReadText.ReadOptions, "within"> = {}
) {
  const read = yield* Effect.either(ReadText.headIfPresent(files, path, options))
  if (Either.isRight(read)) return Option.getOrUndefined(read.right)
  notes.add(path, `${read.left.reason}, so ${what} was left out`)
  return undefined
})

export const make = (cwd: string): Notes => {
  const notes = new Set<string>()
  let more = 0
  return {
    add: (path, what) => {
      const note = `${LocalPaths.display(path, cwd)} ${what}`
      if (notes.has(note)) return
      if (notes.size < mostNotes) notes.add(note)
      else more++
    },
    all: () => (more === 0 ? [...notes] : [...notes, `and ${more} more`])
  }
}
