/** Packages: folders with extensions, skills and prompt templates, given by path or installed from npm. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { DeclaredPackage } from "../../workspace/settings/Declared.ts"
import * as Entries from "./Entries.ts"
import { type Look, relative } from "./Look.ts"
import * as Manifest from "./Manifest.ts"
import * as Patterns from "./Patterns.ts"

export interface Located {
  readonly root: string
  /** A package that is a file is one extension. */
  readonly isFile: boolean
}

const npmName = /^npm:((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:@(.+))?$/i
const isRemote = (spec: string) => /^(?:git|https?|ssh|builtin)[:@]/.test(spec)
const isExact = (version: string) => /^\d+\.\d+\.\d+/.test(version)

const stateOf = (look: Look, path: string) =>
  Effect.map(Effect.option(look.files.state(path)), (state) => (state._tag === "None" ? undefined : state.value))

/** Says when another version than the wanted one is installed; it is used nevertheless. */
const checkVersion = Effect.fnUntraced(function* (look: Look, spec: string, root: string, wanted: string | undefined) {
  if (wanted === undefined || !isExact(wanted)) return
  const installed = (yield* Manifest.read(look, root))?.version
  if (installed !== undefined && installed !== wanted) look.report(spec, `version ${installed} is installed and used`)
})

/** `agentDirs`: folders that packages are installed under. Nothing is ever installed from here. */
export const locate = Effect.fnUntraced(function* (
  look: Look,
  { baseDir, spec }: Pick<DeclaredPackage, "baseDir" | "spec">,
  agentDirs: ReadonlyArray<string>
) {
  if (isRemote(spec)) {
    return Either.left("only local paths and npm: are supported; clone or install the package and give its path")
  }
  if (!spec.startsWith("npm:")) {
    const root = LocalPaths.absolute(baseDir, spec.replace(/^file:(?:\/\/)?/, ""))
    const state = yield* stateOf(look, root)
    return state === undefined ? Either.left("no such file or folder") : Either.right({ root, isFile: state.isFile })
  }
  const [, name, version] = npmName.exec(spec) ?? []
  if (name === undefined) return Either.left("is not the name of an npm package")
  for (const folder of agentDirs.flatMap((dir) => [`${dir}/npm/node_modules`, `${dir}/node_modules`])) {
    const root = `${folder}/${name}`
    if ((yield* stateOf(look, root)) === undefined) continue
    yield* checkVersion(look, spec, root, version)
    return Either.right({ root, isFile: false })
  }
  const wanted = version === undefined ? name : `${name}@${version}`
  const prefix = `${agentDirs[0] ?? "."}/npm`
  return Either.left(`is not installed; run: npm install --prefix ${prefix} --ignore-scripts --omit=peer ${wanted}`)
})

export type Resources = { readonly [K in Manifest.Kind]: ReadonlyArray<string> }

const conventional = Effect.fnUntraced(function* (look: Look, root: string) {
  const names = new Set((yield* look.entries(root)).filter(({ kind }) => kind === "folder").map(({ name }) => name))
  const folder = (kind: Manifest.Kind) => (names.has(kind) ? [`${root}/${kind}`] : [])
  return {
    extensions: names.has("extensions") ? yield* Entries.inFolder(look, `${root}/extensions`) : [],
    skills: folder("skills"),
    prompts: folder("prompts")
  } satisfies Resources
})

/** Single skills and templates in located of their folders, so that a filter can choose among them. */
const parts = Effect.fnUntraced(function* (look: Look, path: string, kind: "skills" | "prompts") {
  const entries = yield* look.entries(path)
  const isPart =
    kind === "skills"
      ? (entry: (typeof entries)[number]) => entry.kind === "folder"
      : (entry: (typeof entries)[number]) => entry.kind === "file" && entry.name.endsWith(".md")
  const isWhole = kind === "skills" && entries.some(({ name }) => name === "SKILL.md")
  const found = entries.filter(isPart).map((entry) => entry.path)
  return isWhole || found.length === 0 ? [path] : found
})

const texts = Effect.fnUntraced(function* (
  look: Look,
  root: string,
  kind: "skills" | "prompts",
  patterns: ReadonlyArray<string>
) {
  const found: Array<string> = []
  const hasExclusion = patterns.some((pattern) => pattern.startsWith("!"))
  for (const { path } of yield* Patterns.included(look, root, patterns)) {
    if ((yield* stateOf(look, path)) === undefined) continue
    found.push(...(hasExclusion ? yield* parts(look, path, kind) : [path]))
  }
  const isKept = Patterns.notExcluded(patterns)
  return found.filter((path) => isKept(relative(root, path)))
})

/** What a package offers: the lists of its manifest, else its conventional folders, else it is itself an extension. */
const offered = Effect.fnUntraced(function* (look: Look, { isFile, root }: Located) {
  const single: Resources = { extensions: [root], skills: [], prompts: [] }
  if (isFile) return single
  const manifest = yield* Manifest.read(look, root)
  if (manifest?.resources !== undefined) {
    const { extensions, prompts, skills } = manifest.resources
    return {
      extensions: yield* Entries.listed(look, root, extensions),
      skills: yield* texts(look, root, "skills", skills),
      prompts: yield* texts(look, root, "prompts", prompts)
    } satisfies Resources
  }
  const found = yield* conventional(look, root)
  if (Manifest.kinds.some((kind) => found[kind].length > 0)) return found
  return { ...single, extensions: yield* Entries.atPath(look, root) }
})

/** The part of a package that the settings ask for. */
export const resources = Effect.fnUntraced(function* (
  look: Look,
  located: Located,
  filters: DeclaredPackage["filters"]
) {
  const all = yield* offered(look, located)
  const chosen = Effect.fnUntraced(function* (kind: Manifest.Kind) {
    const patterns = filters[kind]
    if (patterns === undefined) return all[kind]
    const single =
      kind === "extensions" ? all[kind] : yield* Effect.forEach(all[kind], (path) => parts(look, path, kind))
    const matches = Patterns.filter(patterns)
    return single.flat().filter((path) => matches(relative(located.root, path)))
  })
  return {
    extensions: yield* chosen("extensions"),
    skills: yield* chosen("skills"),
    prompts: yield* chosen("prompts")
  } satisfies Resources
})
