/** `heddle config [key]`: the settings in force and where each comes from. Starts no agent and changes nothing. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defined } from "../../../../domain/Values.ts"
import * as Text from "../../../../domain/Text.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import * as Environment from "../../../machine/processes/Environment.ts"
import * as Process from "../../../machine/processes/Process.ts"
import * as Effective from "../../../workspace/settings/Effective.ts"
import * as FileSettings from "../../../workspace/settings/FileSettings.ts"
import * as Keys from "../../../workspace/settings/Keys.ts"
import { nearest } from "../../../workspace/settings/Nearest.ts"
import type { SettingsSource } from "../../../workspace/settings/SettingsMerge.ts"
import { type Given, invalid } from "../arguments/OptionTable.ts"
import * as Startup from "../Startup.ts"
import * as SecretMask from "./SecretMask.ts"
import * as ApprovalOptions from "../arguments/ApprovalOptions.ts"
import * as StartOptions from "../arguments/StartOptions.ts"

const longestValue = 60

/** Options and variables that count more than a setting. The last one counts most. */
const above = Effect.fnUntraced(function* (given: Given) {
  const { values } = given
  const sources: Array<SettingsSource> = [...ApprovalOptions.sources(given)]
  const add = (name: string, key: string, value: unknown) => sources.push({ name, values: { [key]: value } })
  for (const name of ["sandbox", "network"]) if (values.has(name)) add(`--${name}`, name, values.get(name)?.[0])
  const offline = values.has("offline") ? "--offline" : undefined
  const variable = Option.isSome(yield* Environment.variable("PI_OFFLINE")) ? "variable PI_OFFLINE" : undefined
  const reason = offline ?? variable
  if (reason !== undefined) add(reason, "models.discover", [])
  const [folder] = values.get("session-dir") ?? []
  const folderVariable = yield* Environment.variable("PI_CODING_AGENT_SESSION_DIR")
  if (folder !== undefined) add("--session-dir", "sessionDir", folder)
  else if (Option.isSome(folderVariable))
    add("variable PI_CODING_AGENT_SESSION_DIR", "sessionDir", folderVariable.value)
  const [models, level] = [values.get("models")?.[0], values.get("thinking")?.[0]]
  if (models !== undefined) add("--models", "enabledModels", StartOptions.list(models))
  if (level !== undefined) add("--thinking", "defaultThinkingLevel", level)
  return sources
})

const sourceText = ({ isReset, sources }: Effective.Effective, cwd: string): string => {
  const files = sources
    .map(
      ({ line, name }) =>
        `${LocalPaths.isAbsolute(name) ? LocalPaths.display(name, cwd) : name}${line === undefined ? "" : `:${line}`}`
    )
    .join(", ")
  if (isReset) return `default (rpc mode resets ${files})`
  return files === "" ? "default" : files
}

const valueText = (value: unknown) => (value === undefined ? "-" : JSON.stringify(value))

const table = (settings: ReadonlyArray<Effective.Effective>, cwd: string) =>
  Process.table([
    ["KEY", "VALUE", "SOURCE"],
    ...settings.map((setting) => [
      setting.key,
      Text.clip(valueText(setting.value), longestValue),
      sourceText(setting, cwd)
    ])
  ])

const details = (setting: Effective.Effective, cwd: string) =>
  [
    `${setting.key} = ${valueText(setting.value)}`,
    `  from     ${sourceText(setting, cwd)}`,
    `  default  ${valueText(setting.default)}`,
    `  type     ${setting.type}`,
    `  ${setting.description}`,
    ...(setting.planned === true ? ["  It has no effect yet: heddle does not have this feature."] : []),
    ...(setting.reset === true
      ? ["  Rpc mode resets it to its default, except with --set or --inherit-settings."]
      : []),
    ...(setting.project === undefined ? [] : ["  It protects you: a project can at most make it stricter."]),
    ...(setting.free === true || setting.project !== undefined
      ? []
      : ["  In the files of a project it counts only if you trust the project."])
  ].join("\n")

const noSuch = (key: string) => {
  const { groups, types } = Keys.known()
  const found = nearest(key, [...types.keys(), ...groups])
  return invalid(`${key} is not a setting.${found === undefined ? "" : ` Did you mean ${found}?`} See heddle config.`)
}

const load = Effect.fnUntraced(function* (given: Given, cwd: string) {
  const has = (name: string) => given.values.has(name)
  const dialect = yield* StartOptions.dialectOf(given)
  const { origins, settings, trust } = yield* FileSettings.load({
    agentDir: yield* Process.agentDir,
    cwd,
    overrides: yield* StartOptions.assignments(given),
    above: yield* above(given),
    ...defined({ dialect, preset: ApprovalOptions.preset(given) }),
    ...StartOptions.trustOf(has),
    rpcReset: !has("inherit-settings")
  })
  const mask = yield* SecretMask.make(cwd, trust.atStart === "trusted")
  return Effective.list(settings, origins, mask)
})

export const run = Effect.fnUntraced(function* (given: Given) {
  const [key] = given.messages
  const { cwd } = yield* Startup.folders(defined({ cwd: given.values.get("cwd")?.[0] }))
  const all = yield* load(given, cwd)
  const one = all.find((setting) => setting.key === key)
  const group = all.filter((setting) => key === undefined || setting.key.startsWith(`${key}.`))
  if (one === undefined && group.length === 0) return yield* noSuch(key ?? "")
  if (given.values.has("json")) return yield* Process.print(JSON.stringify(one ?? group, null, 2))
  yield* Process.print(one === undefined ? table(group, cwd) : details(one, cwd))
})
