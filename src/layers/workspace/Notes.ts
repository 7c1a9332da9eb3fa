/** What could not be read as it stands, in words for the user. Bounded, because a project may hold any number of such files. */
import type { Look } from "../extensions/discovery/Look.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"

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
