/**
 * Which extensions there are to load (protocol.md 11.3, docs/decisions/0027-extension-discovery.md). Most people have none, so
 * this module answers that by itself; the search is loaded when there is something to find. No code of an extension runs here.
 */
import * as Effect from "effect/Effect"
import type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"
import { Settings } from "../../../services/Settings.ts"
import * as Trust from "../../../services/Trust.ts"
import { type Files, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import { Declared, type DeclaredExtensions, type DeclaredLists } from "../../workspace/settings/Declared.ts"
import type { Problem } from "./Look.ts"

export interface DiscoveryOptions {
  readonly agentDir: string
  readonly cwd: string
  /** The arguments of `-e`, which load whatever else is switched off. */
  readonly extensionPaths?: ReadonlyArray<string>
  /** The arguments of `--require-extension`: loaded in the same way, and heddle does not start without them. */
  readonly requiredPaths?: ReadonlyArray<string>
  /** Neither folders nor settings give extensions. */
  readonly noExtensions?: boolean
}

export interface FoundExtension {
  /** By which `disabledExtensions` knows it. */
  readonly name: string
  /** The entry file, without links. */
  readonly path: string
  readonly scope: SourceInfo["scope"]
  readonly sourceInfo: SourceInfo
  readonly isRequired: boolean
}

/** Something required of which there is nothing to load. */
export interface Missing extends Problem {
  /** The project names it and is not trusted, which the user may still change. */
  readonly awaitsTrust?: true
}

export interface FoundPath {
  readonly path: string
  readonly sourceInfo: SourceInfo
}

export interface Found {
  /** In the order in which they load, each file once. */
  readonly extensions: ReadonlyArray<FoundExtension>
  /** Folders with skills, and single skills, of packages and of extra roots. */
  readonly skillPaths: ReadonlyArray<FoundPath>
  readonly promptPaths: ReadonlyArray<FoundPath>
  readonly problems: ReadonlyArray<Problem>
  readonly missing: ReadonlyArray<Missing>
}

export const nothing: Found = { extensions: [], skillPaths: [], promptPaths: [], problems: [], missing: [] }

const isEmptyList = ({ extensions, packages, roots }: DeclaredLists) =>
  extensions.length + packages.length + roots.length === 0

/** Whether there are extensions that heddle does not start without, wherever they are named. */
export const isRequiring = (
  { requiredPaths = [] }: Pick<DiscoveryOptions, "requiredPaths">,
  { project, user }: DeclaredExtensions
): boolean => requiredPaths.length + user.required.length + project.required.length > 0

const isAbsent = (files: Files, path: string) =>
  Effect.match(files.state(path), { onFailure: () => false, onSuccess: (state) => state === undefined })

/** Whether there is nothing to look for. At most two system calls. */
export const isEmpty = Effect.fnUntraced(function* (
  { agentDir, cwd, extensionPaths = [], noExtensions = false, requiredPaths = [] }: DiscoveryOptions,
  declared: DeclaredExtensions,
  trusted: boolean
) {
  const { project, user } = declared
  if (isRequiring({ requiredPaths }, declared)) return false
  if (extensionPaths.length > 0 || !isEmptyList(user)) return false
  if (project.roots.length > 0 || (trusted && !isEmptyList(project))) return false
  if (noExtensions) return true
  const files = yield* OwnFiles
  return (
    (yield* isAbsent(files, `${agentDir}/extensions`)) &&
    (!trusted || (yield* isAbsent(files, `${cwd}/.heddle/extensions`)))
  )
})

const finder = Effect.promise(() => import("./Finder.ts"))

/**
 * What is to be loaded at the current level of trust. With `only: "project"`, that of the project alone: for the moment
 * when the host has said yes and the rest is loaded already.
 */
export const find = Effect.fn("Discovery.find")(function* (
  options: DiscoveryOptions,
  { only }: { readonly only?: "project" } = {}
) {
  const [declared, trusted, { disabledExtensions }] = [yield* Declared, yield* Trust.isTrusted, yield* Settings]
  if (yield* isEmpty(options, declared, trusted)) return nothing
  const { find: search } = yield* finder
  return yield* search({ ...options, declared, trusted, disabled: disabledExtensions, ...(only ? { only } : {}) })
})

/** Fails if an argument of `-e` or `--require-extension` leads nowhere. Looks at nothing else, so that a mistake is reported before anything starts. */
export const check = Effect.fnUntraced(function* (options: DiscoveryOptions) {
  const { extensionPaths = [], requiredPaths = [] } = options
  if (extensionPaths.length + requiredPaths.length === 0) return
  const { locateAll } = yield* finder
  yield* locateAll(options, yield* Declared)
})
