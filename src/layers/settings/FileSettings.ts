/** Settings from the user's and the project's files, then the command line. Problems are warnings, never fatal. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { keyVariableNames } from "../../domain/model/ProviderKeys.ts"
import { type DialectName, settingsOf } from "../../services/host/Dialect.ts"
import { Settings } from "../../services/Settings.ts"
import * as EnvFiles from "../platform/files/EnvFiles.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import { type Files, OwnFiles } from "../platform/files/OwnFiles.ts"
import * as ReadText from "../platform/files/ReadText.ts"
import * as FolderEntries from "../platform/folders/FolderEntries.ts"
import * as Decision from "../trust/Decision.ts"
import * as ProjectTrust from "../trust/ProjectTrust.ts"
import * as Words from "../trust/Words.ts"
import * as Declared from "./Declared.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import { merge, type SettingsSource } from "./SettingsMerge.ts"

export interface FileSettingsOptions {
  readonly agentDir: string
  readonly cwd: string
  /** Values of `--set`, by dotted key. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Changes defaults, which files and `--set` then override. */
  readonly dialect?: DialectName
  /** Whether all of the project counts: settings, keys in its `.env`, extensions. Default: what the user has stored. */
  readonly trusted?: boolean | undefined
  /** Extensions of the project do not load anyway, so nobody has to be told about them. */
  readonly noExtensions?: boolean
}

/** Enough to see that a folder is not empty. */
const mostNames = 20

/** Of two files in a row the later one wins, key by key. */
const ownFiles = ["config.yml", "settings.json"]

const parse = Effect.fnUntraced(function* (path: string, text: Option.Option<string>) {
  const none: ReadonlyArray<SettingsSource> = []
  if (Option.isNone(text)) return none
  const values = ReadText.parse(path, text.value)
  // An empty YAML file, or one with nothing but comments, is null.
  if (Either.isRight(values)) return [{ name: path, values: values.right ?? {} }]
  yield* Effect.logWarning(`ignored settings in ${path}: ${values.left}`)
  return none
})

/** A missing file is no source; one that cannot be read is logged as a warning. */
const readOwn = (files: Files, path: string) =>
  ReadText.readIfPresent(files, path).pipe(
    Effect.catchAll(({ message }) => Effect.as(Effect.logWarning(`ignored settings: ${message}`), Option.none())),
    Effect.flatMap((text) => parse(path, text))
  )

/** Like `readOwn`, but what keeps the file from being read becomes part of the notice. */
const readProject = Effect.fnUntraced(function* (files: Files, cwd: string, trusted: boolean, path: string) {
  const text = yield* Effect.either(ReadText.readIfPresent(files, path, trusted ? {} : { within: cwd }))
  if (Either.isLeft(text)) return { sources: [], refused: [`${path.slice(cwd.length + 1)} (${text.left.reason})`] }
  const sources = yield* parse(path, text.right)
  return { sources: sources.map((source) => ({ ...source, isUntrusted: !trusted })), refused: [] }
})

interface ProjectRead {
  readonly sources: ReadonlyArray<SettingsSource>
  readonly refused: ReadonlyArray<string>
}

const readProjectFiles = Effect.fnUntraced(function* (files: Files, cwd: string, trusted: boolean) {
  const read: Array<ProjectRead> = []
  for (const path of yield* ReadText.present(files, ProjectFiles.pathsIn(cwd))) {
    read.push(yield* readProject(files, cwd, trusted, path))
  }
  return { sources: read.flatMap(({ sources }) => sources), refused: read.flatMap(({ refused }) => refused) }
})

/** The user's files, and whether the project has a folder for heddle. Most people have neither, so it is one look. */
const readOwnFiles = Effect.fnUntraced(function* (files: Files, agentDir: string, cwd: string) {
  const folder = `${cwd}/.heddle`
  const found = yield* ReadText.present(files, [...ownFiles.map((name) => `${agentDir}/${name}`), folder])
  const own: Array<SettingsSource> = []
  for (const path of found) if (path !== folder) own.push(...(yield* readOwn(files, path)))
  // With the agent folder there, it is the user's.
  return { own, hasFolder: folder !== agentDir && found.includes(folder) }
})

