/** Looks through all sources of extensions, in the order of protocol.md 11.3. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"
import { defined } from "../../../domain/Values.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import * as DeclaredSettings from "../../workspace/settings/Declared.ts"
import type { DiscoveryOptions, Found, Missing } from "./Discovery.ts"
import * as Entries from "./Entries.ts"
import * as Gathering from "./Gathering.ts"
import * as Look from "./Look.ts"
import * as Packages from "./Packages.ts"
import * as Required from "./Required.ts"

/** An argument of the command line that leads nowhere. heddle does not start without what the command line names. */
export class ExtensionNotFound extends Schema.TaggedError<ExtensionNotFound>()("ExtensionNotFound", {
  option: Schema.Literal("--extension", "--require-extension"),
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.option} ${this.path}: ${this.reason}`
  }
}

export interface Search extends DiscoveryOptions {
  readonly declared: DeclaredSettings.DeclaredExtensions
  /** Extensions that are found but not wanted, by name. */
  readonly disabled: ReadonlyArray<string>
  readonly trusted: boolean
  readonly only?: "project"
  /** A project that is not trusted yet: files behind links out of it are not read. */
  readonly within?: string
}

type Scope = "project" | "user"
type Origin = Omit<SourceInfo, "path">

interface SearchRoot {
  readonly scope: Scope
  /** The agent folder, `.heddle`, or an extra root. */
  readonly root: string
  readonly isExtra: boolean
  readonly lists: DeclaredSettings.DeclaredLists
}

/** An extra root has settings of the agent that it belongs to, in which two lists count. */
const listsIn = Effect.fnUntraced(function* (look: Look.Look, root: string) {
  const path = `${root}/settings.json`
  const text = yield* Effect.either(ReadText.readIfPresent(look.files, path, Look.readOptions(look)))
  if (Either.isLeft(text)) look.report(path, text.left.reason)
  const found = Either.getOrElse(text, () => Option.none<string>())
  if (Option.isNone(found)) return DeclaredSettings.noLists
  const parsed = ReadText.parse(path, found.value)
  if (Either.isLeft(parsed)) look.report(path, `cannot be read: ${parsed.left}`)
  const values = Either.getOrUndefined(parsed)
  return DeclaredSettings.from(root, [{ scope: "user", baseDir: root, values }]).user
})

const placesOf = Effect.fnUntraced(function* (look: Look.Look, search: Search, scope: Scope) {
  const lists = search.declared[scope]
  const root = scope === "project" ? `${search.cwd}/.heddle` : search.agentDir
  const searchRoots: Array<SearchRoot> = [{ scope, root, isExtra: false, lists }]
  for (const extra of lists.roots) {
    searchRoots.push({ scope, root: extra, isExtra: true, lists: yield* listsIn(look, extra) })
  }
  return searchRoots
})

/** The skills and templates of an extra root. They are instructions, so they need no trust. */
const textsOf = Effect.fnUntraced(function* (gathering: Gathering.Gathering, { root, scope }: SearchRoot) {
  const origin: Origin = { source: "auto", scope, origin: "top-level", baseDir: root }
  yield* gathering.text("skills", `${root}/skills`, origin)
  yield* gathering.text("prompts", `${root}/prompts`, origin)
})

const inFolders = Effect.fnUntraced(function* (
  look: Look.Look,
  gathering: Gathering.Gathering,
  searchRoot: SearchRoot
) {
  const origin: Origin = { source: "auto", scope: searchRoot.scope, origin: "top-level", baseDir: searchRoot.root }
  for (const path of yield* Entries.inFolder(look, `${searchRoot.root}/extensions`))
    yield* gathering.extension(path, origin)
})

const inLists = Effect.fnUntraced(function* (
  look: Look.Look,
  gathering: Gathering.Gathering,
  { lists, root, scope }: SearchRoot
) {
  for (const path of lists.extensions) {
    const found = yield* Entries.atPath(look, path)
    if (found.length === 0) look.report(path, "there is no extension; the setting `extensions` names it")
    const origin: Origin = { source: "local", scope, origin: "top-level", baseDir: root }
    for (const entry of found) yield* gathering.extension(entry, origin)
  }
})

const inPackages = Effect.fnUntraced(function* (
  look: Look.Look,
  gathering: Gathering.Gathering,
  { lists, scope }: SearchRoot,
  agentDirs: ReadonlyArray<string>,
  withExtensions: boolean
) {
  for (const request of lists.packages) {
    const located = yield* Packages.locate(look, request, agentDirs)
    if (Either.isLeft(located)) {
      look.report(request.spec, located.left)
      continue
    }
    if (yield* gathering.hasPackage(located.right.root)) continue
    const { extensions, prompts, skills } = yield* Packages.resources(look, located.right, request.filters)
    const origin: Origin = { source: request.spec, scope, origin: "package", baseDir: located.right.root }
    if (withExtensions) for (const path of extensions) yield* gathering.extension(path, origin)
    for (const path of skills) yield* gathering.text("skills", path, origin)
    for (const path of prompts) yield* gathering.text("prompts", path, origin)
  }
})

const agentDirsOf = (agentDir: string, { user }: DeclaredSettings.DeclaredExtensions) => [agentDir, ...user.roots]

interface Given extends Packages.Located {
  readonly spec: string
  readonly isRequired: boolean
}

const locateEach = Effect.fnUntraced(function* (
  look: Look.Look,
  { agentDir, cwd, extensionPaths = [], requiredPaths = [] }: DiscoveryOptions,
  declared: DeclaredSettings.DeclaredExtensions
) {
  const found: Array<Given> = []
  const locate = Effect.fnUntraced(function* (option: ExtensionNotFound["option"], path: string) {
    const located = yield* Packages.locate(look, { spec: path, baseDir: cwd }, agentDirsOf(agentDir, declared))
    if (Either.isLeft(located)) return yield* new ExtensionNotFound({ option, path, reason: located.left })
    found.push({ ...located.right, spec: path, isRequired: option === "--require-extension" })
  })
  for (const path of requiredPaths) yield* locate("--require-extension", path)
  for (const path of extensionPaths) yield* locate("--extension", path)
  return found
})

/** Where the arguments of `-e` and `--require-extension` lead. */
export const locateAll = (options: DiscoveryOptions, declared: DeclaredSettings.DeclaredExtensions) =>
  Effect.flatMap(Look.make(), (look) => locateEach(look, options, declared))

const fromCommandLine = Effect.fnUntraced(function* (
  look: Look.Look,
  gathering: Gathering.Gathering,
  { isRequired, spec, ...searchRoot }: Given
) {
  const { extensions, prompts, skills } = yield* Packages.resources(look, searchRoot, {})
  if (extensions.length + skills.length + prompts.length === 0) look.report(searchRoot.root, Required.noneThere)
  const isPackage = extensions.length !== 1 || !searchRoot.isFile
  const origin: Origin = {
    source: "cli",
    scope: "temporary",
    origin: isPackage ? "package" : "top-level",
    baseDir: searchRoot.isFile ? LocalPaths.dirname(searchRoot.root) : searchRoot.root
  }
  for (const path of extensions) yield* gathering.extension(path, origin, { isExplicit: true, isRequired })
  for (const path of skills) yield* gathering.text("skills", path, origin)
  for (const path of prompts) yield* gathering.text("prompts", path, origin)
  const missing: ReadonlyArray<Missing> =
    isRequired && extensions.length === 0 ? [{ path: spec, message: Required.noneThere }] : []
  return missing
})

export const find = Effect.fnUntraced(function* (search: Search) {
  const { agentDir, declared, noExtensions = false, only, trusted } = search
  const look = yield* Look.make(defined({ within: search.within }))
  const gathering = Gathering.make(look, search.disabled)
  const agentDirs = agentDirsOf(agentDir, declared)
  const given = only === undefined ? yield* locateEach(look, search, declared) : []
  const project = yield* placesOf(look, search, "project")
  const user = only === undefined ? yield* placesOf(look, search, "user") : []
  const searchRoots = [...(trusted ? project : []), ...user]
  if (!noExtensions) for (const searchRoot of searchRoots) yield* inFolders(look, gathering, searchRoot)
  const missing: Array<Missing> = []
  for (const path of given) missing.push(...(yield* fromCommandLine(look, gathering, path)))
  if (!noExtensions) for (const searchRoot of searchRoots) yield* inLists(look, gathering, searchRoot)
  for (const searchRoot of searchRoots) yield* inPackages(look, gathering, searchRoot, agentDirs, !noExtensions)
  for (const scope of only === undefined ? (["project", "user"] as const) : (["project"] as const)) {
    const requests = declared[scope].required
    missing.push(...(yield* Required.gather(look, gathering, { scope, requests, agentDirs, trusted, noExtensions })))
  }
  for (const searchRoot of [...project, ...user]) if (searchRoot.isExtra) yield* textsOf(gathering, searchRoot)
  return { ...gathering.found(), problems: yield* look.problems, missing } satisfies Found
})
