/** Settings from the user's and the project's files, then the command line. Problems are warnings, never fatal. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { keyVariableNames } from "../../domain/model/ProviderKeys.ts"
import { type DialectName, settingsOf } from "../../services/host/Dialect.ts"
import { Settings } from "../../services/Settings.ts"
import type { WorkspaceTrust } from "../../services/Trust.ts"
import * as EnvFiles from "../platform/files/EnvFiles.ts"
import { type Files, OwnFiles } from "../platform/files/OwnFiles.ts"
import * as ReadText from "../platform/files/ReadText.ts"
import { merge, type SettingsSource } from "./SettingsMerge.ts"

export interface FileSettingsOptions {
  readonly agentDir: string
  readonly cwd: string
  /** Values of `--set`, by dotted key. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Changes defaults, which files and `--set` then override. */
  readonly dialect?: DialectName
  /** All settings of the project count, and the keys in its `.env`. Default: false. */
  readonly trusted?: boolean
}

/** Of two files in a row the later one wins, key by key. */
const ownFiles = ["config.yml", "settings.json"]
const projectFiles = [".heddle/heddle.jsonc", ".heddle/settings.json"]

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

/** All files in the order of their weight. Most people have none, so the first look is one step. */
const readAll = Effect.fnUntraced(function* (files: Files, agentDir: string, cwd: string, trusted: boolean) {
  const own = new Set(ownFiles.map((name) => `${agentDir}/${name}`))
  const paths = new Set([...own, ...projectFiles.map((name) => `${cwd}/${name}`)])
  const sources: Array<SettingsSource> = []
  const refused: Array<string> = []
  for (const path of yield* ReadText.present(files, [...paths])) {
    if (own.has(path)) {
      sources.push(...(yield* readOwn(files, path)))
      continue
    }
    const found = yield* readProject(files, cwd, trusted, path)
    sources.push(...found.sources)
    refused.push(...found.refused)
  }
  return { sources, refused }
})

/** Keys in the `.env` of a project that is not trusted, which count for nothing. */
const unusedKeys = Effect.fnUntraced(function* (files: Files, cwd: string) {
  if (EnvFiles.isHome(cwd)) return []
  const names = yield* Effect.either(EnvFiles.namesIn(files, cwd))
  if (Either.isLeft(names)) return [`.env (${names.left.reason})`]
  return keyVariableNames.filter((name) => names.right.has(name)).map((name) => `${name} in .env`)
})

const longestList = 20

const notice = (parts: ReadonlyArray<string>, trusted: boolean): string => {
  const more = parts.length - longestList
  const listed = parts.slice(0, longestList).join(", ") + (more > 0 ? ` and ${more} more` : "")
  if (trusted) return `These parts of the project could not be read: ${listed}.`
  return (
    `This project is not trusted, so these were left out: ${listed}. ` +
    "To allow them, start heddle with --approve, or put the settings into your own settings.json."
  )
}

/** The settings in force, and what of the project was left out. */
export const load = Effect.fnUntraced(function* (options: FileSettingsOptions) {
  const { agentDir, cwd, overrides, trusted = false } = options
  const files = yield* OwnFiles
  const read = yield* readAll(files, agentDir, cwd, trusted)
  const merged = merge([
    { name: "--dialect", values: settingsOf(options.dialect) },
    ...read.sources,
    { name: "--set", values: overrides }
  ])
  for (const problem of merged.problems) yield* Effect.logWarning(`ignored a setting: ${problem}`)
  const keys = trusted ? [] : yield* unusedKeys(files, cwd)
  const leftOut = [...merged.leftOut, ...read.refused, ...keys]
  const trust: WorkspaceTrust = {
    level: trusted ? "trusted" : "untrusted",
    ...(leftOut.length === 0 ? {} : { notice: notice(leftOut, trusted) })
  }
  if (trust.notice !== undefined) yield* Effect.logWarning(trust.notice)
  return { settings: merged.values, trust }
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
