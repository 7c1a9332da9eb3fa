import { assert, it } from "@effect/vitest"
import { defaults } from "../../../../../src/services/Settings.ts"
import * as SettingsManager from "../../../../../src/layers/pi/modules/sessions/SettingsManager.ts"
import { call, get } from "../../../../support/extensions/Calling.ts"
import { holding } from "../../../../support/extensions/PlainBindings.ts"

const Manager = SettingsManager.make(holding())

it("reads the settings of the agent, in the shape of pi", () => {
  const settings = Manager.create()
  assert.deepStrictEqual(
    ["getDefaultModel", "getShellPath", "getSteeringMode", "getCompactionEnabled", "getTheme", "getPackages"].map(
      (name) => call(settings, name)
    ),
    ["loom-1", "/bin/zsh", "one-at-a-time", true, undefined, []]
  )
  assert.strictEqual(get(settings.getCompactionSettings(), "reserveTokens"), defaults["compaction.reserveTokens"])
  assert.strictEqual(get(get(settings.getSettings(), "retry"), "maxRetries"), 3)
  assert.strictEqual(get(settings.getRetrySettings(), "baseDelayMs"), 2000)
  assert.strictEqual(get(settings.getBranchSummarySettings(), "reserveTokens"), 16_384)
  assert.deepStrictEqual(settings.getProjectSettings(), {})
})

it("sees a change of the settings", () => {
  let level: "low" | "high" = "low"
  const Changing = SettingsManager.make(holding({ settings: () => ({ ...defaults, defaultThinkingLevel: level }) }))
  const settings = Changing.create()
  assert.strictEqual(call(settings, "getDefaultThinkingLevel"), "low")
  level = "high"
  assert.strictEqual(call(settings, "getDefaultThinkingLevel"), "high")
})

it("refuses to change them", () => {
  assert.throws(
    () => call(Manager.create(), "setDefaultModel", "x"),
    "SettingsManager.setDefaultModel: extensions cannot change"
  )
})

it("has settings in memory, and overrides of its own", async () => {
  const settings = Manager.inMemory({ compaction: { enabled: false }, theme: "dark" })
  assert.deepStrictEqual(
    [call(settings, "getCompactionEnabled"), call(settings, "getTheme"), call(settings, "getDefaultModel")],
    [false, "dark", undefined]
  )
  settings.applyOverrides({ compaction: { reserveTokens: 5 } })
  assert.deepStrictEqual(settings.getCompactionSettings(), {
    enabled: false,
    reserveTokens: 5,
    keepRecentTokens: 20_000
  })
  await settings.reload()
  await settings.flush()
  assert.deepStrictEqual(
    [settings.drainErrors(), settings.isProjectTrusted(), settings.getGlobalSettings()],
    [[], true, settings.getSettings()]
  )
})
