/** `heddle doctor`: checks what heddle needs and says how to repair what is wrong. Changes nothing, asks no server. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { label } from "../../../../domain/model/Model.ts"
import { keyAdvice } from "../../../../domain/model/ProviderKeys.ts"
import * as Text from "../../../../domain/Text.ts"
import { defined } from "../../../../domain/Values.ts"
import { ModelCatalog } from "../../../../services/model/ModelCatalog.ts"
import { Settings } from "../../../../services/Settings.ts"
import * as InitialModel from "../../../session/modules/controls/InitialModel.ts"
import * as Catalog from "../../../models/catalog/Catalog.ts"
import * as KeyRing from "../../../models/keys/KeyRing.ts"
import * as EnvFiles from "../../../machine/files/own/EnvFiles.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import { OwnFiles } from "../../../machine/files/own/OwnFiles.ts"
import * as Process from "../../../machine/processes/Process.ts"
import * as Offline from "../../../models/offline/Offline.ts"
import * as SessionFolders from "../../../storage/sessions/SessionFolders.ts"
import * as FileSettings from "../../../workspace/settings/FileSettings.ts"
import type { Given } from "../arguments/OptionTable.ts"
import * as StartOptions from "../arguments/StartOptions.ts"
import * as ListModels from "../commands/ListModels.ts"
import * as SecretMask from "../commands/SecretMask.ts"
import * as ExitCode from "../ExitCode.ts"
import { wrap } from "../help/Layout.ts"
import * as Startup from "../Startup.ts"
import { type Check, ok, problem, warning, withWarnings } from "./Check.ts"
import * as Machine from "./Machine.ts"
import * as SandboxCheck from "./SandboxCheck.ts"

/** Warnings that the files of the user cause say themselves what to do, if anything can be done. */
const ofWarning = (text: string): Check => {
  const [message = "", command] = text.split("; run: ")
  if (command !== undefined) return warning("keys", message, command)
  if (text.startsWith("settings: ")) return warning("settings", text.slice("settings: ".length), "heddle config")
  if (text.includes("models file")) return warning("models", text, "correct the file; docs/models.md describes it")
  if (text.startsWith("ignored keys: ")) return problem("keys", text, "heddle auth set <provider> writes the file anew")
  return warning("settings", text, "heddle config")
}

/** Where each key comes from; never the key. A command of models.json that prints a key is not run. */
const keys = Effect.fnUntraced(function* (options: KeyRing.KeyRingOptions) {
  const { providers } = yield* Catalog.Catalog
  const locate = yield* KeyRing.makeLocate(options)
  const found: Array<string> = []
  const checks: Array<Check> = []
  for (const provider of providers.keys()) {
    const located = yield* locate(provider)
    if (Option.isNone(located)) continue
    const { key, source } = located.value
    const usable = source.startsWith("auth.json") ? yield* Effect.either(key) : Either.right(undefined)
    if (Either.isRight(usable)) found.push(`${provider} (${source})`)
    else checks.push(problem("keys", usable.left.message, `heddle auth set ${provider}`))
  }
  if (found.length > 0) return [...checks, ok("keys", found.join(", "))]
  const none = `no keys are found, so only the scripted model ${label(Offline.guide)} answers`
  return [...checks, warning("keys", none, "heddle auth set anthropic (or another provider)")]
})

const model = Effect.gen(function* () {
  const catalog = yield* ModelCatalog
  const known = (yield* catalog.all).length
  const usable = (yield* catalog.available).length
  const chosen = yield* Effect.either(InitialModel.resolve({}))
  const fix = "heddle --list-models, then set defaultModel in settings.json"
  if (Either.isLeft(chosen)) return problem("models", chosen.left.message, fix)
  if (Option.isNone(chosen.right)) return problem("models", "no model can be used", fix)
  const { model: first } = chosen.right.value
  const summary = `${label(first)} is the default; ${usable} of ${known} models can be used`
  if (yield* catalog.isAvailable(first)) return ok("models", summary)
  return problem("models", `${label(first)} is the default, but has no key`, keyAdvice(first.provider))
})

/** Settings, keys and models: what of the user's files is ignored, and which model a session would start with. */
const modelChecks = (options: KeyRing.KeyRingOptions) =>
  Effect.zipWith(keys(options), model, (found, one): ReadonlyArray<Check> => [...found, one])

