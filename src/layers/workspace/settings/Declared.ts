/**
 * The extensions, packages, skills and prompt templates that settings name, by whose file names them. Lists of the user and of the project add up, so
 * that a project cannot switch off an extension that guards the user; `--set` replaces both.
 */
import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { PackageSource } from "../../../services/settings/Resources.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"

export interface DeclaredPackage {
  /** As written. */
  readonly spec: string
  /** Where a relative path starts. */
  readonly baseDir: string
  readonly filters: { readonly [K in "extensions" | "skills" | "prompts"]?: ReadonlyArray<string> | undefined }
}

export interface DeclaredRequirement extends DeclaredPackage {
  /** Why it cannot be met, whatever is there. */
  readonly problem?: string
}

export interface DeclaredLists {
  /** Absolute paths. */
  readonly extensions: ReadonlyArray<string>
  readonly packages: ReadonlyArray<DeclaredPackage>
  /** Extensions that heddle does not start without. */
  readonly required: ReadonlyArray<DeclaredRequirement>
  /** Absolute paths of skills, of prompt templates, and of folders with them. */
  readonly skills: ReadonlyArray<string>
  readonly prompts: ReadonlyArray<string>
  /** Absolute paths of folders that are looked at like the agent folder, or like `.heddle`. */
  readonly roots: ReadonlyArray<string>
}

export interface DeclaredExtensions {
  readonly user: DeclaredLists
  /** Also gathered from a project that is not trusted, so that nothing has to be read again when it becomes trusted. */
  readonly project: DeclaredLists
}

export const noLists: DeclaredLists = { extensions: [], packages: [], required: [], skills: [], prompts: [], roots: [] }
export const none: DeclaredExtensions = { user: noLists, project: noLists }

/** The settings of this process, given by FileSettings.ts. */
export class Declared extends Context.Reference<Declared>()("heddle/layers/workspace/settings/Declared", {
  defaultValue: () => none
}) {}

export interface DeclaringSource {
  readonly scope: "user" | "project" | "override"
  readonly baseDir: string
  readonly values: unknown
}

const keys = ["extensions", "requiredExtensions", "packages", "skills", "prompts", "extensionRoots"] as const

const decoders = () => ({
  texts: Schema.decodeUnknownEither(Schema.Array(Schema.NonEmptyString)),
  packages: Schema.decodeUnknownEither(Schema.Array(PackageSource))
})

const toPackage = (baseDir: string, source: PackageSource): DeclaredPackage => {
  if (typeof source === "string") return { spec: source, baseDir, filters: {} }
  const { source: spec, ...filters } = source
  return { spec, baseDir, filters }
}

const isOfUser = (root: string) => root.startsWith("~/") || LocalPaths.isAbsolute(root)

/** A guard that is asked for in the wrong form is missing, not switched off. */
const notAList = (baseDir: string): DeclaredRequirement => ({
  ...toPackage(baseDir, "that the setting requiredExtensions names"),
  problem: "the setting must be a list of paths"
})

type Decoders = ReturnType<typeof decoders>

const requirementsOf = (texts: Decoders["texts"], baseDir: string, value: unknown) => {
  if (value === undefined) return undefined
  return Either.match(texts(value), {
    onLeft: () => [notAList(baseDir)],
    onRight: (specs) => specs.map((spec): DeclaredRequirement => toPackage(baseDir, spec))
  })
}

/** The lists of one source; a list is absent if the source has none, or one that does not fit. */
const listsOf = ({ packages, texts }: Decoders, { baseDir, values }: DeclaringSource) => {
  const record = Predicate.isRecord(values) ? values : {}
  const list = <A>(key: (typeof keys)[number], decode: (value: unknown) => Either.Either<ReadonlyArray<A>, unknown>) =>
    record[key] === undefined ? undefined : Either.getOrUndefined(decode(record[key]))
  const paths = (key: "extensions" | "skills" | "prompts") =>
    list(key, texts)?.map((path) => LocalPaths.absolute(baseDir, path))
  return {
    extensions: paths("extensions"),
    skills: paths("skills"),
    prompts: paths("prompts"),
    required: requirementsOf(texts, baseDir, record["requiredExtensions"]),
    packages: list("packages", packages)?.map((source) => toPackage(baseDir, source)),
    roots: list("extensionRoots", texts)
  }
}

type Lists = ReturnType<typeof listsOf>

/** Of the sources of one scope the last one that has a list counts. */
const lastOf = <K extends keyof Lists>(key: K, sources: ReadonlyArray<Lists>): NonNullable<Lists[K]> | undefined =>
  sources.findLast((lists) => lists[key] !== undefined)?.[key] ?? undefined

export const from = (cwd: string, sources: ReadonlyArray<DeclaringSource>): DeclaredExtensions => {
  const has = ({ values }: DeclaringSource) => Predicate.isRecord(values) && keys.some((key) => key in values)
  if (!sources.some(has)) return none
  const decode = decoders()
  const of = (scope: DeclaringSource["scope"]) =>
    sources.filter((source) => source.scope === scope).map((source) => listsOf(decode, source))
  const [user, project, override] = [of("user"), of("project"), of("override")]
  const pick = <K extends keyof Lists>(key: K) => {
    const replaced = lastOf(key, override)
    return { user: replaced ?? lastOf(key, user), project: replaced === undefined ? lastOf(key, project) : undefined }
  }
  const [extensions, packages, roots] = [pick("extensions"), pick("packages"), pick("roots")]
  const required = pick("required")
  const [skills, prompts] = [pick("skills"), pick("prompts")]
  const absolute = (list: ReadonlyArray<string>) => list.map((root) => LocalPaths.absolute(cwd, root))
  const ofUser = roots.user ?? []
  return {
    user: {
      extensions: extensions.user ?? [],
      required: required.user ?? [],
      packages: packages.user ?? [],
      skills: skills.user ?? [],
      prompts: prompts.user ?? [],
      roots: absolute(ofUser.filter(isOfUser))
    },
    project: {
      extensions: extensions.project ?? [],
      required: required.project ?? [],
      packages: packages.project ?? [],
      skills: skills.project ?? [],
      prompts: prompts.project ?? [],
      roots: absolute([...ofUser.filter((root) => !isOfUser(root)), ...(roots.project ?? [])])
    }
  }
}

/** With these folders among the roots of the project. */
export const withRoots = ({ project, user }: DeclaredExtensions, roots: ReadonlyArray<string>): DeclaredExtensions => ({
  user,
  project: { ...project, roots: [...new Set([...project.roots, ...roots])] }
})
