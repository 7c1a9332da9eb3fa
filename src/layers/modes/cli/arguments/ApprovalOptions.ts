/** The options of approvals as settings: the modes, the words that stand for several settings, and rules. */
import { isPreset, type Preset, presets } from "../../../../domain/approvals/Modes.ts"
import type { SettingsSource } from "../../../workspace/settings/SettingsMerge.ts"
import type { Mode } from "./Mode.ts"
import type { Given } from "./OptionTable.ts"

const valuesOf = (word: Preset) => {
  const { mode, network, sandbox, unasked } = presets[word]
  return { "approvals.mode": mode, "approvals.unasked": unasked, sandbox, network }
}

/** What one word says of several settings. Single options and `--set` win. */
export const preset = ({ values }: Given): SettingsSource | undefined => {
  const [word] = values.get("approvals") ?? []
  return word !== undefined && isPreset(word) ? { name: "--approvals", values: valuesOf(word) } : undefined
}

/** The settings that single options say, the last one on top. */
export const sources = ({ values }: Given): ReadonlyArray<SettingsSource> => {
  const found: Array<SettingsSource> = []
  const [mode] = values.get("approvals") ?? []
  if (mode !== undefined && !isPreset(mode)) found.push({ name: "--approvals", values: { "approvals.mode": mode } })
  for (const name of ["allow", "ask", "deny"]) {
    const rules = values.get(name)
    if (rules !== undefined) found.push({ name: `--${name}`, values: { [`approvals.${name}`]: rules } })
  }
  return found
}

/**
 * What holds in a mode where neither options nor settings say otherwise: a person at the terminal has the preset `auto`. Where its sandbox
 * cannot be had, sandbox/Machine.ts takes it back, and the person is asked about all that is not known to be harmless.
 */
export const initial = (mode: Mode, { values }: Given): SettingsSource | undefined =>
  mode === "interactive" && !values.has("approvals")
    ? { name: "the terminal", values: valuesOf("auto"), isInitial: true }
    : undefined
