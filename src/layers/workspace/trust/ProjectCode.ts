/**
 * Everything of a project that would run if it were trusted, and a digest of it: settings, folders of extensions, packages,
 * and the files that these name. Imports.ts adds what extensions import from elsewhere.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Finder from "../../pi/discovery/Finder.ts"
import * as Look from "../../pi/discovery/Look.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import * as ContentHash from "../../machine/files/folders/ContentHash.ts"
import * as Declared from "../settings/Declared.ts"
import * as SettingsFiles from "../settings/SettingsFiles.ts"
import * as TreeDigest from "./TreeDigest.ts"

export interface ProjectLocation {
  readonly agentDir: string
  readonly cwd: string
  /** Extra roots that the user's settings name and that are relative to the project, as absolute paths. */
  readonly roots: ReadonlyArray<string>
}

export interface ProjectCode {
  /** Undefined if there is too much to read, so that no answer can be tied to it. */
  readonly digest: string | undefined
  /** Digests of the parts by their path in the project. */
  readonly parts: ReadonlyMap<string, string>
  /** Entry files of the extensions, relative to the project. */
  readonly extensions: ReadonlyArray<string>
  /** The same without those of packages from npm, as absolute paths without links. */
  readonly entries: ReadonlyArray<string>
  /** SHA-256 of every file that was read, by its path without links. */
  readonly hashes: ReadonlyMap<string, string>
  /** What is left of the bounds. */
  readonly budget: TreeDigest.Budget
}

/** The lists that the project's settings name. */
const declaredBy = Effect.fnUntraced(function* ({ cwd, roots }: ProjectLocation) {
  const files = yield* OwnFiles
  const sources: Array<Declared.DeclaringSource> = []
  for (const path of SettingsFiles.pathsIn(cwd)) {
    const text = yield* Effect.orElseSucceed(ReadText.readIfPresent(files, path, { within: cwd }), () =>
      Option.none<string>()
    )
    if (Option.isNone(text)) continue
    const values = SettingsFiles.valuesIn(path, Either.getOrUndefined(ReadText.parse(path, text.value)))
    sources.push({ scope: "project", baseDir: LocalPaths.dirname(path), values })
  }
  const { project } = Declared.from(cwd, sources)
  return { ...project, roots: [...new Set([...roots, ...project.roots])] }
})

/** The folder of a single file, because the file imports its neighbours; only the file if that is more than the project. */
const around = Effect.fnUntraced(function* (cwd: string, path: string) {
  const state = yield* Effect.orElseSucceed((yield* OwnFiles).state(path), () => undefined)
  if (state?.isFile !== true) return path
  const folder = LocalPaths.dirname(path)
  return folder.startsWith(`${cwd}/`) ? folder : path
})

const realOf = Effect.fnUntraced(function* (path: string) {
  return yield* Effect.orElseSucceed((yield* OwnFiles).real(path), () => path)
})

/** Whether one of these is the path or a folder above it. */
const isIn = (found: ReadonlySet<string>, path: string): boolean =>
  found.has(path) || (LocalPaths.dirname(path) !== path && isIn(found, LocalPaths.dirname(path)))

/** The files and folders that are read for the digest. */
const partsOf = Effect.fnUntraced(function* (location: ProjectLocation, lists: Declared.DeclaredLists) {
  const { cwd } = location
  const look = yield* Look.make({ within: cwd })
  const found = new Set(SettingsFiles.pathsIn(cwd))
  for (const root of lists.roots) found.add(`${root}/settings.json`)
  for (const root of [`${cwd}/.heddle`, ...lists.roots]) {
    for (const { path } of yield* look.entries(`${root}/extensions`)) found.add(path)
  }
  const declared = { user: Declared.noLists, project: lists }
  const search = {
    agentDir: location.agentDir,
    cwd,
    declared,
    disabled: [],
    trusted: true,
    only: "project" as const,
    within: cwd
  }
  const { extensions } = yield* Finder.find(search)
  // Packages from npm are installed by the user, and change when the user updates them.
  const own = extensions.filter(({ sourceInfo }) => !sourceInfo.source.startsWith("npm:"))
  for (const { path, sourceInfo } of own) {
    if (isIn(found, path)) continue
    const { baseDir, origin } = sourceInfo
    const isPackage = origin === "package" && baseDir !== undefined
    found.add(isPackage ? yield* realOf(baseDir) : yield* around(cwd, path))
    if (!isIn(found, path)) found.add(path)
  }
  return {
    found: [...found].toSorted(),
    extensions: extensions.map(({ path }) => LocalPaths.display(path, cwd)),
    entries: own.map(({ path }) => path)
  }
})

export const read = Effect.fn("ProjectCode.read")(function* (location: ProjectLocation) {
  const lists = yield* declaredBy(location)
  // It cannot fail: the search has no argument of `-e` to look for.
  const { entries, extensions, found } = yield* Effect.orDie(partsOf(location, lists))
  const { budget, digests, hashes, isWhole } = yield* TreeDigest.ofAll(found, location.cwd)
  const parts = new Map([...digests].map(([path, digest]) => [LocalPaths.display(path, location.cwd), digest]))
  const digest = isWhole ? ContentHash.ofTexts([...parts].flat()) : undefined
  return { digest, parts, extensions, entries, hashes, budget } satisfies ProjectCode
})
