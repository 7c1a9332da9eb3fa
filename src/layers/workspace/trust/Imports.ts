/**
 * What extensions of a project import from outside of their folders: other files of the project, packages in `node_modules`, what
 * links lead to. Found without running anything, so a path that is computed is not among them.
 */
import * as Effect from "effect/Effect"
import * as ImportScan from "../../machine/foreign/ImportScan.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { type Files, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ContentHash from "../../machine/files/folders/ContentHash.ts"
import type { ProjectCode } from "./ProjectCode.ts"
import type { Budget } from "./TreeDigest.ts"

export interface Imports {
  /** Undefined if there are none. */
  readonly digest: string | undefined
  /** Digests by paths that people read. */
  readonly parts: ReadonlyMap<string, string>
  /** The same by paths without links. */
  readonly hashes: ReadonlyMap<string, string>
}

/** How many files are read before other fibers get their turn. */
const batch = 50

/** Undefined where nothing can be read; then nothing can be loaded either. */
const readOne = Effect.fnUntraced(
  function* (files: Files, path: string, { bytes }: Budget) {
    const real = yield* files.real(path)
    const state = yield* files.state(real)
    if (state?.isFile !== true) return undefined
    if (state.size > bytes) return { real, content: undefined }
    // Files below /proc say that they are empty, and some have no end.
    return { real, content: state.size === 0 ? new Uint8Array(0) : yield* files.read(real) }
  },
  Effect.orElseSucceed(() => undefined)
)

/** Undefined if there is more than the bounds allow. */
export const read = Effect.fn("Imports.read")(function* ({ budget, entries, hashes: known }: ProjectCode, cwd: string) {
  const files = yield* OwnFiles
  const left = { ...budget }
  const { specifiers } = yield* Effect.promise(() => import("../../pi/modules/Importable.ts"))
  const imported = ImportScan.make(specifiers())
  const seen = new Set(entries)
  const hashes = new Map<string, string>()
  const pending = [...entries]
  for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
    const found = yield* readOne(files, path, left)
    if (found === undefined) continue
    const { content, real } = found
    if (content === undefined || left.files === 0) return undefined
    if (!known.has(real)) {
      left.files--
      left.bytes -= content.length
      hashes.set(real, ContentHash.ofBytes(content))
    }
    for (const next of imported(real, content)) {
      if (!seen.has(next)) pending.push(next)
      seen.add(next)
    }
    if (seen.size % batch === 0) yield* Effect.yieldNow()
  }
  const sorted = [...hashes].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const parts = new Map(sorted.map(([path, hash]) => [LocalPaths.display(path, cwd), hash]))
  return {
    digest: parts.size === 0 ? undefined : ContentHash.ofTexts([...parts].flat()),
    parts,
    hashes
  } satisfies Imports
})