/** Keys in the `.env` of a project that is not trusted, which count for nothing. */
const unusedKeys = Effect.fnUntraced(function* (files: Files, cwd: string) {
  if (EnvFiles.isHome(cwd)) return []
  const names = yield* Effect.either(EnvFiles.namesIn(files, cwd))
  if (Either.isLeft(names)) return [`.env (${names.left.reason})`]
  return keyVariableNames.filter((name) => names.right.has(name)).map((name) => `${name} in .env`)
})

/** Folders of extensions that an untrusted project would load, relative to it. */
const unusedExtensions = Effect.fnUntraced(function* (cwd: string, roots: ReadonlyArray<string>) {
  const found: Array<string> = []
  for (const folder of roots.map((root) => `${root}/extensions`)) {
    const content = yield* Effect.option(FolderEntries.read(folder, mostNames))
    const isUsed = Option.isSome(content) && content.value.entries.some(({ name }) => !name.startsWith("."))
    if (isUsed) found.push(LocalPaths.display(folder, cwd))
  }
  return found
})

const declaring = (scope: Declared.DeclaringSource["scope"], baseDir: string, sources: ReadonlyArray<SettingsSource>) =>
  sources.map(({ values }) => ({ scope, baseDir, values }))

/** The settings in force, the extensions that they name, and what of the project was left out. */
export const load = Effect.fnUntraced(function* (options: FileSettingsOptions) {
  const { agentDir, cwd, noExtensions = false, overrides } = options
  const files = yield* OwnFiles
  const { hasFolder, own } = yield* readOwnFiles(files, agentDir, cwd)
  const ofUser = [...declaring("user", agentDir, own), ...declaring("override", cwd, [{ name: "", values: overrides }])]
  const { roots } = Declared.from(cwd, ofUser).project
  const extra = roots.length === 0 ? [] : yield* ReadText.present(files, roots)
  const place = { agentDir, cwd, roots }
  const hasProject = hasFolder || extra.length > 0
  const decision = yield* Decision.decide({ ...place, trusted: options.trusted, hasProject })
  const trusted = decision.level === "trusted"
  const project = hasFolder ? yield* readProjectFiles(files, cwd, trusted) : { sources: [], refused: [] }
  const merged = merge([
    { name: "--dialect", values: settingsOf(options.dialect) },
    ...own,
    ...project.sources,
    { name: "--set", values: overrides }
  ])
  for (const problem of merged.problems) yield* Effect.logWarning(`ignored a setting: ${problem}`)
  const looksForCode = hasProject && !trusted && !noExtensions
  const code = looksForCode ? yield* unusedExtensions(cwd, [`${cwd}/.heddle`, ...extra]) : []
  const keys = trusted ? [] : yield* unusedKeys(files, cwd)
  const leftOut = [...merged.leftOut, ...code, ...project.refused, ...keys]
  const notice = leftOut.length === 0 ? undefined : Words.leftOut(leftOut, decision.level, decision.changes)
  if (notice !== undefined) yield* Effect.logWarning(notice)
  const { changes } = decision
  const trust = yield* ProjectTrust.make({
    decision,
    subject: { ...place, others: [...merged.leftOut, ...keys], ...(changes === undefined ? {} : { changes }) },
    hasQuestion: merged.leftOut.length + code.length > 0,
    notice
  })
  const declared = Declared.from(cwd, [...ofUser, ...declaring("project", `${cwd}/.heddle`, project.sources)])
  return { settings: merged.values, trust, declared }
})

export const make = (options: FileSettingsOptions) => Effect.map(load(options), ({ settings }) => settings)

export const layer = (options: FileSettingsOptions) => Layer.effect(Settings, make(options))

/** Parses `key=json`; a value that is not JSON is taken as text. */
export const parseOverride = (assignment: string): Either.Either<readonly [string, unknown], string> => {
  const at = assignment.indexOf("=")
  if (at < 1) return Either.left(`--set expects <key>=<value>, got "${assignment}"`)
  const text = assignment.slice(at + 1)
  return Either.right([assignment.slice(0, at), Either.getOrElse(ReadText.parseJsonc(text), () => text)])
}
