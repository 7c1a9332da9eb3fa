/** Settings from the user's and the project's file, then the command line. Problems are warnings, never fatal. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Settings } from "../../services/Settings.ts"
import { type Files, OwnFiles } from "../platform/files/OwnFiles.ts"
import * as ReadText from "../platform/files/ReadText.ts"
import { merge, type SettingsSource } from "./SettingsMerge.ts"

export interface FileSettingsOptions {
  readonly agentDir: string
  readonly cwd: string
  /** Values of `--set`, by dotted key. */
  readonly overrides: Readonly<Record<string, unknown>>
}

/** A missing file is no source; one that cannot be read is logged as a warning. */
const readSource = Effect.fnUntraced(function* (files: Files, path: string, isProject: boolean) {
  const none: ReadonlyArray<SettingsSource> = []
  const text = yield* Effect.either(ReadText.readIfPresent(files, path))
  if (Either.isLeft(text)) {
    yield* Effect.logWarning(`ignored settings: ${text.left.message}`)
    return none
  }
  if (Option.isNone(text.right)) return none
  const values = ReadText.parseJsonc(text.right.value)
  if (Either.isLeft(values)) {
    yield* Effect.logWarning(`ignored settings in ${path}: ${values.left}`)
    return none
  }
  return [{ name: path, values: values.right, isProject }]
})

export const make = Effect.fnUntraced(function* ({ agentDir, cwd, overrides }: FileSettingsOptions) {
  const files = yield* OwnFiles
  const own = yield* readSource(files, `${agentDir}/settings.json`, false)
  const project = yield* readSource(files, `${cwd}/.heddle/settings.json`, true)
  const { problems, values } = merge([...own, ...project, { name: "--set", values: overrides }])
  for (const problem of problems) yield* Effect.logWarning(`ignored a setting: ${problem}`)
  return values
})

export const layer = (options: FileSettingsOptions) => Layer.effect(Settings, make(options))

/** Parses `key=json`; a value that is not JSON is taken as text. */
export const parseOverride = (assignment: string): Either.Either<readonly [string, unknown], string> => {
  const at = assignment.indexOf("=")
  if (at < 1) return Either.left(`--set expects <key>=<value>, got "${assignment}"`)
  const text = assignment.slice(at + 1)
  return Either.right([assignment.slice(0, at), Either.getOrElse(ReadText.parseJsonc(text), () => text)])
}
