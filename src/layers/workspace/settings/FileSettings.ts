/** Settings from the user's and the project's files, then the command line. Problems are warnings, never fatal. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { keyVariableNames } from "../../../domain/model/ProviderKeys.ts"
import * as Text from "../../../domain/Text.ts"
import { defined } from "../../../domain/Values.ts"
import { type DialectName, settingsOf } from "../../../services/host/Dialect.ts"
import { Settings } from "../../../services/Settings.ts"
import * as EnvFiles from "../../machine/files/own/EnvFiles.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { type Files, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import * as FolderEntries from "../../machine/files/folders/FolderEntries.ts"
import * as Decision from "../trust/Decision.ts"
import * as ProjectTrust from "../trust/ProjectTrust.ts"
import * as Words from "../trust/Words.ts"
import * as Foreign from "./Foreign.ts"
import * as Problems from "./Problems.ts"
import * as Declared from "./Declared.ts"
import * as SettingsFiles from "./SettingsFiles.ts"
import { merge, type Merged, type SettingsSource } from "./SettingsMerge.ts"

export interface FileSettingsOptions {
  readonly agentDir: string
  readonly cwd: string
  /** Values of `--set`, by dotted key. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** More of the command line and the environment, by the name of the option or variable. Above `overrides`. */
  readonly above?: ReadonlyArray<SettingsSource>
  /** What one word of the command line says of several settings. Below `overrides`. */
  readonly preset?: SettingsSource
  /** Rpc mode: settings that change how the agent works cannot come from files (protocol.md 1.3). */
  readonly rpcReset?: boolean
  /** Changes defaults, which files and `--set` then override. */
  readonly dialect?: DialectName
  /** Other defaults of the mode that heddle is started in. */
  readonly initial?: SettingsSource
  /** Whether all of the project counts: settings, keys in its `.env`, extensions. Default: what the user has stored. */
  readonly trusted?: boolean | undefined
  /** Extensions of the project do not load anyway, so they are not worth a warning. */
  readonly noExtensions?: boolean
  /** Extensions of the command line. Those of the project are not asked about when they change. */
  readonly extensionPaths?: ReadonlyArray<string>
  readonly requiredPaths?: ReadonlyArray<string>
  /** A person is there to be asked about the project. What was left out is reported after their answer. */
  readonly asksFirst?: boolean
}

/** Enough to see that a folder is not empty. */
const mostNames = 20

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

/** Warns people of what has no effect, and returns the notice for hosts. */
const report = Effect.fnUntraced(function* (
  files: Files,
  agentDir: string,
  failures: ReadonlyArray<string>,
  { origins, problems }: Merged
) {
  const reset = [...origins].filter(([, { isReset }]) => isReset).map(([key]) => key)
  if (reset.length > 0) {
    const names = reset.join(", ")
    yield* Effect.logInfo(
      `rpc mode resets these settings: ${names}. To keep your values, start with --inherit-settings.`
    )
  }
  if (failures.length + problems.length === 0) return {}
  const { foreign, mistakes } = Foreign.split(problems)
  const sentences = [...failures, ...Problems.sentences(mistakes)].map(Text.oneLine)
  const others = foreign.length === 0 ? [] : [Text.oneLine(Foreign.sentence(foreign))]
  for (const sentence of [...sentences, ...others]) yield* Effect.logWarning(`settings: ${sentence}`)
  return {
    ...(sentences.length === 0 ? {} : { notice: Problems.notice(sentences) }),
    ...(foreign.length === 0 ? {} : { foreign: Foreign.once(files, agentDir, foreign) })
  }
})

/** The settings in force, the extensions that they name, and what was ignored or left out. */
export const load = Effect.fnUntraced(function* (options: FileSettingsOptions) {
  const { above = [], agentDir, cwd, dialect, noExtensions = false, overrides, rpcReset = false } = options
  const files = yield* OwnFiles
  const { hasProject: hasSettings, own } = yield* SettingsFiles.ofUser(files, agentDir, cwd)
  const given = { name: "--set", values: overrides }
  const ofUser = [...declaring("user", agentDir, own.sources), ...declaring("override", cwd, [given])]
  const shared = yield* ReadText.present(files, [`${cwd}/${SettingsFiles.sharedRoot}/extensions`])
  const sharedRoots = shared.map(LocalPaths.dirname)
  const roots = [...new Set([...Declared.from(cwd, ofUser).project.roots, ...sharedRoots])]
  const extra = roots.length === 0 ? [] : yield* ReadText.present(files, roots)
  const location = { agentDir, cwd, roots }
  const hasProject = hasSettings || extra.length > 0
  const named = [...(options.extensionPaths ?? []), ...(options.requiredPaths ?? [])]
  const decision = yield* Decision.decide({ ...location, named, trusted: options.trusted, hasProject })
  const trusted = decision.level === "trusted"
  const project = hasSettings ? yield* SettingsFiles.ofProject(files, cwd, trusted) : SettingsFiles.nothing
  const merged = merge([
    ...(options.initial === undefined ? [] : [options.initial]),
    { name: `dialect ${dialect ?? ""}`, values: settingsOf(dialect) },
    ...own.sources,
    ...project.sources,
    ...(rpcReset ? [{ name: "rpc mode", values: settingsOf(dialect), isReset: true }] : []),
    ...(options.preset === undefined ? [] : [options.preset]),
    given,
    ...above
  ])
  const reported = yield* report(files, agentDir, [...own.failures, ...project.failures], merged)
  const looksForCode = hasProject && !trusted && !noExtensions
  const code = looksForCode ? yield* unusedExtensions(cwd, [`${cwd}/.heddle`, ...extra]) : []
  const keys = trusted ? [] : yield* unusedKeys(files, cwd)
  const leftOut = [...merged.leftOut, ...code, ...project.refused, ...keys]
  const notices = [
    ...(leftOut.length === 0 ? [] : [Words.leftOut(leftOut, decision.level, decision.changes)]),
    ...(merged.loosening.length === 0 ? [] : [Words.loosening(merged.loosening)])
  ]
  const notice = notices.length === 0 ? undefined : notices.join(" ")
  const hasQuestion = merged.leftOut.length + code.length > 0
  const isReportedLater = options.asksFirst === true && hasQuestion && !decision.isDecided
  if (notice !== undefined && !isReportedLater) yield* Effect.logWarning(notice)
  const { changes } = decision
  const trust = yield* ProjectTrust.make({
    decision,
    subject: {
      ...location,
      others: [...merged.leftOut, ...keys],
      ...defined({ changes }),
      ...(isReportedLater ? { leftOut: notice } : {})
    },
    hasQuestion,
    notice
  })
  const ofProject = declaring("project", `${cwd}/.heddle`, project.sources)
  const declared = Declared.withRoots(Declared.from(cwd, [...ofUser, ...ofProject]), sharedRoots)
  const { origins, tightened, values } = merged
  return { settings: values, origins, tightened, trust, declared, ...reported }
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
