/**
 * Where skills and prompt templates are looked for, in the order in which the first of equal names wins: what the command
 * line names, the project, the user, packages and extensions, and for skills the `.agents` folders.
 */
import type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"
import { defined } from "../../../domain/Values.ts"
import type { Resources } from "../../../services/hooks/HookPoints.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { DeclaredExtensions } from "../settings/Declared.ts"
import type { ProjectFolders } from "../context/ProjectFolders.ts"

export type Kind = "skills" | "prompts"

export interface ResourcePath {
  /** A file, or a folder to look through. */
  readonly path: string
  readonly origin: Omit<SourceInfo, "path">
  /** The project, for a path in it: links that lead out of it are not followed. */
  readonly within?: string
  /** Whether single Markdown files in the folder are skills, too. */
  readonly hasLooseFiles: boolean
  /** The user named it, so it is a problem if there is nothing. */
  readonly isNamed: boolean
}

export interface FoundPath {
  readonly path: string
  readonly sourceInfo: SourceInfo
}

/** What packages bring (layers/pi/discovery). */
export interface PackagePaths {
  readonly skillPaths: ReadonlyArray<FoundPath>
  readonly promptPaths: ReadonlyArray<FoundPath>
}

export interface PathInputs {
  readonly cwd: string
  readonly agentDir: string
  readonly home: string
  readonly project: ProjectFolders
  readonly isTrusted: boolean
  /** The arguments of `--skill` or `--prompt-template`. */
  readonly named: ReadonlyArray<string>
  /** `--no-skills` or `--no-prompt-templates`: only what is named counts. */
  readonly isOff: boolean
  readonly declared: DeclaredExtensions
  readonly packages: PackagePaths
  readonly hooks: Resources
}

const topLevel = (source: string, scope: SourceInfo["scope"], baseDir?: string): Omit<SourceInfo, "path"> => ({
  source,
  scope,
  origin: "top-level",
  ...defined({ baseDir })
})

const loose = (path: string, origin: ResourcePath["origin"], isNamed: boolean): ResourcePath => ({
  path,
  origin,
  hasLooseFiles: true,
  isNamed
})

const listed = (path: string, scope: "user" | "project") => loose(path, topLevel("local", scope), true)

const shared = (folder: string, scope: "user" | "project", within?: string): ResourcePath => {
  const path = LocalPaths.join(folder, ".agents/skills")
  return { path, origin: topLevel("auto", scope, path), ...defined({ within }), hasLooseFiles: false, isNamed: false }
}

const ofProject = (kind: Kind, { cwd, declared, isTrusted, project: { root } }: PathInputs) => {
  const folder = LocalPaths.join(cwd, ".heddle")
  const own = { ...loose(LocalPaths.join(folder, kind), topLevel("auto", "project", folder), false), within: root }
  // A list in its settings may name any path of the machine, so it counts only if the project is trusted.
  return [own, ...(isTrusted ? declared.project[kind].map((file) => listed(file, "project")) : [])]
}

const ofUser = (kind: Kind, { agentDir, declared }: PathInputs): ReadonlyArray<ResourcePath> => [
  loose(LocalPaths.join(agentDir, kind), topLevel("auto", "user", agentDir), false),
  ...declared.user[kind].map((path) => listed(path, "user"))
]

const ofPackages = (kind: Kind, { cwd, hooks, packages }: PathInputs): ReadonlyArray<ResourcePath> => {
  const found = kind === "skills" ? packages.skillPaths : packages.promptPaths
  const added = (kind === "skills" ? hooks.skillPaths : hooks.promptPaths) ?? []
  return [
    ...found.map(({ path, sourceInfo }) => loose(path, sourceInfo, false)),
    ...added.map((path) => loose(LocalPaths.absolute(cwd, path), topLevel("extension", "temporary"), true))
  ]
}

export const list = (kind: Kind, inputs: PathInputs): ReadonlyArray<ResourcePath> => {
  const { cwd, home, isOff, named, project } = inputs
  const byName = named.map((path) => loose(LocalPaths.absolute(cwd, path), topLevel("cli", "temporary"), true))
  if (isOff) return byName
  const paths = [...byName, ...ofProject(kind, inputs), ...ofUser(kind, inputs), ...ofPackages(kind, inputs)]
  if (kind === "prompts") return paths
  const agents = project.upward
    .filter((folder) => folder !== home)
    .map((folder) => shared(folder, "project", project.root))
  return [...paths, ...agents, shared(home, "user")]
}
