/** pi's `SettingsManager` over the settings of the agent. Extensions read them; only their user changes them. */
import * as Predicate from "effect/Predicate"
import type { SettingsValues } from "../../../../services/Settings.ts"
import type { Holder } from "../HostBindings.ts"

type Nested = Readonly<Record<string, unknown>>

const merge = (base: Nested, over: Nested): Nested => {
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const before = merged[name]
    merged[name] =
      Predicate.isReadonlyRecord(before) && Predicate.isReadonlyRecord(value) ? merge(before, value) : value
  }
  return merged
}

/** `compaction.enabled` is `compaction: { enabled }` in pi's files. */
const nest = (values: SettingsValues): Nested => {
  let nested: Nested = {}
  for (const [name, value] of Object.entries(values)) {
    const [first = "", ...rest] = name.split(".")
    const inner = rest.reduceRight<unknown>((below, key) => ({ [key]: below }), value)
    nested = merge(nested, { [first]: inner })
  }
  return nested
}

const at = (values: Nested, path: string): unknown =>
  path.split(".").reduce<unknown>((below, key) => (Predicate.isReadonlyRecord(below) ? below[key] : undefined), values)

/** The getters of one setting each: where it is, and what pi answers if it is not set. */
const getters: ReadonlyArray<readonly [name: string, path: string, otherwise?: unknown]> = [
  ["getSessionDir", "sessionDir"],
  ["getDefaultProvider", "defaultProvider"],
  ["getDefaultModel", "defaultModel"],
  ["getDefaultThinkingLevel", "defaultThinkingLevel"],
  ["getSteeringMode", "steeringMode", "one-at-a-time"],
  ["getFollowUpMode", "followUpMode", "one-at-a-time"],
  ["getCompactionEnabled", "compaction.enabled", true],
  ["getCompactionReserveTokens", "compaction.reserveTokens", 16_384],
  ["getCompactionKeepRecentTokens", "compaction.keepRecentTokens", 20_000],
  ["getRetryEnabled", "retry.enabled", true],
  ["getShellPath", "shellPath"],
  ["getShellCommandPrefix", "shellCommandPrefix"],
  ["getEnabledModels", "enabledModels"],
  ["getThinkingBudgets", "thinkingBudgets"],
  ["getPackages", "packages", []],
  ["getExtensionPaths", "extensions", []],
  ["getSkillPaths", "skills", []],
  ["getPromptTemplatePaths", "prompts", []],
  ["getThemePaths", "themes", []],
  ["getEnableSkillCommands", "enableSkillCommands", true],
  ["getImageAutoResize", "images.autoResize", true],
  ["getBlockImages", "images.blockImages", false],
  ["getNpmCommand", "npmCommand"],
  ["getTransport", "transport", "auto"],
  ["getTheme", "theme"],
  ["getThemeSetting", "theme"],
  ["getQuietStartup", "quietStartup", false],
  ["getHideThinkingBlock", "hideThinkingBlock", false],
  ["getShowImages", "terminal.showImages", false],
  ["getDoubleEscapeAction", "doubleEscapeAction", "tree"],
  ["getDefaultTools", "defaultTools"],
  ["getLastChangelogVersion", "lastChangelogVersion"],
  ["getEditorPaddingX", "editorPaddingX", 0],
  ["getAutocompleteMaxVisible", "autocompleteMaxVisible", 5],
  ["getShowHardwareCursor", "showHardwareCursor", false]
]

const setters = getters.map(([name]) => name.replace(/^get/, "set"))

class ReadOnlySettings {
  readonly #base: () => Nested
  #overrides: Nested

  constructor(base: () => Nested = () => ({}), overrides: Nested = {}) {
    this.#base = base
    this.#overrides = overrides
  }

  getSettings(): Nested {
    return merge(this.#base(), this.#overrides)
  }

  getGlobalSettings(): Nested {
    return this.getSettings()
  }

  getProjectSettings(): Nested {
    return {}
  }

  /** For this object only; nothing is stored. */
  applyOverrides(overrides: Nested) {
    this.#overrides = merge(this.#overrides, overrides)
  }

  getCompactionSettings() {
    return { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000, ...this.#group("compaction") }
  }

  getRetrySettings() {
    return { enabled: true, maxRetries: 3, baseDelayMs: 2000, ...this.#group("retry") }
  }

  getBranchSummarySettings() {
    return { reserveTokens: 16_384, skipPrompt: false, ...this.#group("branchSummary") }
  }

  isProjectTrusted(): boolean {
    return true
  }

  drainErrors(): ReadonlyArray<never> {
    return []
  }

  reload(): Promise<void> {
    return Promise.resolve()
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  #group(name: string): Nested {
    const group = this.getSettings()[name]
    return Predicate.isReadonlyRecord(group) ? group : {}
  }
}

const define = (name: string, value: (this: ReadOnlySettings) => unknown) =>
  Object.defineProperty(ReadOnlySettings.prototype, name, { value, configurable: true, writable: true })

for (const [name, path, otherwise] of getters) {
  define(name, function () {
    return at(this.getSettings(), path) ?? otherwise
  })
}
for (const name of setters) {
  define(name, () => {
    throw new Error(`SettingsManager.${name}: extensions cannot change the settings of heddle`)
  })
}

/** What extensions import as `SettingsManager`. */
export interface SettingsManagerClass {
  new (base?: () => Nested, overrides?: Nested): ReadOnlySettings
  readonly create: () => ReadOnlySettings
  readonly inMemory: (settings?: Nested) => ReadOnlySettings
}

export const make = (holder: Holder): SettingsManagerClass =>
  class SettingsManager extends ReadOnlySettings {
    static create(): SettingsManager {
      return new SettingsManager(() => nest(holder.get().settings()))
    }

    static inMemory(settings: Nested = {}): SettingsManager {
      return new SettingsManager(() => ({}), settings)
    }
  }