const quote = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`

const writable = Effect.fnUntraced(function* (name: string, folder: string, without: string, fix: string) {
  const { checkWritable } = yield* OwnFiles
  const found = yield* Effect.either(checkWritable(folder))
  if (Either.isRight(found)) return ok(name, folder)
  return problem(name, `${folder} cannot be written (${found.left.message}): ${without}`, fix)
})

/** Files with keys or conversations that other users of the machine can read. */
const secret = Effect.fnUntraced(function* (path: string) {
  const { state } = yield* OwnFiles
  const found = yield* Effect.orElseSucceed(state(path), () => undefined)
  const name = LocalPaths.basename(path)
  if (found === undefined || (found.mode & 0o077) === 0) return []
  return [warning(name, `${path} can be read by other users`, `chmod 600 ${quote(path)}`)]
})

/** Whether heddle can read and write where it has to. */
const folderChecks = Effect.fnUntraced(function* (location: SessionFolders.Location) {
  const { agentDir, cwd } = location
  const sessions = SessionFolders.own(location)
  const found: Array<Check> = [
    yield* writable(
      "agent folder",
      agentDir,
      "keys and settings cannot be stored",
      `chmod u+rwx ${quote(agentDir)}, or choose another folder with HEDDLE_AGENT_DIR`
    ),
    yield* writable(
      "sessions",
      sessions,
      "conversations are lost when heddle ends",
      `chmod u+rwx ${quote(sessions)}, or choose another folder with --session-dir`
    ),
    ...(yield* secret(`${agentDir}/models.json`))
  ]
  const { checkWritable } = yield* OwnFiles
  const work = yield* Effect.either(checkWritable(cwd))
  const readOnly = `${cwd} cannot be written, so the model cannot change files in it`
  found.push(
    Either.isRight(work)
      ? ok("working folder", cwd)
      : warning("working folder", readOnly, "start heddle in another folder, or give --cwd")
  )
  return found
})

const optionsOf = Effect.fnUntraced(function* (given: Given) {
  const { agentDir, cwd } = yield* Startup.folders(defined({ cwd: given.values.get("cwd")?.[0] }))
  return {
    agentDir,
    cwd,
    overrides: yield* StartOptions.readOverrides(given),
    ...StartOptions.trustOf((name) => given.values.has(name))
  } satisfies FileSettings.FileSettingsOptions
})

const examine = Effect.fnUntraced(function* (given: Given, version: string) {
  const options = yield* optionsOf(given)
  const { agentDir, cwd } = options
  const { value: loaded, warnings } = yield* withWarnings(FileSettings.load(options))
  const isTrusted = loaded.trust.atStart === "trusted"
  const locations = { agentDir, ...EnvFiles.foldersFor({ cwd, trusted: isTrusted }) }
  const ofModels = yield* withWarnings(
    Effect.provide(modelChecks(locations), ListModels.modelsLayer(options, isTrusted)).pipe(
      Effect.provideService(Settings, loaded.settings)
    )
  )
  const chosen = defined({ sessionDir: given.values.get("session-dir")?.[0] })
  const location = yield* SessionFolders.locate({ agentDir, cwd, ...chosen }).pipe(
    Effect.provideService(Settings, loaded.settings)
  )
  const warned = [...new Set([...warnings, ...ofModels.warnings])].map(ofWarning)
  const isQuiet = warned.every(({ name }) => name !== "settings")
  const checks: ReadonlyArray<Check> = [
    ok("version", version),
    ...(yield* Machine.checks(loaded.settings.shellPath)),
    yield* SandboxCheck.check(loaded.settings),
    ...(yield* folderChecks(location)),
    ...(isQuiet ? [ok("settings", "no mistakes")] : []),
    ...warned,
    ...ofModels.value
  ]
  const { value: mask } = yield* withWarnings(SecretMask.make(cwd, isTrusted))
  return { checks, mask }
})

const marks = { ok: "ok      ", warning: "warning ", problem: "problem " } as const
const nameWidth = 16
const textWidth = 80 - marks.ok.length - nameWidth

const line = ({ fix, message, name, status }: Check): string => {
  const indent = " ".repeat(marks.ok.length + nameWidth)
  const rows = [...wrap(message, textWidth), ...(fix === undefined ? [] : [`fix: ${fix}`])]
  return `${marks[status]}${name.padEnd(nameWidth)}${rows.join(`\n${indent}`)}`
}

const summary = (checks: ReadonlyArray<Check>): string => {
  const count = (status: Check["status"]) => checks.filter((check) => check.status === status).length
  const [problems, warnings] = [count("problem"), count("warning")]
  const words = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`
  return problems + warnings === 0
    ? "Everything is fine."
    : `${words(problems, "problem")}, ${words(warnings, "warning")}.`
}

export const run = Effect.fnUntraced(function* (given: Given, version: string) {
  const { checks, mask } = yield* examine(given, version)
  const text = given.values.has("json")
    ? JSON.stringify(checks, null, 2)
    : Text.printable(`${checks.map(line).join("\n")}\n\n${summary(checks)}`)
  yield* Process.print(mask(text))
  const isBroken = checks.some(({ status }) => status === "problem")
  yield* Process.endWith(isBroken ? ExitCode.failed : ExitCode.done)
})
