/** `heddle doctor`: checks what heddle needs and says how to repair what is wrong. Changes nothing, asks no server. */
import * as Effect from "effect/Effect"
import * as Text from "../../../domain/Text.ts"
import { defined } from "../../../domain/Values.ts"
import { Settings } from "../../../services/Settings.ts"
import * as EnvFiles from "../../platform/files/EnvFiles.ts"
import * as Process from "../../platform/processes/Process.ts"
import * as SessionFolders from "../../session/SessionFolders.ts"
import * as FileSettings from "../../settings/FileSettings.ts"
import type { Given } from "../arguments/OptionTable.ts"
import * as StartOptions from "../arguments/StartOptions.ts"
import * as ListModels from "../commands/ListModels.ts"
import * as SecretMask from "../commands/SecretMask.ts"
import * as ExitCode from "../ExitCode.ts"
import { wrap } from "../help/Layout.ts"
import * as Startup from "../Startup.ts"
import { type Check, ok, withWarnings } from "./Check.ts"
import * as Folders from "./Folders.ts"
import * as Machine from "./Machine.ts"
import * as Models from "./Models.ts"

const optionsOf = Effect.fnUntraced(function* (given: Given) {
  const { agentDir, cwd } = yield* Startup.folders(defined({ cwd: given.values.get("cwd")?.[0] }))
  const options: FileSettings.FileSettingsOptions = {
    agentDir,
    cwd,
    overrides: yield* StartOptions.readOverrides(given),
    ...StartOptions.trustOf((name) => given.values.has(name))
  }
  return options
})

const examine = Effect.fnUntraced(function* (given: Given, version: string) {
  const options = yield* optionsOf(given)
  const { agentDir, cwd } = options
  const { value: loaded, warnings } = yield* withWarnings(FileSettings.load(options))
  const isTrusted = loaded.trust.atStart === "trusted"
  const locations = { agentDir, ...EnvFiles.foldersFor({ cwd, trusted: isTrusted }) }
  const ofModels = yield* withWarnings(
    Effect.provide(Models.checks(locations), ListModels.modelsLayer(options, isTrusted)).pipe(
      Effect.provideService(Settings, loaded.settings)
    )
  )
  const chosen = defined({ sessionDir: given.values.get("session-dir")?.[0] })
  const location = yield* SessionFolders.locate({ agentDir, cwd, ...chosen }).pipe(
    Effect.provideService(Settings, loaded.settings)
  )
  const warned = [...new Set([...warnings, ...ofModels.warnings])].map(Models.ofWarning)
  const isQuiet = warned.every(({ name }) => name !== "settings")
  const checks: ReadonlyArray<Check> = [
    ok("version", version),
    ...(yield* Machine.checks(loaded.settings.shellPath)),
    ...(yield* Folders.checks(location)),
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
