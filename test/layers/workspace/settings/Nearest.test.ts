import { assert, describe, it } from "@effect/vitest"
import { nearest } from "../../../../src/layers/workspace/settings/Nearest.ts"
import { defaults } from "../../../../src/services/Settings.ts"

const keys = [...Object.keys(defaults), "retry", "thinkingBudgets"]

describe("nearest", () => {
  const cases: ReadonlyArray<readonly [string, string | undefined]> = [
    ["steeringmode", "steeringMode"],
    ["steering_mode", "steeringMode"],
    ["stereingMode", "steeringMode"],
    ["retry.maxRetrys", "retry.maxRetries"],
    ["thinkingBudgets.hgih", "thinkingBudgets.high"],
    ["maxRetries", "retry.maxRetries"],
    ["settings.retry.enabled", "retry.enabled"],
    ["retri", "retry"],
    ["theme", undefined],
    ["", undefined],
    ["x".repeat(1_000_000), undefined]
  ]
  for (const [name, expected] of cases) {
    it(`${name.slice(0, 30)} → ${expected ?? "nothing"}`, () => assert.strictEqual(nearest(name, keys), expected))
  }
})
