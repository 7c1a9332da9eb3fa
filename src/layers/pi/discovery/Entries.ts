/** The entry files of extensions: what a folder of extensions, a single extension or a manifest stands for. */
import * as Effect from "effect/Effect"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { FolderEntry } from "../../machine/files/folders/FolderEntries.ts"
import { type Look, relative } from "./Look.ts"
import * as Manifest from "./Manifest.ts"
import * as Patterns from "./Patterns.ts"

const endings = ["ts", "js", "mjs", "cjs", "mts"]
const isCode = (name: string): boolean => /(?<!\.d)\.(?:ts|js|mjs|cjs|mts)$/.test(name) && !name.startsWith(".")
const indexNames = endings.map((ending) => `index.${ending}`)

/** A manifest may name folders with manifests, and these the first one again. */
const deepest = 3

const indexAmong = (entries: ReadonlyArray<FolderEntry>): ReadonlyArray<string> => {
  for (const wanted of indexNames) {
    const found = entries.find(({ kind, name }) => name === wanted && kind === "file")
    if (found !== undefined) return [found.path]
  }
  return []
}

type Paths = Effect.Effect<ReadonlyArray<string>>

/** What the list of a manifest stands for. A path where there is nothing is left out, as published packages have such. */
export const listed = (look: Look, root: string, patterns: ReadonlyArray<string>, depth = 0): Paths =>
  Effect.gen(function* () {
    const found: Array<string> = []
    for (const { byPattern, path } of yield* Patterns.included(look, root, patterns)) {
      const entries = yield* atPath(look, path, depth + 1)
      found.push(...(byPattern ? entries.filter(isCode) : entries))
    }
    const isKept = Patterns.notExcluded(patterns)
    return found.filter((path) => isKept(relative(root, path)))
  })

/** The list of the folder's manifest, else its index. */
const declaredBy = (look: Look, folder: string, entries: ReadonlyArray<FolderEntry>, depth: number): Paths =>
  Effect.gen(function* () {
    const hasManifest = depth < deepest && entries.some(({ name }) => name === "package.json")
    const manifest = hasManifest ? yield* Manifest.read(look, folder) : undefined
    const patterns = manifest?.resources?.extensions ?? []
    return patterns.length > 0 ? yield* listed(look, folder, patterns, depth) : indexAmong(entries)
  })

const isExtensionFolder = ({ kind, name }: FolderEntry) =>
  kind === "folder" && name !== "node_modules" && !name.startsWith(".")

/** A folder of extensions: files with code, and folders with an index or a manifest. */
const among = (look: Look, entries: ReadonlyArray<FolderEntry>, depth: number): Paths =>
  Effect.gen(function* () {
    const found: Array<string> = []
    for (const entry of entries) {
      if (isExtensionFolder(entry)) {
        found.push(...(yield* declaredBy(look, entry.path, yield* look.entries(entry.path), depth)))
      } else if (isCode(entry.name)) {
        if (entry.kind === "file") found.push(entry.path)
        else look.report(entry.path, "is neither a file nor a folder, or a link that leads nowhere")
      }
    }
    return found
  })

export const inFolder = (look: Look, folder: string): Paths =>
  Effect.flatMap(look.entries(folder), (entries) => among(look, entries, 0))

/** A file stands for itself; a folder for its manifest, else its index, else the extensions in it. */
export const atPath = (look: Look, path: string, depth = 0): Paths =>
  Effect.gen(function* () {
    const state = yield* Effect.option(look.files.state(path))
    if (state._tag === "None" || state.value === undefined) return []
    if (state.value.isFile) return [path]
    const entries = yield* look.entries(path)
    const own = yield* declaredBy(look, path, entries, depth)
    return own.length > 0 || depth >= deepest ? own : yield* among(look, entries, depth + 1)
  })

/** Where packages keep code; such a folder says nothing about what it holds. */
const codeFolders = new Set(["src", "dist", "lib", "build", "out", "extensions"])

/** By which `disabledExtensions` names an extension: its file without the ending, or the folder or package of an index. */
export const nameOf = (path: string, packageName?: string): string => {
  const stem = LocalPaths.basename(path).replace(/\.[^.]+$/, "")
  if (stem !== "index") return stem
  const folder = LocalPaths.basename(LocalPaths.dirname(path))
  return packageName !== undefined && codeFolders.has(folder) ? packageName : folder
}
